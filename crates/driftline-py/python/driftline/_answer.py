"""Predicting with the version in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline import _input, _stream
from driftline._state import Array, State


class Answering(State):
    """What `DriftClassifier` says about rows."""

    def predict(self, X: Any, sample_domain: Any = None) -> Array:
        """The class of every row, by the version in use.

        Parameters
        ----------
        X : array, frame, or row as a dict
        sample_domain : ignored
            Accepted as in skada.

        Returns
        -------
        array of shape (rows,)

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear").fit(X, y).predict([[1.0]])
        array([1])
        """
        found, _ = self._predict(X)
        return self.classes_[found]

    def predict_proba(self, X: Any, sample_domain: Any = None) -> Array:
        """The probabilities of the classes, by the version in use.

        Parameters
        ----------
        X : array, frame, or row as a dict
        sample_domain : ignored
            Accepted as in skada.

        Returns
        -------
        array of shape (rows, classes)
            In the order of `classes_`.

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear").fit(X, y).predict_proba([[1.0]]).shape
        (1, 2)
        """
        return self._predict(X)[1]

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        array of shape (rows, classes)

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> bool((DriftClassifier(model="linear").fit(X, y).predict_log_proba(X) <= 0).all())
        True
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Array:
        """Scores whose order is that of the probabilities.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        array
            Log odds of the second class where there are two classes, else the logarithm of every class's probability.

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> bool(DriftClassifier(model="linear").fit(X, y).decision_function([[1.0]])[0] > 0)
        True
        """
        shares = self.predict_proba(X).astype(np.float64)
        scores: Array = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _predict(self, X: Any) -> tuple[Array, Array]:
        check_is_fitted(self)
        rows = _stream.one_row(X) if isinstance(X, dict) else _input.rows(self, X, reset=False)
        return self._answers(self._adapter.predict(rows))

    def _answers(self, given: tuple[bytearray, bytearray, int]) -> tuple[Array, Array]:
        found, probabilities, n_classes = given
        shares = np.frombuffer(probabilities, dtype=np.float32).reshape(-1, n_classes)
        return self._places[np.frombuffer(found, dtype=np.uint32)], shares[:, self._order]
