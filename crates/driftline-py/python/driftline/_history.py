"""The records of a run's windows as a table of the kind that the user works with."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

# What is worth a column; everything is in the records.
COLUMNS = [
    "window",
    "rows",
    "decision",
    "candidate",
    "reason",
    "estimated_accuracy",
    "estimated_low",
    "estimated_high",
    "kept",
    "disagreement",
    "flips",
    "confidence_before",
    "confidence_after",
    "confidence_unadapted",
    "from",
    "to",
]


def _moment(value: str | None) -> Any:
    """A date where it is one; times may be numbers."""
    try:
        # Times of a stream are in UTC, and so are those that have no zone.
        return None if value is None else datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return float(value) if value is not None else None


def history_table(records: list[dict[str, Any]], kind: str) -> Any:
    """A pandas or polars frame, a pyarrow table, or an array of records where nothing came in but arrays."""
    columns = {name: [record.get(name) for record in records] for name in COLUMNS}
    columns = {name: values for name, values in columns.items() if name not in ("from", "to") or any(values)}
    for name in ("from", "to"):
        if name in columns:
            columns[name] = [_moment(value) for value in columns[name]]
    if kind == "polars":
        import polars

        return polars.DataFrame(columns, strict=False)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    try:
        import pandas
    except ImportError:
        names = list(columns)
        rows = [tuple(values[at] for values in columns.values()) for at in range(len(records))]
        return np.array(rows, dtype=[(name, object) for name in names])
    return pandas.DataFrame(columns)
