"""For those who only want to know: what has changed, and how accurate a model still is. Nothing adapts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftline import _driftline, _tables

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Explanation:
    """How a window differs from the source.

    `distance` is an energy distance and `noise` what it would be without drift; `told_apart` says how often a row can be
    told by its looks (0.5 is a guess); `columns` has how far each column moved, in deviations of the source, the
    farthest first.
    """

    drifted: bool
    verdict: str
    reason: str
    distance: float
    noise: float
    told_apart: float
    columns: list[tuple[str, float]] = field(default_factory=list)

    def __str__(self) -> str:
        moved = ", ".join(f"{name} {shift:+.2f}" for name, shift in self.columns[:3])
        return f"{self.verdict}: {self.reason}; moved most: {moved}"


def explain(source: Any, window: Any, *, impute: bool = False, seed: int = 0) -> Explanation:
    """What has changed between two tables of the same columns; neither needs labels.

    >>> import numpy as np, driftline
    >>> rng = np.random.default_rng(0)
    >>> before = rng.normal(size=(400, 3))
    >>> found = driftline.explain(before, rng.normal(size=(400, 3)) + [0, 2, 0])
    >>> found.drifted, found.columns[0][0]
    (True, 'c1')
    """
    first, second = _tables.table(source), _tables.table(window)
    rows = len(first)
    if rows < 4:
        raise ValueError(f"the source has {rows} rows; at least 4 are needed")
    label = "label"
    while label in first.names:
        label += "_"
    # The library fixes its encoding on labelled rows; these labels are never looked at.
    halves = (np.arange(rows, dtype=np.int64) % 2)[:, np.newaxis]
    labelled = first.with_codes(label, halves, ["a", "b"])
    found = json.loads(_driftline.explain(labelled, second, label, impute, seed))
    change = found["change"]
    columns = [(column["column"], column["shift"]) for column in found["columns"]]
    columns.sort(key=lambda pair: -abs(pair[1]))
    apart = change["from_source"]
    return Explanation(
        drifted=change["verdict"] != "still",
        verdict=change["verdict"],
        reason=change["reason"],
        distance=apart["distance"],
        noise=apart["noise"],
        told_apart=change["told_apart"],
        columns=columns,
    )


@dataclass(frozen=True)
class AccuracyEstimate:
    """How accurate a model is estimated to be on a window; `accuracy` is none where it is not measurable."""

    accuracy: float | None
    low: float | None
    high: float | None
    reason: str

    def __str__(self) -> str:
        if self.accuracy is None:
            return f"not measurable: {self.reason}"
        return f"{100 * self.accuracy:.1f} % ({100 * (self.low or 0):.1f} to {100 * (self.high or 0):.1f})"


def estimate(model: Any, source: tuple[Any, Any], window: Any, *, seed: int = 0) -> AccuracyEstimate:
    """The accuracy of a fitted classifier on rows without answers, by what the labelled source shows when it is moved.

    `source` is a pair of rows and their classes. The model is only asked, never trained.

    >>> import numpy as np, driftline
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(1000) % 2
    >>> X = rng.normal(size=(1000, 2)) + 2 * y[:, None]
    >>> found = driftline.estimate(LogisticRegression().fit(X, y), (X, y), X + 0.2)
    >>> found.accuracy is None or 0 <= found.low <= found.accuracy <= found.high <= 1
    True
    """
    from driftline._estimator import DriftClassifier

    X, y = source
    classes = np.unique(np.asarray(y))
    known = np.asarray(model.classes_)

    def fit(rows: Array, labels: Array) -> Any:
        return model

    def predict_proba(asked: Any, rows: Array) -> Array:
        found = np.zeros((len(rows), len(classes)))
        places = np.searchsorted(classes, known)
        found[:, places] = asked.predict_proba(rows)
        return found

    asking = DriftClassifier(
        model=(fit, predict_proba),
        window=max(len(window), 1),
        policy={"guarded": {"candidates": ["plain"]}},
        settings={"scaling": False, "column-cleaning": {"drop": False, "clip": False}},
        random_state=seed,
    )
    asking.fit(X, y).adapt(window)
    last = json.loads(asking._adapter.records())[-1]
    reason = last.get("reason") or ""
    return AccuracyEstimate(
        last.get("estimated_accuracy"), last.get("estimated_low"), last.get("estimated_high"), reason
    )
