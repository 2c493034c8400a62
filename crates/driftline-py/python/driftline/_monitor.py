"""For those who only want to know: what has changed, and how accurate a model still is. Nothing adapts."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from driftline import _classes, _driftline, _input, _parameters, _tables
from driftline._frames import Decoder
from driftline._models import expect_classifier

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Explanation:
    """How a window differs from the source.

    `distance` is an energy distance and `noise` what it would be without drift; `told_apart` is how well a linear score separates
    the two (area under the curve; 0.5 is chance); `columns` has the shift of each column in standard deviations of the source, the
    largest first.
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

    def _repr_html_(self) -> str:
        from driftline._notebook import table_html

        rows = [(name, f"{shift:+.2f} standard deviations") for name, shift in self.columns[:10]]
        return table_html(f"{self.verdict}: {self.reason}", rows)

    def plot(self, ax: Any = None) -> Any:
        """Draws the shift of the ten columns that moved most; on new axes if there are none."""
        from driftline._plots import axes

        ax, columns = axes(ax), self.columns[:10][::-1]
        ax.barh([name for name, _ in columns], [shift for _, shift in columns])
        ax.set_xlabel("shift, in standard deviations of the source")
        return ax


def explain(source: Any, window: Any, *, impute: bool = False, seed: int = 0) -> Explanation:
    """Compares two tables with the same columns; neither needs labels.

    Parameters
    ----------
    source, window : array or frame
        Earlier and later rows.
    impute : bool, default=False
        Fill missing values from the source instead of refusing them.
    seed : int, default=0
        The same number gives the same bytes.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import numpy as np, driftline
    >>> rng = np.random.default_rng(0)
    >>> before = rng.normal(size=(400, 3))
    >>> found = driftline.explain(before, rng.normal(size=(400, 3)) + [0, 2, 0])
    >>> found.drifted, found.columns[0][0]
    (True, 'c1')
    """
    first, second = _tables.pair(source, window)
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
    """The estimated accuracy of a model on a window; `accuracy` is None where it cannot be estimated.

    `values` has estimate, low and high of every measure that was asked for. `code` is the reason in a word: ``"estimated"``,
    ``"doubtful"`` (inspect the window), ``"unknown-class"`` (the model knows classes that the source lacks, so that rows of
    these are not counted) or ``"not-measurable"``.
    """

    accuracy: float | None
    low: float | None
    high: float | None
    reason: str
    code: str = "estimated"
    rows: int = 0
    values: dict[str, tuple[float, float, float]] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.accuracy is None:
            return f"not measurable: {self.reason}"
        return f"{100 * self.accuracy:.1f} % ({100 * (self.low or 0):.1f} to {100 * (self.high or 0):.1f})"

    def _repr_html_(self) -> str:
        from driftline._notebook import table_html

        rows = [(name.replace("_", " "), *(f"{100 * value:.1f} %" for value in found)) for name, found in self.values.items()]
        return table_html(f"estimated accuracy {self}" if rows else str(self), [("", "estimate", "low", "high"), *rows] if rows else [])


class Estimates(list[AccuracyEstimate]):
    """The estimates of consecutive windows."""

    def plot(self, ax: Any = None, *, metric: str = "accuracy") -> Any:
        """Draws one of the metrics with its interval; on new axes if there are none."""
        from driftline._plots import axes, band

        values: list[tuple[float | None, float | None, float | None]]
        if metric == "accuracy":
            values = [(found.accuracy, found.low, found.high) for found in self]
        elif any(metric in found.values for found in self):
            values = [found.values.get(metric) or (None, None, None) for found in self]
        else:
            raise ValueError(f"there is no estimate of {metric!r}: name it among `metrics`")
        ax, label = axes(ax), f"estimated {metric.replace('_', ' ')}"
        band(ax, range(1, len(self) + 1), np.array(values, dtype=float).T, label)
        ax.set_xlabel("window")
        ax.set_ylabel(label)
        ax.set_ylim(0, 1.02)
        return ax

    def _repr_html_(self) -> str:
        from driftline._notebook import table_html

        return table_html(f"{len(self)} windows", [(str(at + 1), str(one), one.code) for at, one in enumerate(self)])


MEASURES = ("accuracy", "balanced_accuracy", "f1", "roc_auc")
# Those that need more than decisions and accuracy.
_FURTHER = ("f1", "roc_auc")


@overload
def estimate(
    model: Any, X_ref: Any, y_ref: Any, X: Any = None, *, metrics: Sequence[str] = ..., window: None = None, seed: int = 0
) -> AccuracyEstimate: ...


@overload
def estimate(
    model: Any, X_ref: Any, y_ref: Any, X: Any = None, *, metrics: Sequence[str] = ..., window: int, seed: int = 0
) -> Estimates: ...


def estimate(
    model: Any,
    X_ref: Any,
    y_ref: Any,
    X: Any = None,
    *,
    metrics: Sequence[str] = ("accuracy",),
    window: int | None = None,
    seed: int = 0,
) -> AccuracyEstimate | Estimates:
    """Estimates the accuracy of a fitted classifier on unlabelled rows, from labelled rows that are moved to look like them.

    The model only predicts and is never trained. It gets rows of the same kind as `X_ref`, with the same columns and types. It
    needs `predict_proba`, `decision_function` or `predict`.

    Parameters
    ----------
    model : fitted classifier
        A scikit-learn pipeline, or anything with its methods.
    X_ref, y_ref : rows and their classes
        Labelled rows like those the model was trained on, preferably not the training rows themselves. The pair
        ``(X_ref, y_ref)`` in one argument is understood as well.
    X : rows
        The unlabelled window.
    metrics : list of {"accuracy", "balanced_accuracy", "f1", "roc_auc"}, default=("accuracy",)
        What `values` is to hold. As in scikit-learn, ``"f1"`` and ``"roc_auc"`` are of the last of two classes; of more than two they
        are the mean over the classes, each against the others. One that the window says nothing of, since it has too few rows of a
        class, is left out.
    window : int, optional
        Cut `X` into windows of this many rows, in the order of time, and estimate each; without it all rows are one window.
    seed : int, default=0
        The same number gives the same estimate.

    Returns
    -------
    AccuracyEstimate, or with `window` a list of them that can be plotted

    Examples
    --------
    >>> import numpy as np, driftline
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(1000) % 2
    >>> X = rng.normal(size=(1000, 2)) + 2 * y[:, None]
    >>> found = driftline.estimate(LogisticRegression().fit(X, y), X, y, X + 0.2)
    >>> found.accuracy is None or 0 <= found.low <= found.accuracy <= found.high <= 1
    True
    """
    if X is None and isinstance(X_ref, tuple):
        (X_ref, y_ref), X = X_ref, y_ref
    if X is None:
        raise TypeError("estimate needs the labelled rows, their classes and the window: estimate(model, X_ref, y_ref, X)")
    metrics = (metrics,) if isinstance(metrics, str) else metrics
    unknown = [str(name) for name in metrics if name not in MEASURES]
    if unknown:
        raise ValueError(f"metrics should be of {', '.join(MEASURES)}, but has {', '.join(unknown)}")
    asked = Asked(model, X_ref, y_ref, X)
    asking = asked.classifier(seed, window, "watched" if {*metrics} & {*_FURTHER} else "guarded")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asking.fit(asked.source, y_ref).adapt(asked.window)
    found = Estimates(_of_record(record, metrics, asked) for record in asking.records_)
    return found if window is not None else found[-1]


def _of_record(record: dict[str, Any], metrics: Sequence[str], asked: Asked) -> AccuracyEstimate:
    accuracy, low, high = (record.get(f"estimated_{name}") for name in ("accuracy", "low", "high"))
    own = record.get("estimate") or {}
    values: dict[str, tuple[float, float, float]] = {}
    if accuracy is not None:
        # The model is never changed, so that both are of the one that was given.
        known: dict[str, Any] = {"accuracy": (accuracy, low, high), "balanced_accuracy": own.get("balanced")}
        known.update(asked.further((record.get("findings") or {}).get("measures") or {}))
        values = {name: tuple(known[name]) for name in metrics if known.get(name) is not None}
    if accuracy is None:
        code = "not-measurable"
    elif None in asked.places:
        code = "unknown-class"
    else:
        code = "doubtful" if record.get("distrusted") else "estimated"
    return AccuracyEstimate(accuracy, low, high, record.get("reason") or "", code, int(record["rows"]), values)


class Asked:
    """Somebody's fitted model, which the library asks through rows that it understands."""

    def __init__(self, model: Any, X_ref: Any, y_ref: Any, X: Any) -> None:
        expect_classifier(model)
        if not any(hasattr(model, name) for name in ("predict_proba", "decision_function", "predict")):
            raise TypeError(f"model should be a fitted classifier, but is a {type(model).__name__}, which cannot predict")
        self.model = model
        self.source, self.window = _tables.rows(X_ref), _tables.rows(X)
        # What is no feature to the library may be one to the model, which is given it with every row.
        self.exclude = _tables.not_numbers_or_texts(self.source)
        self.classes, codes = _classes.coded(y_ref, _tables.count(self.source))
        self.codes = codes.astype(np.int64)[:, np.newaxis]
        own = getattr(model, "classes_", None)
        self.own = self.classes if own is None else np.asarray(own)
        place = {value: at for at, value in enumerate(self.classes.tolist())}
        # Classes that the source lacks have no place: what the model gives them counts for none of ours.
        self.places = [place.get(value) for value in self.own.tolist()]
        if not any(at is not None for at in self.places):
            raise ValueError(
                f"none of the model's classes {self.own.tolist()} is a class of y_ref, which has {self.classes.tolist()}"
            )
        self.decoder: Decoder | None = None
        self.order: list[int] = []

    def further(self, measures: dict[str, Any]) -> dict[str, Any]:
        """F1 and the like of the last of two classes, or the mean of more."""
        last = self.order.index(1) if len(self.order) == 2 else None
        return {name: own["mean"] if last is None else own["classes"][last] for name, own in measures.items()}

    def classifier(self, seed: int, window: int | None, policy: str) -> Any:
        """A classifier whose model is this one, whatever it is given to learn from."""
        from driftline._estimator import DriftClassifier

        found = DriftClassifier(
            model=(self._fit, self._predict_proba),
            window=max(_tables.count(self.window), 1) if window is None else window,
            policy={policy: {"candidates": ["plain"]}},
            settings={"scaling": False, "column-cleaning": {"drop": False, "clip": False}},
            exclude=self.exclude or None,
            impute="mark",
            random_state=seed,
        )
        source = _input.rows(found, self.source, y=np.zeros(_tables.count(self.source)), reset=True)
        label = "label"
        while label in source.names:
            label += "_"
        options, names = json.dumps(_parameters.options(found, seed)), _classes.names_of(self.classes)
        encoding = _driftline.encoding(source.with_codes(label, self.codes, names), label, options)
        how = json.loads(encoding)
        # The library has an order of its own.
        self.order = [names.index(name) for name in how["classes"]]
        self.decoder = Decoder(how, self.source)
        for rows in (self.source, self.window):
            table = _input.rows(found, rows, reset=False)
            inputs, width = _driftline.encoded(table, encoding, True)
            self.decoder.remember(rows, np.frombuffer(inputs, dtype=np.float32).reshape(-1, width))
        return found

    def _fit(self, rows: Array, labels: Array) -> Any:
        return self.model

    def _predict_proba(self, model: Any, rows: Array) -> Array:
        assert self.decoder is not None
        X = self.decoder.rows(rows)
        given = shares(model, X, self.own)
        found = np.zeros((len(rows), len(self.classes)))
        for at, own in zip(self.places, given.T, strict=True):
            if at is not None:
                found[:, at] += own
        sums = found.sum(axis=1, keepdims=True)
        # A row that the model puts into none of the source's classes: all are as likely.
        found = np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), 1.0 / len(self.classes))
        return found[:, self.order]


def shares(model: Any, X: Any, classes: Array) -> Array:
    """Probabilities of whatever a classifier offers."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.stack([-scores / 2, scores / 2], axis=1)
        if scores.shape[1] == len(classes):
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(scores / scores.sum(axis=1, keepdims=True))
    decided = np.asarray(model.predict(X))[:, np.newaxis]
    return np.asarray(decided == np.asarray(classes)[np.newaxis], dtype=np.float64)
