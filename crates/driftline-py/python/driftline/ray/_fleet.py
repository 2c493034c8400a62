"""`driftline fleet` with the streams shared among the machines of a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray

from driftline import _driftline
from driftline._fleets import frames
from driftline._fleets.options import Fleet
from driftline._fleets.result import Result
from driftline._fleets.work import add, begun_files
from driftline._models import learner
from driftline._progress import progress
from driftline.ray._inputs import Input, find
from driftline.ray._tasks import Crew, Outcome, Piece, cpus, grouped, logger, slow


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetResult(Result):
    """The state of a fleet's streams. The same call retries failed ones."""

    #: Streams that took ten times as long as the others, with their seconds.
    stragglers: list[tuple[str, float]]
    #: What every stream that was worked on took, in seconds.
    stream_seconds: dict[str, float]
    #: What every task took on its machine, in seconds.
    task_seconds: list[float]
    #: The most tasks that Ray had at a time.
    most_in_flight: int


@dataclass(frozen=True)
class _Common:
    """What all tasks of a fleet need; sent to each machine once."""

    fleet: Fleet
    source: list[Input]
    #: Manifest and source model of the fleet's folder.
    files: dict[str, bytes]
    cwd: str
    threads: int
    #: Learns where the model is one of your own.
    learner: Any


#: Place, key, size, and where its file is.
_Stream = tuple[int, str, int, Input | None]


def fleet(
    source: Any = None,
    *,
    stream: Any,
    out: str | Path,
    label: str | None = None,
    model: Any = None,
    by: str | None = None,
    source_model: str = "shared",
    window: int | str | None = None,
    method: str | None = None,
    policy: str | dict[str, Any] | None = None,
    alignment: str | dict[str, Any] | None = None,
    labeler: str | dict[str, Any] | None = None,
    settings: dict[str, Any] | None = None,
    time: str | None = None,
    answers: str | None = None,
    ids: list[str] | None = None,
    exclude: list[str] | None = None,
    categories: list[str] | None = None,
    impute: bool | str = False,
    source_sample: bool = True,
    seed: int = 0,
    filesystem: Any = None,
    streams_per_task: int | None = None,
    max_in_flight: int | None = None,
    retries: int = 3,
    num_cpus: int = 1,
    verbose: bool = False,
) -> FleetResult:
    """Adapts to every stream of a fleet on a Ray cluster, into the folder that ``driftline fleet`` would have made.

    Call it again to resume: finished streams in the folder are kept. A stream that fails does so alone and is
    counted in the result.

    Parameters
    ----------
    source : path, address, list of them, pyarrow Dataset, frame, or ray.data.Dataset
        Labelled rows, with the column `label`; none if `model` is a model file.
    stream : path, pattern, address, list of them, pyarrow Dataset, frame, ray.data.Dataset, or dict of these two
        Every file is a stream, and every entry of a dict; with `by`, every value of that column. Addresses such as
        ``s3://bucket/sensors/*.parquet`` are read through pyarrow's file systems; local files must be on every machine at the same
        place; frames (pandas, polars, pyarrow) and data sets of Ray go through Ray's store, their rows in the order of time.
    out : path
        The folder of the fleet, on the machine that calls.
    model : str, dict, estimator, pair of functions or TorchModel, optional
        As in `DriftClassifier`; or a model file, where there is no `source`.
    by, source_model, window, method, policy, alignment, labeler, settings, time, answers, ids, exclude, categories, impute, source_sample, seed
        As in ``driftline fleet`` and `DriftClassifier`; what is absent is as there.
    filesystem : pyarrow.fs.FileSystem, optional
        Where `source` and `stream` are, if their names do not say it.
    streams_per_task : int, optional
        If absent, eight tasks for each processor, of at most 64 streams.
    max_in_flight : int, optional
        Tasks that Ray has at a time; two for each processor if absent.
    retries : int, default=3
        How often a piece of work is tried again whose machine or process is lost or in trouble.
    num_cpus : int, default=1
        Processors of one task.
    verbose : bool, default=False
        Show a progress bar, with tqdm where it is installed.

    Returns
    -------
    FleetResult
        With the estimator of every stream: ``fleet(…)["sensor-17"].predict(rows)``.
    """
    out = Path(out)
    teaches = None if source is None or model is None else learner(model)
    source, classes = frames.with_classes(source, label)
    source, stream = frames.named(source, "source"), frames.named(stream, "stream")
    own = Fleet.of(
        stream, source, out, label=label, model=model, by=by, source_model=source_model, window=window, method=method,
        policy=policy, alignment=alignment, labeler=labeler, settings=settings, time=time, answers=answers, ids=ids,
        exclude=exclude, categories=categories, impute=impute, source_sample=source_sample, seed=seed,
    )  # fmt: skip
    processors = cpus()
    sources = [] if own.is_model_file else find(source, filesystem)
    inputs = find(stream, filesystem)
    own.made["source"] = [one.name for one in sources]
    remote = any(one.is_elsewhere for one in sources + (inputs if by else []))
    # Names lead to files that were fetched only elsewhere.
    options = own.options(str(out.absolute() if remote else out), None)
    with _in_place(sources + (inputs if by else []), os.getcwd(), remote):
        begun = _driftline.Fleet.begin(json.dumps(own.made), options, [one.name for one in inputs], teaches)
    common = ray.put(_Common(own, [] if source_model == "each" else sources, begun_files(out), os.getcwd(), num_cpus, teaches))
    where = {one.name: one for one in inputs}
    parts: list[_Stream] = []
    for place, key, size, path in begun.open_streams():
        file = where[path] if path is not None else None
        parts.append((place, key, size if file is None else file.size or size, file))
    parts.sort(key=lambda part: -part[2])
    groups = grouped(parts, lambda part: part[2] + 1, streams_per_task, processors // num_cpus or 1)
    task = ray.remote(num_cpus=num_cpus, max_retries=retries)(_task)
    finished: set[str] = set()
    times: list[tuple[str, float]] = []
    with progress("adapting", verbose, "stream") as watch:

        def submit(piece: Piece, options: dict[str, Any]) -> Any:
            files = [part[3] for part in piece.parts if part[3] is not None]
            return task.options(**options).remote(common, begun.piece([part[0] for part in piece.parts]), files)

        def count(keys: list[str]) -> None:
            finished.update(keys)
            if watch:
                watch(len(finished), len(parts))

        def done(_piece: Piece, result: tuple[bytes, list[tuple[str, float]]]) -> None:
            pack, took = result
            times.extend(took)
            count([row["key"] for row in add(begun, out, pack)])

        def failed(piece: Piece, why: str) -> None:
            for part in piece.parts:
                begun.fail(part[1], why)
            count([part[1] for part in piece.parts])

        def left(piece: Piece) -> list[_Stream]:
            return [part for part in piece.parts if part[1] not in finished]

        crew = Crew(submit, done, failed, left, max_in_flight or 2 * processors, retries)
        crew.run([Piece(group, _name(group)) for group in groups])
    stragglers = slow(times)
    for key, seconds in stragglers[:5]:
        logger.warning("slow: %s took %.1f s", key, seconds)
    told = json.loads(begun.finish())
    counts = {name: told[name] for name in ("streams", "done", "failed", "held", "rows")}
    return FleetResult(folder=out, **counts, stragglers=stragglers, stream_seconds=dict(times), task_seconds=crew.seconds,
                       most_in_flight=crew.most_in_flight, model=None if teaches is None else model, classes=classes)  # fmt: skip


def _name(group: list[_Stream]) -> str:
    first = group[0][1]
    return f"stream {first}" if len(group) == 1 else f"{len(group)} streams, the first {first}"


@contextlib.contextmanager
def _in_place(inputs: list[Input], cwd: str, remote: bool) -> Any:
    """In a directory where the names of the inputs lead to them."""
    if not remote:
        with contextlib.chdir(cwd) if os.path.isdir(cwd) else contextlib.nullcontext():
            yield
        return
    with tempfile.TemporaryDirectory(prefix="driftline-") as place, contextlib.chdir(place):
        for one in inputs:
            one.put()
        yield


def _task(common: _Common, piece: bytes, inputs: list[Input]) -> Outcome:
    """Adapts to the streams of a piece and gives back the pack that holds them."""
    begun = time.perf_counter()
    node = str(ray.get_runtime_context().get_node_id())
    everything = [*common.source, *inputs]
    result, trouble = None, None
    try:
        with tempfile.TemporaryDirectory(prefix="driftline-") as place:
            packs = Path(place, "packs")
            try:
                packs.mkdir()
                for name, contents in common.files.items():
                    Path(place, name).write_bytes(contents)
                with _in_place(everything, common.cwd, any(one.is_elsewhere for one in everything)):
                    options = common.fleet.options(place, common.threads)
                    times = _driftline.fleet_piece(json.dumps(common.fleet.made), options, piece, common.learner)
            except OSError as error:
                times, trouble = [], f"on {socket.gethostname()}, node {node[:8]}: {error}"
            pack = packs / "streams.pack"
            if pack.exists():
                result = (pack.read_bytes(), times)
    except OSError as error:
        trouble = f"on {socket.gethostname()}, node {node[:8]}: {error}"
    return Outcome(node, time.perf_counter() - begun, result, trouble)
