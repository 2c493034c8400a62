"""Measures of drift as objects: how much two tables differ, whether that could be chance, and which columns it is.

>>> import numpy as np, pandas as pd
>>> from driftline.drift import EnergyTest
>>> rng = np.random.default_rng(0)
>>> before = pd.DataFrame({"size": rng.normal(size=300), "town": rng.choice(["Ulm", "Bern"], size=300)})
>>> after = before.assign(size=before["size"] * 2 + 1)
>>> found = EnergyTest().fit(before).compare(after)
>>> found.p_value < 0.05, found.columns[0].column
(True, 'size')
>>> found.columns[0].shift > 0.5, found.columns[0].spread > 1.5
(True, True)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import chi2_contingency, ks_2samp

from driftline import _driftline, _tables

__all__ = ["ColumnDrift", "Drift", "EnergyTest"]

Array = np.ndarray[Any, Any]
_LABEL = "label"


@dataclass(frozen=True)
class ColumnDrift:
    """How one column has changed, categories as one column.

    `effect` is from 0 to 1: for numbers the largest distance of the two distribution functions (Kolmogorov and Smirnov), for
    categories the share of rows that would have to change (total variation). `p_value` is that of the test by Kolmogorov and
    Smirnov, or of the chi-squared test, not corrected for the number of columns. Numbers also have `shift`, the
    difference of the means in deviations of the source, `spread`, the ratio of the deviations, and `shape`, what is left of the effect
    when mean and deviation are made the same.
    """

    column: str
    kind: str
    effect: float
    p_value: float
    shift: float | None = None
    spread: float | None = None
    shape: float | None = None


@dataclass(frozen=True)
class Drift:
    """How two tables differ.

    `effect` is the energy coefficient, from 0 (the same distribution) to 1; `p_value` the share of random divisions of the rows
    into two tables that differ at least as much. `columns` begin with the one that changed most.
    """

    effect: float
    p_value: float
    columns: list[ColumnDrift]

    def __str__(self) -> str:
        most = ", ".join(f"{one.column} {one.effect:.2f}" for one in self.columns[:3])
        return f"effect {self.effect:.3f}, p = {self.p_value:.3g}; changed most: {most}"

    def _repr_html_(self) -> str:
        from driftline._notebook import table_html

        def number(value: float | None) -> str:
            return "" if value is None else f"{value:.2f}"

        rows = [
            (one.column, f"{one.effect:.2f}", f"{one.p_value:.3g}", number(one.shift), number(one.spread), number(one.shape))
            for one in self.columns[:20]
        ]
        return table_html(str(self), [("column", "effect", "p", "shift", "spread", "shape"), *rows])


class EnergyTest:
    """Compares later rows with a source by energy distance, with a permutation test, and column by column.

    Parameters
    ----------
    permutations : int, default=199
        Random divisions; the smallest p-value is 1/(permutations + 1).
    rows : int, default=500
        Rows of each table that the energy distance looks at; columns are compared on all.
    impute : bool, default=False
        Fill missing values from the source instead of refusing them.
    seed : int, default=0
        The same number gives the same result.
    """

    def __init__(self, permutations: int = 199, rows: int = 500, impute: bool = False, seed: int = 0) -> None:
        self.permutations = permutations
        self.rows = rows
        self.impute = impute
        self.seed = seed

    def fit(self, X: Any) -> Self:
        """Keeps the source, and learns its columns.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        self
        """
        table = _tables.table(X)
        self._names, self._named = table.names, _tables.is_frame(X)
        label = _LABEL
        while label in table.names:
            label += "_"
        classes = (np.arange(len(table), dtype=np.int64) % 2)[:, np.newaxis]
        options = {
            "settings": {"scaling": True, "column-cleaning": {"drop": False, "clip": False}},
            "choice": {
                "label": None, "time": None, "answers": None, "ids": [], "exclude": [], "categories": [], "filters": [],
                "impute": bool(self.impute),
            },
        }  # fmt: skip
        self._encoding = _driftline.encoding(table.with_codes(label, classes, ["a", "b"]), label, json.dumps(options))
        self._source = self._inputs(table)
        return self

    def compare(self, X: Any) -> Drift:
        """How later rows differ from the source.

        Parameters
        ----------
        X : array or frame
            With the columns of the source.

        Returns
        -------
        Drift
        """
        table = _tables.table(X)
        if self._named != _tables.is_frame(X) and len(table.names) == len(self._names):
            table = table.renamed(self._names)
        window = self._inputs(table)
        rng = np.random.default_rng(self.seed)
        effect, p_value = _energy(_some(self._source, self.rows, rng), _some(window, self.rows, rng), self.permutations, rng)
        columns, at = [], 0
        for feature in json.loads(self._encoding)["input"]["features"]:
            one_hot = feature["coding"].get("one-hot")
            width = 1 if one_hot is None else len(one_hot["categories"])
            before, after = self._source[:, at : at + width], window[:, at : at + width]
            columns.append((_categories if one_hot else _numbers)(feature["name"], before, after))
            at += width
        columns.sort(key=lambda one: -one.effect)
        return Drift(effect, p_value, columns)

    def _inputs(self, table: _driftline.Table) -> Array:
        found, width = _driftline.encoded(table, self._encoding, bool(self.impute))
        return np.frombuffer(found, dtype=np.float32).reshape(-1, width).astype(np.float64)


def _some(rows: Array, most: int, rng: np.random.Generator) -> Array:
    return rows if len(rows) <= most else rows[np.sort(rng.choice(len(rows), size=most, replace=False))]


def _energy(one: Array, other: Array, permutations: int, rng: np.random.Generator) -> tuple[float, float]:
    """The energy coefficient E/(2·mean distance between the two), and its p-value by permutation (Székely and Rizzo)."""
    both = np.concatenate([one, other])
    distances = cdist(both, both)
    n = len(one)

    def coefficient(order: Array) -> float:
        first, second = order[:n], order[n:]
        between = 2 * distances[np.ix_(first, second)].mean()
        energy = between - distances[np.ix_(first, first)].mean() - distances[np.ix_(second, second)].mean()
        return float(energy / between) if between > 0 else 0.0

    found = coefficient(np.arange(len(both)))
    chance = sum(coefficient(rng.permutation(len(both))) >= found for _ in range(permutations))
    return max(found, 0.0), (chance + 1) / (permutations + 1)


def _numbers(name: str, before: Array, after: Array) -> ColumnDrift:
    one, other = before[:, 0], after[:, 0]
    effect, p_value = ks_2samp(one, other)[:2]
    deviation, later = one.std(), other.std()
    if deviation == 0 or later == 0:
        return ColumnDrift(name, "number", float(effect), float(p_value))
    shape = ks_2samp((one - one.mean()) / deviation, (other - other.mean()) / later)[0]
    shift = float((other.mean() - one.mean()) / deviation)
    return ColumnDrift(name, "number", float(effect), float(p_value), shift, float(later / deviation), float(shape))


def _categories(name: str, before: Array, after: Array) -> ColumnDrift:
    # What is none of the source's categories counts as one more.
    counts = np.array([[*part.sum(axis=0), (part.sum(axis=1) == 0).sum()] for part in (before, after)])
    shares = counts / counts.sum(axis=1, keepdims=True)
    seen = counts[:, counts.sum(axis=0) > 0]
    p_value = chi2_contingency(seen)[1] if seen.shape[1] > 1 else 1.0
    return ColumnDrift(name, "category", float(abs(shares[0] - shares[1]).sum() / 2), float(p_value))
