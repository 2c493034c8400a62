"""Classes on their way to the library, which knows them by names, and back to the type they had."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from driftline import _driftline, _input, _tables

Array = np.ndarray[Any, Any]


def coded(y: Any, rows: int) -> tuple[Array, Array]:
    """The classes, sorted, and the place of each row's class among them."""
    values = column_or_1d(_input.values(y), warn=True)
    if len(values) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(values)]}")
    missing = _missing(values)
    if len(missing):
        raise ValueError(
            f"Input y contains NaN: row {missing[0] + 1} has no class, {len(missing)} of {rows} rows in all; leave them out, or let "
            "`adapt` follow them"
        )
    texts = {isinstance(value, str) for value in values.tolist()} if values.dtype == object else set()
    if len(texts) > 1:
        kinds = sorted({type(value).__name__ for value in values.tolist()})
        raise ValueError(f"the classes in y should be of one type, but are of {' and '.join(kinds)}")
    check_classification_targets(values)
    found: tuple[Array, Array] = np.unique(values, return_inverse=True)
    if len(found[0]) < 2:
        only = _tables.text(found[0].tolist()[0])
        raise ValueError(f"Classifier can't train when only one class is present: all {rows} rows are of class {only}")
    return found


def _missing(values: Array) -> Array:
    if values.dtype.kind == "O":
        return np.flatnonzero([_tables.is_missing(value) for value in values.tolist()])
    return np.flatnonzero(values != values) if values.dtype.kind in "fmM" else np.array([], dtype=np.int64)


def names_of(classes: Array) -> list[str]:
    """A name for each class. The library writes numbers in one way: where that would make two classes one, as ``"01"`` and
    ``"1"``, they are quoted."""
    texts = [_tables.text(value) for value in classes.tolist()]
    names = _driftline.class_names(texts)
    counts = Counter(names)
    for at, (text, name) in enumerate(zip(texts, names, strict=True)):
        if counts[name] > 1 or not name.strip():
            names[at] = f"'{text}'"
            while names.count(names[at]) > 1:
                names[at] = f"'{names[at]}'"
    return names


def note(classes: Array) -> dict[str, Any]:
    """The classes with their type, for JSON."""
    values = classes.tolist()
    plain = all(value is None or type(value) in (bool, int, float, str) for value in values)
    return {"type": classes.dtype.str, "values": values if plain else [str(value) for value in values]}


def from_note(found: dict[str, Any]) -> Array:
    kind = np.dtype(found["type"])
    if kind == object:
        classes = np.empty(len(found["values"]), dtype=object)
        classes[:] = found["values"]
        return classes
    return np.array(found["values"]).astype(kind)


def from_names(names: list[str]) -> Array:
    """Classes of which only names are known: whole numbers where all are such."""
    if all(name.lstrip("-").isdigit() and str(int(name)) == name for name in names):
        return np.sort(np.array([int(name) for name in names]))
    return np.sort(np.array(names))
