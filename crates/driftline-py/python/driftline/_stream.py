"""A stream as it comes: chunks of any size become the windows that the whole stream would have.

With windows of rows and `tail="merge"` the last full window waits for the next one, because it may have to take the rest of the
stream; with the other tails a window is followed as soon as it is full. Windows of time are followed when a later row comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftline import _driftline, _tables
from driftline._driftline import Table


class Buffer:
    """Rows that wait for their window. They are copied: arrays may be used again by whoever passed them."""

    def __init__(self, window: int | str, tail: str, time: str | None) -> None:
        self.window = window
        self.tail = tail
        self.time = time
        self.tables: list[Table] = []
        #: Where windows of time are counted from, and the one that is open.
        self.first: float | None = None
        self.open = 0

    def __len__(self) -> int:
        return sum(len(table) for table in self.tables)

    def add(self, rows: Table, columns: list[str]) -> Iterator[Table]:
        """Takes rows in; gives the windows that are complete now."""
        wanted = [*columns, *([self.time] if self.time is not None and self.time not in columns else [])]
        missing = [f"`{name}`" for name in wanted if name not in rows.names]
        if missing:
            raise ValueError(f"the stream lacks the columns {', '.join(missing)}")
        rows = rows.select(wanted)
        if isinstance(self.window, str):
            yield from self._by_time(rows, self.window)
            return
        self.tables.append(_driftline.hold(rows))
        waits = 2 * self.window if self.tail == "merge" else self.window
        while len(self) >= waits:
            yield self._take(self.window)

    def rest(self) -> Iterator[Table]:
        """What is left of the stream, as its last window."""
        rows = len(self)
        if rows and not (self.tail == "drop" and not isinstance(self.window, str)):
            yield self._take(rows)
        self.tables, self.first, self.open = [], None, 0

    def _by_time(self, rows: Table, every: str) -> Iterator[Table]:
        if self.time is None:
            raise ValueError("windows of a period need a column of times: name it with `time`")
        self.first, places = _driftline.periods(rows, self.time, every, self.first)
        # A row that comes late belongs to the window that is open.
        periods = np.maximum.accumulate(np.maximum(np.array(places, dtype=np.int64), self.open))
        held = _driftline.hold(rows)
        starts = [0, *(np.flatnonzero(np.diff(periods)) + 1), len(periods)]
        for start, end in zip(starts, starts[1:], strict=False):
            if periods[start] > self.open and self.tables:
                yield self._take(len(self))
            self.open = int(periods[start])
            self.tables.append(held.slice(start, int(end)))

    def _take(self, rows: int) -> Table:
        """The first rows, joined."""
        parts = []
        while rows:
            first = self.tables[0]
            parts.append(first.slice(0, rows))
            rows -= len(parts[-1])
            if len(parts[-1]) == len(first):
                self.tables.pop(0)
            else:
                self.tables[0] = first.slice(len(parts[-1]), len(first))
        return _driftline.joined(parts)

    # Pickling: the rows as plain values.

    def __getstate__(self) -> dict[str, Any]:
        tables = [(_driftline.plain(table), len(table)) for table in self.tables]
        return {**self.__dict__, "tables": tables}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables = [_driftline.of_plain(columns, rows) for columns, rows in state["tables"]]


def is_chunked(X: Any, time: str | None) -> bool:
    """Whether X gives chunks one after another: an iterator, a list of frames, a reader of a file in chunks, or a reader of Arrow batches. The latter
    is read whole where rows have times, by which a table is sorted."""
    if hasattr(X, "read_next_batch"):
        return time is None
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and _tables.is_frame(X[0])
    return hasattr(X, "__next__")


def one_row(row: dict[str, Any]) -> Table:
    """A row by the names of its columns."""
    found = Table.empty()
    for name, value in row.items():
        if value is None or isinstance(value, (bool, int, float, np.number, np.bool_)):
            found = found.with_numbers(name, np.array([[np.nan if value is None else float(value)]]))
        elif hasattr(value, "isoformat"):
            moment = np.datetime64(value.isoformat(), "us") if getattr(value, "tzinfo", None) is None else None
            found = found.with_texts(name, [value.isoformat()]) if moment is None else found.with_times(
                name, moment.astype(np.int64).reshape(1, 1)
            )
        elif isinstance(value, (list, tuple, dict, set, np.ndarray)):
            raise TypeError(f"a row has one value for each column, but `{name}` is a {type(value).__name__}")
        else:
            found = found.with_texts(name, [str(value)])
    return found
