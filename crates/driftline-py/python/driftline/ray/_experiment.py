"""`driftline run` with the trials shared among the machines of a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from driftline import _driftline
from driftline._experiment import Method, Results
from driftline._models import learner
from driftline._progress import progress
from driftline.ray._tasks import Crew, Outcome, Piece, cpus, grouped, logger, slow


@dataclass(frozen=True)
class _Common:
    """What all tasks of an experiment need; sent to each machine once."""

    spec: str
    methods: dict[str, Method]
    models: dict[str, Any]
    smoke: bool
    threads: int
    cache: str | None
    cwd: str


_Trial = tuple[int, int, int, int]


def experiment(
    spec: str | Path | dict[str, Any],
    *,
    folder: str | Path,
    methods: Mapping[str, Method] | None = None,
    models: Mapping[str, Any] | None = None,
    scale: str = "full",
    seeds: list[int] | None = None,
    cache: str | Path | None = None,
    trials_per_task: int | None = None,
    max_in_flight: int | None = None,
    retries: int = 3,
    num_cpus: int = 1,
    verbose: bool = False,
) -> Results:
    """Runs an experiment on a Ray cluster, into the folder that ``driftline run`` would have made.

    `spec`, `methods`, `models`, `folder`, `scale`, `seeds` and `cache` are those of `driftline.experiment`; the others are
    those of `fleet`. Trials that the folder has are not run again. Where trials fail, the others are run and stored first.
    """
    if scale not in ("full", "smoke"):
        raise ValueError(f"scale is {scale!r}, but must be 'full' or 'smoke'")
    processors = cpus()
    given = isinstance(spec, dict)
    own, learners = dict(methods or {}), {name: learner(model) for name, model in (models or {}).items()}
    smoke, place = scale == "smoke", None if cache is None else str(cache)
    store = _driftline.Trials(
        None if given else str(spec), json.dumps(spec) if given else None, str(folder), own, learners, smoke, seeds, place
    )
    common = ray.put(_Common(store.spec(), own, learners, smoke, num_cpus, place, os.getcwd()))
    missing: list[_Trial] = store.missing()
    task = ray.remote(num_cpus=num_cpus, max_retries=retries)(_task)
    finished: set[_Trial] = set()
    times: list[tuple[str, float]] = []
    faults: list[str] = []
    with progress("trials", verbose, "trial") as watch:

        def submit(piece: Piece, options: dict[str, Any]) -> Any:
            return task.options(**options).remote(common, piece.parts)

        def done(piece: Piece, result: list[tuple[str, float]]) -> None:
            store.add([line for line, _ in result])
            finished.update(piece.parts)
            times.extend((json.loads(line)["id"], seconds) for line, seconds in result)
            if watch:
                watch(len(finished), len(missing))

        def failed(piece: Piece, why: str) -> None:
            faults.append(f"{piece.name}: {why}")
            finished.update(piece.parts)

        def left(piece: Piece) -> list[_Trial]:
            return [part for part in piece.parts if part not in finished]

        crew = Crew(submit, done, failed, left, max_in_flight or 2 * processors, retries, alone=True)
        groups = grouped(missing, lambda _: 1, trials_per_task, processors // num_cpus or 1)
        crew.run([Piece(group, _name(group)) for group in groups])
    for name, seconds in slow(times)[:5]:
        logger.warning("slow: trial %s took %.1f s", name, seconds)
    if faults:
        raise RuntimeError(f"{len(faults)} of {len(missing)} trials failed, the others are stored:\n" + "\n".join(faults))
    return Results(store.results())


def _name(group: list[_Trial]) -> str:
    dataset, method, data_seed, seed = group[0]
    first = f"data set {dataset + 1}, method {method + 1}, data seed {data_seed}, seed {seed}"
    return first if len(group) == 1 else f"{len(group)} trials, the first: {first}"


def _task(common: _Common, trials: list[_Trial]) -> Outcome:
    """Runs trials and gives back their lines."""
    begun = time.perf_counter()
    node = str(ray.get_runtime_context().get_node_id())
    result, trouble = None, None
    try:
        # Files that the experiment names are found from where it was started.
        with contextlib.chdir(common.cwd) if os.path.isdir(common.cwd) else contextlib.nullcontext():
            result = _driftline.run_trials(
                common.spec, common.methods, common.models, common.smoke, trials, common.threads, common.cache
            )
    except OSError as error:
        trouble = f"on {socket.gethostname()}, node {node[:8]}: {error}"
    return Outcome(node, time.perf_counter() - begun, result, trouble)
