"""What a model shows: the report, charts, and its view in a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from driftline._state import State


class Showing(State):
    """How `DriftClassifier` is looked at."""

    def report(self, path: str | Path | None = None) -> str:
        """The same page as the program's, a single HTML file.

        Parameters
        ----------
        path : path, optional
            Where to write it.

        Returns
        -------
        str

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> DriftClassifier(model="linear", window=40).fit(X, y).adapt(X).report()[:15]
        '<!DOCTYPE html>'
        """
        check_is_fitted(self)
        html = self._adapter.report()
        if path is not None:
            Path(path).write_text(html, encoding="utf-8")
        return html

    def plot_history(self, ax: Any = None) -> Any:
        """Draws the estimated accuracy along the windows with its interval, and what was decided in each.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones if absent.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40).fit(X, y).adapt(X)
        >>> model.plot_history().get_xlabel()  # doctest: +SKIP
        'window'
        """
        from driftline import _plots

        return _plots.history(self.records_, ax)

    def plot_drift(self, ax: Any = None) -> Any:
        """Draws how far the columns that moved most have moved from the source, in its deviations.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones if absent.

        Returns
        -------
        matplotlib axes

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40).fit(X, y).adapt(X)
        >>> model.plot_drift().get_xlabel()  # doctest: +SKIP
        'window'
        """
        from driftline import _plots

        return _plots.drift(self.records_, ax)

    def _repr_html_(self) -> str:
        """The verdict and the charts; before the first window, what scikit-learn shows."""
        if not self.__sklearn_is_fitted__() or self._adapter.windows() == 0:
            return str(self._repr_html_inner()) if hasattr(self, "_repr_html_inner") else repr(self)
        from driftline._notebook import summary_html

        return summary_html(json.loads(self._adapter.summary()))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
