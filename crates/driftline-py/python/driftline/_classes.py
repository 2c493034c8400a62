"""Classes on their way to the library, which knows them by names, and back to the type they had."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from driftline import _driftline, _tables

Array = np.ndarray[Any, Any]


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
