"""From what people have (numpy, pandas, polars, pyarrow) to the library's table, without a copy where layout allows.

The same column means the same in every kind of frame: numbers, truth values and decimals are numbers, texts and categories are
categories, moments are moments, and a column in which everything is missing is a column of missing numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from driftline._driftline import Table

_NO_FEATURE = "which cannot be a feature; drop it, or convert it to numbers or text"
# What pandas finds in a column of objects.
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"}
_MOMENTS = {"datetime", "datetime64", "date"}
_NOTHING = {"timedelta", "timedelta64", "time", "period", "interval", "bytes", "complex"}


def is_frame(X: Any) -> bool:
    """Whether X has columns with names: a data frame or an Arrow table, or what becomes one when it is asked."""
    return hasattr(X, "__arrow_c_stream__") or hasattr(X, "iloc") or _is_lazy(X) or hasattr(X, "to_batches")


def _is_lazy(X: Any) -> bool:
    return hasattr(X, "collect") and hasattr(X, "collect_schema")


def settled(X: Any) -> Any:
    """X as something that can be gone through more than once: what is lazy is collected, what flows is read."""
    if _is_lazy(X):
        return X.collect()
    if hasattr(X, "read_all"):
        return X.read_all()
    if not hasattr(X, "__arrow_c_stream__") and hasattr(X, "to_table"):
        return X.to_table()
    return X


def kind(X: Any) -> str:
    """Which library X is of: what comes out is of the same."""
    return type(X).__module__.split(".")[0] if is_frame(X) else "numpy"


def positions(width: int) -> list[str]:
    """The names of columns that have none."""
    return [f"c{at}" for at in range(width)]


def frame(X: Any) -> tuple[Table, bool]:
    """A frame as a table, and whether its columns have names of their own; names that are no texts are positions."""
    if getattr(X, "ndim", 2) == 1 or type(X).__name__ == "Series":
        raise ValueError("Expected 2D array, got 1D array instead: a frame with one column is needed, not a column")
    if not hasattr(X, "iloc"):
        return Table.from_arrow(_portable(X)), True
    named = all(isinstance(name, str) for name in X.columns)
    names = [str(name) for name in X.columns] if named else positions(len(X.columns))
    numbers = _one_block(X)
    if numbers is not None:
        return Table.from_array(numbers, names), named
    found = Table.empty()
    for at, name in enumerate(names):
        found = _with_column(found, name, X.iloc[:, at])
    return found, named


def _portable(X: Any) -> Any:
    """A frame whose columns of polars' own types are of types that Arrow has everywhere."""
    if kind(X) != "polars":
        return X
    import polars

    own = [getattr(polars, name) for name in ("Null", "Int128", "UInt128") if hasattr(polars, name)]
    return X.with_columns(polars.col(*own).cast(polars.Float64))


def table(X: Any, names: list[str] | None = None) -> Table:
    """X as a table. An array's columns get `names`, or c0, c1, …"""
    if is_frame(X):
        return frame(settled(X))[0]
    if getattr(X, "ndim", 2) in (3, 4) and not hasattr(X, "__dataframe__"):
        return _of_images(np.asarray(in_shares(X)))
    array = np.asarray(X)
    if array.dtype not in (np.float32, np.float64):
        array = check_array(array, dtype=np.float64, ensure_all_finite=False)
    return Table.from_array(array, names or positions(array.shape[1]))


def in_shares(images: Any) -> Any:
    """Images of whole numbers up to 255 as the library has them, with values from 0 to 1."""
    return images.astype(np.float32) / 255 if images.dtype == np.uint8 else images


def _of_images(images: np.ndarray[Any, Any]) -> Table:
    if images.ndim == 3:
        images = images[..., np.newaxis]
    rows = np.ascontiguousarray(images, dtype=np.float32)
    height, width, channels = rows.shape[1:]
    return Table.from_images(rows, height, width, channels)


def _one_block(X: Any) -> np.ndarray[Any, Any] | None:
    """The one block that a pandas frame of floats lies in."""
    kinds = {str(kind) for kind in X.dtypes}
    if kinds == {"float32"} or kinds == {"float64"}:
        values: np.ndarray[Any, Any] = X.to_numpy()
        return values
    return None


def _with_column(found: Table, name: str, column: Any) -> Table:
    """One column of pandas, whatever it holds."""
    from pandas.api import types

    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return found.with_numbers(name, _lent(column.to_numpy()))
    if hasattr(kind, "categories"):
        codes = column.cat.codes.to_numpy(dtype=np.int64)
        return found.with_codes(name, codes[:, np.newaxis], [text(value) for value in kind.categories])
    if types.is_datetime64_any_dtype(kind):
        return _with_times(found, name, column)
    if types.is_timedelta64_dtype(kind) or types.is_complex_dtype(kind):
        raise TypeError(f"column `{name}` holds {kind}, {_NO_FEATURE}")
    if types.is_bool_dtype(kind) or types.is_numeric_dtype(kind):
        return found.with_numbers(name, _lent(column.to_numpy(dtype=np.float64, na_value=np.nan)))
    held = types.infer_dtype(column, skipna=True)
    if held in _NOTHING:
        raise TypeError(f"column `{name}` holds {held} values, {_NO_FEATURE}")
    if held in _NUMBERS:
        values = [np.nan if is_missing(value) else float(value) for value in column]
        return found.with_numbers(name, np.array(values, dtype=np.float64)[:, np.newaxis])
    if held in _MOMENTS:
        return _with_times(found, name, column)
    import pandas

    try:
        codes, texts = pandas.factorize(column)
    except TypeError:
        odd = next(type(value).__name__ for value in column if type(value).__hash__ is None)
        raise TypeError(f"column `{name}` holds values of type {odd}, {_NO_FEATURE}") from None
    return found.with_codes(name, codes.astype(np.int64)[:, np.newaxis], [text(value) for value in texts])


def _lent(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Numbers as the library reads them where they lie."""
    if values.dtype == bool:
        values = values.view(np.uint8)
    elif values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    elif not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values[:, np.newaxis]


def _with_times(found: Table, name: str, column: Any) -> Table:
    import pandas

    moments = pandas.to_datetime(column, utc=True).dt.tz_localize(None)
    # Not a time is the lowest number, as the library has it.
    values = moments.to_numpy(dtype="datetime64[us]").view(np.int64)
    return found.with_times(name, values[:, np.newaxis])


def rows(X: Any) -> Any:
    """A frame, or an array of what is none."""
    if hasattr(X, "toarray"):
        raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense numpy array.")
    return settled(X) if is_frame(X) or hasattr(X, "shape") else np.asarray(X)


def pair(one: Any, other: Any) -> tuple[Table, Table]:
    """Two tables of the same columns. Where one has no names, its columns are taken in their order."""
    one, other = rows(one), rows(other)
    (first, named), (second, also) = ((frame(X) if is_frame(X) else (table(X), False)) for X in (one, other))
    if named != also and len(first.names) == len(second.names):
        names = first.names if named else second.names
        return first.renamed(names), second.renamed(names)
    return first, second


def count(X: Any) -> int:
    """How many rows X has."""
    return int(X.num_rows) if hasattr(X, "num_rows") else len(X)


def not_numbers_or_texts(X: Any) -> list[str]:
    """Columns of a frame that are no features to the library, such as moments."""
    if not is_frame(X):
        return []
    found = []
    names = X.column_names if hasattr(X, "column_names") else list(X.columns)
    for at, name in enumerate(names):
        column = X.iloc[:, [at]] if hasattr(X, "iloc") else X.select([name])
        try:
            if "time" in frame(column)[0].kinds:
                found.append(str(name))
        except TypeError:
            found.append(str(name))
    return found


def text(value: Any) -> str:
    """A value as files write it: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value
