"""How a fleet stands, and the estimators of its streams."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftline import _classes, _driftline
from driftline._estimator import DriftClassifier
from driftline._models import learner


@dataclass(frozen=True, kw_only=True)
class Result:
    """The state of a fleet's streams. The same call retries failed ones."""

    folder: Path
    streams: int
    #: All that came to their end, held or not.
    done: int
    failed: int
    held: int
    #: A row for every stream, as in ``streams.json``.
    rows: list[dict[str, Any]]
    #: A model of your own, which streams are loaded with, and the classes as a frame had them.
    model: Any = field(default=None, repr=False)
    classes: Any = field(default=None, repr=False)

    def __getitem__(self, key: str) -> DriftClassifier:
        """The estimator of a stream: all of its windows, with the version that is in use at its end.

        Changes to it are its own: the fleet's folder stays as it is.
        """
        if key not in self:
            raise KeyError(f"the fleet has no stream {key!r}")
        own = None if self.model is None else learner(self.model)
        with tempfile.TemporaryDirectory(prefix="driftline-") as place:
            folder = Path(place, "run")
            _driftline.extract_stream(self.folder, key, folder, own)
            found = DriftClassifier.load(folder, model=self.model, trusted=True)
        if self.classes is not None:
            found._take(found._adapter, found._seed, self.classes, _classes.names_of(self.classes), "pandas")
        return found

    def __contains__(self, key: object) -> bool:
        return any(row["key"] == key for row in self.rows)

    def __iter__(self) -> Iterator[str]:
        return (row["key"] for row in self.rows)

    def __len__(self) -> int:
        return self.streams

    def __repr__(self) -> str:
        counts = f"{self.streams} streams: {self.done} done, {self.failed} failed, {self.held} held"
        return f"{type(self).__name__}({str(self.folder)!r}, {counts})"
