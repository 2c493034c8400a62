"""Choosing settings by what matters: how well a model does along a stream, each window predicted before it is learned from.

>>> import numpy as np
>>> from sklearn.model_selection import GridSearchCV
>>> from driftline import DriftClassifier
>>> from driftline.model_selection import TimeSplit, stream_score
>>> rng = np.random.default_rng(0)
>>> y = np.arange(900) % 2
>>> X = rng.normal(size=(900, 2)) + 3 * y[:, None] + np.linspace(0, 3, 900)[:, None]
>>> search = GridSearchCV(
...     DriftClassifier(model="linear", policy="always"), {"window": [50, 100]}, scoring=stream_score, cv=TimeSplit(1)
... )
>>> search.fit(X, y).best_params_["window"] in (50, 100)
True

A search needs answers for the stream, which only the scores see: models are given rows alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted

from driftline import _adapt, _driftline, _frames, _input, _tables

__all__ = ["TimeSplit", "confidence_score", "estimated_score", "stream_predict", "stream_score"]

Array = np.ndarray[Any, Any]


def stream_predict(model: Any, X: Any) -> tuple[Array, Array]:
    """Follows a stream with a copy of a fitted model, and predicts every window by the version that stood before it.

    Parameters
    ----------
    model : fitted DriftClassifier, or a pipeline or a search with one at its end
        It stays as it is.
    X : array or frame
        The stream, in the order of time.

    Returns
    -------
    classes : array of shape (rows,)
    probabilities : array of shape (rows, classes)
    """
    follower = _follower(model)
    X = _tables.settled(X)
    shares = np.empty((_tables.count(X), len(follower.classes_)), dtype=np.float32)
    for rows in _windows(_adapt.parts(follower)[1], X):
        window = _frames.take(X, rows)
        shares[rows] = follower.predict_proba(window)
        _adapt.adapt(follower, window)
    return follower.classes_[shares.argmax(axis=1)], shares


def stream_score(
    model: Any, stream: Any, y: Any, scoring: str | Callable[..., float] = "accuracy", sample_weight: Any = None
) -> float:
    """Scores a fitted model along a stream, each window predicted by the version before it.

    The signature is that of a scorer, so that searches of scikit-learn take it as it is: ``scoring=stream_score``. For another
    measure, ``scoring=functools.partial(stream_score, scoring="balanced_accuracy")``.

    Parameters
    ----------
    model : fitted DriftClassifier, or a pipeline or a search with one at its end
        It stays as it is: a copy follows the stream.
    stream : array or frame
        Rows in the order of time.
    y : array of shape (rows,)
        Their classes, which only the score sees.
    scoring : str or callable, default="accuracy"
        A measure of scikit-learn, by its name or as a scorer.
    sample_weight : array of shape (rows,), optional
        How much each row counts in the score.

    Returns
    -------
    float
    """
    classes, shares = stream_predict(model, stream)
    said = _Said(model.classes_, classes, shares)
    scorer = check_scoring(said, scoring=scoring)
    given = {} if sample_weight is None else {"sample_weight": sample_weight}
    return float(scorer(said, np.zeros((len(classes), 1)), _input.values(y), **given))


def estimated_score(model: Any, stream: Any, y: Any = None) -> float:
    """The mean of the accuracies that a policy estimates along a stream: a scorer for searches that needs no classes.

    Parameters
    ----------
    model : fitted DriftClassifier, or a pipeline or a search with one at its end
        It stays as it is: a copy follows the stream. Its policy must estimate, as ``"guarded"`` does.
    stream : array or frame
        Rows in the order of time.
    y : ignored
        Searches pass it; it is never looked at.

    Returns
    -------
    float

    Examples
    --------
    >>> from driftline import DriftClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(600) % 2
    >>> X = rng.normal(size=(600, 2)) + 3 * y[:, None]
    >>> model = DriftClassifier(model="linear", window=100, policy="guarded").fit(X[:300], y[:300])
    >>> 0.8 < estimated_score(model, X[300:]) <= 1
    True
    """
    follower = _adapt.adapt(_follower(model), stream)
    records = _adapt.parts(follower)[1].records_
    found = [record["estimated_accuracy"] for record in records if record.get("estimated_accuracy") is not None]
    if not found:
        raise ValueError("no window has an estimate: choose a policy that estimates, such as 'guarded'")
    return float(np.mean(found))


def confidence_score(model: Any, stream: Any, y: Any = None) -> float:
    """The mean of the highest probabilities along a stream, each window asked before it is learned from: needs no classes.

    A model that is sure of the wrong class scores high, so trust `estimated_score` more.

    Parameters
    ----------
    model : fitted DriftClassifier, or a pipeline or a search with one at its end
    stream : array or frame
        Rows in the order of time.
    y : ignored

    Returns
    -------
    float

    Examples
    --------
    >>> from driftline import DriftClassifier
    >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
    >>> 0.5 <= confidence_score(DriftClassifier(model="linear", window=40).fit(X, y), np.array(X)) <= 1
    True
    """
    return float(stream_predict(model, stream)[1].max(axis=1).mean())


def _follower(model: Any) -> Any:
    """A copy that may follow a stream without a trace."""
    check_is_fitted(model)
    found = copy.deepcopy(model)
    _adapt.parts(found)[1].set_params(folder=None)
    return found


class TimeSplit:
    """Cuts labelled rows in the order of time: each time a source at the beginning, and what comes after it as a stream.

    Parameters
    ----------
    n_splits : int, default=3
        How many sources, each longer than the one before.
    source : float, default=0.5
        The share of the rows that the longest source has.
    stream : int, optional
        Rows of each stream; all that are left if absent.

    Examples
    --------
    >>> [(len(source), len(stream)) for source, stream in TimeSplit(2).split(np.zeros((100, 1)))]
    [(25, 75), (50, 50)]
    """

    def __init__(self, n_splits: int = 3, *, source: float = 0.5, stream: int | None = None) -> None:
        if n_splits < 1 or not 0 < source < 1 or (stream is not None and stream < 1):
            raise ValueError(f"n_splits and stream should be at least 1 and source between 0 and 1, but are {n_splits}, {stream}, {source}")
        self.n_splits = n_splits
        self.source = source
        self.stream = stream

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many pairs `split` gives."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:
        """Places of the rows of each source and its stream. Rows of one of `groups`, such as a day, are not parted."""
        rows = _tables.count(_tables.settled(X))
        for part in range(1, self.n_splits + 1):
            end = int(round(rows * self.source * part / self.n_splits))
            if groups is not None:
                groups = np.asarray(groups)
                while 0 < end < rows and groups[end] == groups[end - 1]:
                    end += 1
            last = rows if self.stream is None else min(rows, end + self.stream)
            if not 0 < end < last:
                raise ValueError(f"{rows} rows are too few for {self.n_splits} sources and streams")
            yield np.arange(end), np.arange(end, last)


def _windows(model: Any, X: Any) -> Iterator[Array]:
    """The places of the rows of each window, as `adapt` would cut the stream."""
    rows = _tables.count(X)
    if isinstance(model.window, str):
        _, periods = _driftline.periods(_tables.table(X), model.time or "", model.window)
        order = np.argsort(np.array(periods), kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(np.array(periods)[order])) + 1)
        return
    full = max(rows // model.window, 1)
    ends = [model.window * at for at in range(1, full)]
    if model.tail != "merge" and rows > full * model.window:
        # What a tail is not learned from is predicted all the same.
        ends.append(full * model.window)
    yield from np.split(np.arange(rows), ends)


class _Said(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What was predicted, as the estimator that measures of scikit-learn ask."""

    def __init__(self, classes: Array, found: Array, shares: Array) -> None:
        self.classes_ = classes
        self.found = found
        self.shares = shares

    def fit(self, X: Any, y: Any) -> Any:
        return self

    def predict(self, X: Any) -> Array:
        return self.found

    def predict_proba(self, X: Any) -> Array:
        return self.shares
