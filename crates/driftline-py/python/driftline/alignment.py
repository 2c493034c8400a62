"""Alignments as transformers: rows of later windows are brought to where the source was, for any model that follows.

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.pipeline import make_pipeline
>>> from driftline.alignment import StandardizeTo
>>> rng = np.random.default_rng(0)
>>> y = np.arange(400) % 2
>>> X = rng.normal(size=(400, 2)) + 3 * y[:, None]
>>> model = make_pipeline(StandardizeTo(), LogisticRegression()).fit(X, y)
>>> model.score(X * 2 + 10, y) > 0.9
True

`fit` keeps the source; `transform` looks at all rows that it is given, as one window, so rows one by one make no sense. A
`DriftClassifier` does the same between two windows (``alignment="standardize"``), and remembers.
"""

from __future__ import annotations

import json
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from driftline import _driftline, _tables

__all__ = ["CoralTo", "QuantilesTo", "StandardizeTo", "SubspaceTo"]

Array = np.ndarray[Any, Any]
_LABEL = "label"


class _To(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the alignments have in common."""

    _name = ""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keeps the source.

        Parameters
        ----------
        X : array or frame of numbers
        y : ignored

        Returns
        -------
        self
        """
        source = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=4)
        self.source_: Array = source.copy()
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> Array:
        """Keeps the source and returns it unchanged.

        Parameters
        ----------
        X : array or frame of numbers
        y : ignored

        Returns
        -------
        array of shape (rows, columns)
        """
        return self.fit(X).source_.copy()

    def transform(self, X: Any) -> Array:
        """Aligns a window with the source.

        Parameters
        ----------
        X : array or frame of numbers
            All rows of one window.

        Returns
        -------
        array of shape (rows, columns)
        """
        check_is_fitted(self)
        window = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        names = _tables.positions(window.shape[1])
        # The library reads sources with classes; these are not looked at.
        classes = (np.arange(len(self.source_), dtype=np.int64) % 2)[:, np.newaxis]
        source = _driftline.Table.from_array(self.source_, names).with_codes(_LABEL, classes, ["a", "b"])
        how = {self._name: self._settings()}
        found, width = _driftline.align(json.dumps(how), source, _driftline.Table.from_array(window, names), _LABEL)
        return np.frombuffer(found, dtype=np.float32).reshape(-1, width).astype(window.dtype)

    def _settings(self) -> dict[str, Any]:
        return {}


class StandardizeTo(_To):
    """Gives every column the mean and the deviation that it has in the source.

    It follows columns that are shifted or stretched, and is wrong where the shares of the classes change.

    Parameters
    ----------
    clip : float, default=4.0
        Limit of a value, in standard deviations of the source.
    """

    _name = "standardize"

    def __init__(self, clip: float = 4.0) -> None:
        self.clip = clip

    def _settings(self) -> dict[str, Any]:
        return {"clip": float(self.clip)}


class QuantilesTo(_To):
    """Gives every column the distribution that it has in the source, by quantiles."""

    _name = "quantiles"


class CoralTo(_To):
    """Gives the window the means and the covariances of the source (correlation alignment)."""

    _name = "coral"


class SubspaceTo(_To):
    """Turns the window's main directions to those of the source (subspace alignment)."""

    _name = "subspace"
