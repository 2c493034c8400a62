"""From what people have (numpy, pandas, polars, pyarrow) to the library's table, without a copy where layout allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from driftline._driftline import Table


def is_frame(X: Any) -> bool:
    """Whether X has columns with names: a data frame or an Arrow table."""
    return hasattr(X, "__arrow_c_stream__") or hasattr(X, "iloc")


def column_names(X: Any) -> list[str]:
    """The names of a frame's columns; those that are no text are positions."""
    names = X.column_names if hasattr(X, "column_names") else list(X.columns)
    if all(isinstance(name, str) for name in names):
        return [str(name) for name in names]
    return positions(len(names))


def positions(width: int) -> list[str]:
    """The names of columns that have none."""
    return [f"c{at}" for at in range(width)]


def table(X: Any, names: list[str] | None = None, *, allow_nan: bool = False) -> Table:
    """X as a table. An array's columns get `names`, or c0, c1, …"""
    if is_frame(X):
        return _of_frame(X, column_names(X))
    if getattr(X, "ndim", 2) in (3, 4) and not hasattr(X, "__dataframe__"):
        return _of_images(np.asarray(X))
    array = np.asarray(X)
    if array.dtype not in (np.float32, np.float64):
        array = check_array(array, dtype=np.float64, ensure_all_finite=False)
    return Table.from_array(array, names or positions(array.shape[1]))


def _of_images(images: np.ndarray[Any, Any]) -> Table:
    if images.ndim == 3:
        images = images[..., np.newaxis]
    rows = np.ascontiguousarray(images, dtype=np.float32)
    height, width, channels = rows.shape[1:]
    return Table.from_images(rows, height, width, channels)


def _of_frame(X: Any, names: list[str]) -> Table:
    if not hasattr(X, "iloc"):
        return Table.from_arrow(X)
    numbers = _plain_numbers(X)
    if numbers is not None:
        return Table.from_array(numbers, names)
    found = Table.empty()
    for at, name in enumerate(names):
        found = _with_column(found, name, X.iloc[:, at])
    return found


def _plain_numbers(X: Any) -> np.ndarray[Any, Any] | None:
    """The one block that a pandas frame of floats lies in."""
    kinds = {str(kind) for kind in X.dtypes}
    if kinds == {"float32"} or kinds == {"float64"}:
        values: np.ndarray[Any, Any] = X.to_numpy()
        return values
    return None


def _with_column(found: Table, name: str, column: Any) -> Table:
    """One column of pandas, whatever it holds."""
    kind = column.dtype
    if getattr(kind, "kind", "O") in "biuf" and not hasattr(kind, "categories"):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return found.with_numbers(name, np.ascontiguousarray(values).reshape(-1, 1))
    if getattr(kind, "kind", "O") == "M":
        texts = column.map(lambda moment: moment.isoformat(), na_action="ignore")
    else:
        texts = column
    return found.with_texts(name, [None if _is_missing(v) else str(v) for v in texts])


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def row_count(X: Any) -> int:
    """How many rows X has."""
    return int(X.num_rows) if hasattr(X, "num_rows") else len(X)
