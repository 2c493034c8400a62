"""Following a stream: `adapt`, `flush`, going back, and late answers."""

from __future__ import annotations

import json
import operator
import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline import _driftline, _input, _stream, _tables
from driftline._answer import Answering
from driftline._driftline import Table
from driftline._progress import progress


# How the library reads a class that the source lacks.
_OTHER = "another class"


class Following(Answering):
    """What `DriftClassifier` does with rows that have no classes."""

    def adapt(self, X: Any, *, flush: bool = True) -> Self:
        """Follows a stream without labels, window by window; fewer rows than a window are one window.

        Other threads can predict meanwhile: they see the last version that is finished. A second `adapt` waits for the first.
        Ctrl-C stops it: the windows that were finished are kept, and the model can be used and adapted further.

        Parameters
        ----------
        X : array, frame, row as a dict, or iterator of these
            Rows in the order of time. An iterator of chunks is followed as one stream, a few windows in memory at a time.
        flush : bool, default=True
            Whether the stream ends here. With False, rows that fill no window wait for the next call, so that windows do not
            depend on how a stream is cut into chunks; `flush` ends it. With ``tail="merge"`` the last full window waits too,
            since it would take the rest.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> y = np.arange(200) % 2
        >>> X = rng.normal(size=(200, 2)) + 4 * y[:, None]
        >>> model = DriftClassifier(model="linear", window=50, policy="always", tail="drop").fit(X, y)
        >>> for row in X + 0.5:
        ...     _ = model.adapt(row[None], flush=False)
        >>> model.version_
        4
        """
        check_is_fitted(self)
        whole = None
        if not _stream.is_chunked(X, self.time):
            chunk = self._chunk(X)
            if flush and self._waiting() == 0:
                whole = chunk
            chunks: Any = iter([chunk])
        else:
            chunks = map(self._chunk, X)
        try:
            with progress("adapting", self.verbose) as watch:
                if whole is not None:
                    self._follow(whole, watch)
                else:
                    self._follow_chunks(chunks, flush, watch)
        finally:
            if self._adapter.folder() is not None:
                self._adapter.write_report()
        return self

    def flush(self) -> Self:
        """Ends a stream that came with ``flush=False``: the rows that still wait are its last window.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=30, policy="always").fit(X, y)
        >>> model.adapt(X, flush=False).n_waiting_
        40
        >>> model.flush().n_waiting_
        0
        """
        check_is_fitted(self)
        return self.adapt(iter(()), flush=True)

    def _chunk(self, X: Any) -> Table:
        if isinstance(X, dict):
            return _stream.one_row(X)
        self._input = _tables.kind(X)
        return _input.rows(self, X, reset=False)

    def _follow_chunks(self, chunks: Any, flush: bool, watch: Any) -> None:
        if self._buffer is None:
            self._buffer = _stream.Buffer(self.window, self.tail, self.time)
        columns = self._adapter.columns()
        for chunk in chunks:
            for window in self._buffer.add(chunk, columns):
                self._follow(window, watch)
        if flush:
            for window in self._buffer.rest():
                self._follow(window, watch)

    def _follow(self, stream: Table, watch: Any) -> None:
        """Some windows, of which the rows of the last are kept for `score_window`."""
        try:
            notes = self._adapter.adapt(stream, watch)
        finally:
            self._arrived = None
            rows = int(self._last().get("rows", 0))
            if 0 < rows <= len(stream) and self.time is None:
                self._arrived = _driftline.hold(stream.slice(len(stream) - rows, len(stream)))
        for note in notes:
            warnings.warn(f"stream: {note}", UserWarning, stacklevel=4)

    def score_window(self, y: Any) -> dict[str, Any]:
        """Accuracy on the last window by late labels; nothing learns from them.

        Parameters
        ----------
        y : array of shape (rows of the window,)
            The classes of the last window's rows, in the order in which they came.

        Returns
        -------
        dict
            `window`, `rows`, and the accuracy of three versions: `served` (in use when the window came), `adapted` (in use now) and
            `unadapted` (the source model).

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40, policy="always").fit(X, y).adapt(X)
        >>> model.score_window(y)["served"]
        1.0
        """
        check_is_fitted(self)
        rows = self._arrived
        if rows is None:
            why = "rows with times may be sorted, so score them by predict" if self.time is not None else "no window was followed"
            raise ValueError(f"there are no rows of a last window: {why}")
        answers = np.asarray(_input.values(y))
        if answers.shape != (len(rows),):
            raise ValueError(f"the last window has {len(rows)} rows, but y has the shape {answers.shape}")
        window = int(self._last()["window"])
        served = self._adapter.served(window)

        def right(version: int | None) -> float | None:
            if version is None:
                return None
            found, _ = self._answers(self._adapter.predict_with(rows, version))
            return float((self.classes_[found] == answers).mean())

        return {
            "window": window,
            "rows": len(answers),
            "served": right(served),
            "adapted": right(self.version_),
            "unadapted": right(0),
        }

    @property
    def ask_(self) -> list[dict[str, Any]]:
        """The rows whose labels the policy wants (``"guarded"`` asks where labels would settle a decision), without those that have
        one: `window` from 1, `row` from 0 in its window, and the `weight` of rows that it stands for."""
        check_is_fitted(self)
        found = json.loads(self._adapter.asked())
        return [{"window": line["window"], "row": line["window_row"] - 1, "weight": line["weight"]} for line in found]

    def label(self, rows: Any, y: Any) -> Self:
        """Gives labels of rows that were asked for; the next decision uses them.

        Parameters
        ----------
        rows : list of dict or of pairs
            Some of `ask_`, or pairs of a window (from 1) and a row in it (from 0).
        y : array of shape (rows,)
            Their classes; any other value stands for a class that the source lacks.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40, policy="guarded").fit(X, y).adapt(X)  # doctest: +SKIP
        >>> asked = model.ask_  # doctest: +SKIP
        >>> model.label(asked, [y[one["row"]] for one in asked]).ask_  # doctest: +SKIP
        []
        """
        check_is_fitted(self)
        places = [(one["window"], one["row"]) if isinstance(one, dict) else tuple(one) for one in rows]
        names = dict(zip(self.classes_.tolist(), self._names, strict=True))
        labels = [names.get(value, _OTHER) for value in np.asarray(_input.values(y)).tolist()]
        self._adapter.label([(int(window), int(row) + 1) for window, row in places], labels)
        return self

    def roll_back(self, n: int) -> Self:
        """Goes back to an earlier version. Nothing is deleted.

        Parameters
        ----------
        n : int
            The version; 0 is the source model, and window N made version N.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftline import DriftClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.1]] * 10, [0, 0, 1, 1] * 10
        >>> model = DriftClassifier(model="linear", window=40, policy="always").fit(X, y).adapt(X)
        >>> model.roll_back(0).version_
        0
        """
        check_is_fitted(self)
        to = operator.index(n)
        if not 0 <= to <= self._adapter.windows():
            raise ValueError(f"the version should be from 0 (the source model) to {self._adapter.windows()}, but is {to}")
        self._adapter.roll_back(to)
        return self
