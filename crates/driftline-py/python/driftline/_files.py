"""What is stored with a model beside the library's own: what came in, the classes as they were, and the parameters."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from driftline import _classes, _parameters, _tables
from driftline._driftline import Adapter


def note(model: Any, seed: int, classes: Any, names: list[str], kind: str) -> dict[str, Any]:
    """All that a loaded model needs to be the one that was saved."""
    features = getattr(model, "feature_names_in_", None)
    return {
        "features": None if features is None else [str(name) for name in features],
        "n_features": int(model.n_features_in_),
        "classes": _classes.note(classes),
        "names": names,
        "input": kind,
        "seed": seed,
        "params": _parameters.note(model, seed),
    }


def read_note(path: str | Path) -> dict[str, Any] | None:
    """The note of a file or a folder; none where the program, or somebody else's package, wrote it."""
    text = Adapter.note(path)
    found = json.loads(text) if text is not None else None
    return found if isinstance(found, dict) and "n_features" in found else None


def take_columns(model: Any, adapter: Adapter) -> None:
    """The columns of a model without a note. Dropped ones have lost their place among the others."""
    columns, dropped = adapter.columns(), adapter.dropped()
    model.n_features_in_ = len(columns) + len(dropped)
    positions = _tables.positions(model.n_features_in_)
    if sorted(columns + dropped) != sorted(positions):
        model.feature_names_in_ = np.array(columns + dropped, dtype=object)
        model._unordered = bool(dropped)


def pack(adapter: Adapter) -> dict[str, bytes]:
    """The files of a run."""
    with tempfile.TemporaryDirectory() as place:
        own = adapter.folder()
        folder = Path(own) if own is not None else Path(place) / "run"
        if own is None:
            adapter.write_run(folder)
        files = (path for path in folder.rglob("*") if path.is_file() and "lock" not in path.name)
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def unpack(files: dict[str, bytes], options: str, own: Any) -> Adapter:
    """The run that `pack` has put into these."""
    with tempfile.TemporaryDirectory() as place:
        for name, contents in files.items():
            path = Path(place) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
        return Adapter.load(place, options, own)
