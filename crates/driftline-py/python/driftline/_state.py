"""What a fitted model knows of itself and of its windows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline import _stream
from driftline._driftline import Adapter, Table
from driftline._history import history_table

Array = np.ndarray[Any, Any]


class State:
    """The parts of `DriftClassifier` share these."""

    window: int | str
    tail: str
    time: str | None
    encode: bool | None
    folder: str | Path | None
    model: Any
    random_state: Any
    verbose: bool
    classes_: Array
    n_features_in_: int
    feature_names_in_: Array
    _adapter: Adapter
    _buffer: _stream.Buffer | None
    #: The rows of the last window.
    _arrived: Table | None
    #: Where the library's classes, which have an order of their own, stand among ours, and the other way round.
    _places: Array
    _order: Array
    _names: list[str]
    _seed: int
    #: Which library the rows were of.
    _input: str

    def __sklearn_is_fitted__(self) -> bool:
        return "_adapter" in self.__dict__

    def _take(self, adapter: Adapter, seed: int, classes: Array, names: list[str], kind: str) -> None:
        """What is known of a model that was fitted or loaded."""
        place = {name: at for at, name in enumerate(names)}
        self._places = np.array([place[name] for name in adapter.classes()])
        self._order = np.argsort(self._places)
        self.classes_ = classes
        self._names = names
        self._seed = seed
        self._input = kind
        self._buffer = None
        self._arrived = None
        self._adapter = adapter

    @property
    def history_(self) -> Any:
        """A row for each window so far."""
        check_is_fitted(self)
        return history_table(json.loads(self._adapter.records()), self._input)

    @property
    def records_(self) -> list[dict[str, Any]]:
        """All that is known of each window, as in the run folder's ``windows.jsonl``."""
        check_is_fitted(self)
        found: list[dict[str, Any]] = json.loads(self._adapter.records())
        return found

    def _last(self) -> dict[str, Any]:
        """The record of the last window."""
        check_is_fitted(self)
        records = json.loads(self._adapter.records(max(0, self._adapter.windows() - 1)))
        return dict(records[-1]) if records else {}

    @property
    def decision_(self) -> dict[str, Any]:
        """The last verdict and its reason."""
        last = self._last()
        return {
            "window": last.get("window", 0),
            "decision": last.get("decision"),
            "reason": last.get("reason"),
            "candidate": last.get("candidate"),
            "version": self._adapter.version(),
        }

    @property
    def verdict_(self) -> dict[str, Any] | None:
        """What to do and why, with the numbers behind it; none before the first window."""
        check_is_fitted(self)
        found: dict[str, Any] | None = json.loads(self._adapter.verdict())
        return found

    @property
    def estimated_accuracy_(self) -> tuple[float, float, float] | None:
        """Estimate, low and high for the last window."""
        last = self._last()
        if last.get("estimated_accuracy") is None:
            return None
        return (last["estimated_accuracy"], last["estimated_low"], last["estimated_high"])

    @property
    def version_(self) -> int:
        """The version in use; 0 is the source model."""
        check_is_fitted(self)
        return self._adapter.version()

    @property
    def n_waiting_(self) -> int:
        """Rows that wait for their window."""
        check_is_fitted(self)
        return self._waiting()

    def _waiting(self) -> int:
        return len(self._buffer) if self._buffer is not None else 0
