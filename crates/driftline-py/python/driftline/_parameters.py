"""The estimator's parameters: checked, as the library's settings, and as the note that is stored with a model."""

from __future__ import annotations

import json
import os
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

# Where and how a run is computed is no part of what is stored: files are the same for any number of threads.
NOT_STORED = {"folder", "n_jobs", "verbose"}


def seed_of(random_state: Any) -> int:
    """The number that everything random depends on; None draws one from numpy's global generator, as in scikit-learn."""
    if random_state is None:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    raise ValueError(
        f"random_state should be a whole number from 0, None, or a generator of numpy, but is {random_state!r}"
    )


def check(model: Any) -> None:
    """What the library would take for something else."""
    window = model.window
    if not isinstance(window, str) and (not isinstance(window, Integral) or isinstance(window, bool) or int(window) < 1):
        raise ValueError(f"window should be a whole number of rows from 1, or a period such as 'P7D', but is {window!r}")
    if model.tail not in ("merge", "keep", "drop"):
        raise ValueError(f"tail should be 'merge', 'keep' or 'drop', but is {model.tail!r}")
    if model.impute not in (True, False, "mark"):
        raise ValueError(f"impute should be True, False or 'mark', but is {model.impute!r}")
    if model.encode not in (True, False, None):
        raise ValueError(f"encode should be True or None, but is {model.encode!r}")
    if not isinstance(model.settings, (dict, type(None))):
        raise ValueError(f"settings should be a dict, or None, but is {model.settings!r}")
    for name in ("categories", "exclude"):
        if isinstance(getattr(model, name), str):
            raise ValueError(f"{name} should be a list of columns, but is {getattr(model, name)!r}")
    _threads(model.n_jobs)


def _threads(n_jobs: Any) -> int | None:
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs should be a whole number other than 0, or None, but is {n_jobs!r}")
    threads = int(n_jobs)
    return threads if threads > 0 else max(1, (os.cpu_count() or 1) + 1 + threads)


def options(model: Any, seed: int) -> dict[str, Any]:
    """The parameters as the library's settings."""
    own = dict(model.settings or {})
    given = {"policy": model.policy, "alignment": model.alignment, "labeler": model.labeler}
    own.update({name: value for name, value in given.items() if value is not None})
    if isinstance(model.model, (str, dict)):
        own["model"] = model.model
    if not model.encode:
        # Rows are to come back as they were.
        own = {"scaling": False, "column-cleaning": {"drop": False, "clip": False}, **own}
    choice: dict[str, Any] = {
        "label": None, "time": model.time, "answers": None, "ids": [], "exclude": list(model.exclude or []),
        "categories": list(model.categories or []), "filters": [], "impute": bool(model.impute),
        "mark-missing": model.impute == "mark",
    }  # fmt: skip
    windows = {"every": model.window} if isinstance(model.window, str) else {"window": int(model.window), "tail": model.tail}
    return {
        "settings": own,
        "windows": windows,
        "method": model.method,
        "choice": choice,
        "seed": seed,
        "threads": None if model.n_jobs == -1 else _threads(model.n_jobs),
        "source_sample": bool(model.source_sample),
    }


def note(model: Any, seed: int) -> dict[str, Any]:
    """Those parameters that a file can hold: a model of Python's is named again when it is loaded."""
    found = {}
    for name, value in model.get_params(deep=False).items():
        if name in NOT_STORED or (name == "model" and not isinstance(value, (str, dict))):
            continue
        if name == "random_state" and value is not None:
            value = seed
        try:
            found[name] = json.loads(dumps(value))
        except (TypeError, ValueError):
            continue
    return found


def from_settings(found: dict[str, Any]) -> dict[str, Any]:
    """The parameters that the settings of a run of the program come to."""
    how, params = found["method"], {"random_state": found["seed"]}
    choice = found["choice"]
    params.update(time=choice["time"], categories=choice["categories"] or None, exclude=choice["exclude"] or None)
    params["impute"] = "mark" if choice.get("mark-missing") else choice["impute"]
    for name in ("policy", "alignment", "labeler", "model"):
        if how.get(name) is not None:
            params[name] = how[name]
    curriculum = how.get("curriculum")
    if isinstance(curriculum, dict):
        params["method"], own = next(iter(curriculum.items()))
        cut = (own or {}).get("windowing", own) or {}
        if "size" in cut:
            size = cut["size"]
            params["window"], params["tail"] = (size[0], size[1]) if isinstance(size, list) else (size, "merge")
        elif "every" in cut:
            params["window"] = cut["every"]
    elif curriculum is not None:
        params["method"] = curriculum
    if params.get("tail") not in ("merge", "keep", "drop"):
        params.pop("tail", None)
    return params


def dumps(value: Any) -> str:
    """JSON, also of numpy's numbers and of paths."""

    def plain(other: Any) -> Any:
        if isinstance(other, (np.generic, np.ndarray)):
            return other.tolist()
        if isinstance(other, Path):
            return str(other)
        raise TypeError(f"{other!r} cannot be stored")

    return json.dumps(value, default=plain, allow_nan=False)
