"""The rules for columns, the same for every kind of frame: by name where both sides have names, by position where one has none."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from driftline import _tables
from driftline._driftline import Table


def rows(model: Any, X: Any, *, y: Any = None, reset: bool) -> Table:
    """X as a table with the columns of the source, for fitting (`reset`) or for later rows."""
    if isinstance(X, Table):
        return X
    if isinstance(X, (str, bytes, PathLike)):
        raise TypeError(f"X should be an array or a frame, but is the name {X!r}: read the file first, for example with pandas")
    if _tables.is_frame(X):
        return _of_frame(model, _tables.settled(X), y, reset)
    X = _tables.in_shares(X) if getattr(X, "ndim", 2) in (3, 4) and hasattr(X, "dtype") else X
    how: dict[str, Any] = {
        "dtype": [np.float64, np.float32],
        "ensure_all_finite": "allow-nan" if model.impute else True,
        "reset": reset,
        "allow_nd": getattr(X, "ndim", 2) in (3, 4),
    }
    if reset:
        array, _ = validate_data(model, X, values(y), **how)
    else:
        array = validate_data(model, X, **how)
    if array.ndim > 2:
        return _tables.table(array)
    if not reset and getattr(model, "_unordered", False):
        raise ValueError(
            "the model was not fitted in Python and has dropped columns, so the columns of an array cannot be matched: "
            "pass a frame with column names"
        )
    return _tables.table(array, features(model))


def features(model: Any) -> list[str]:
    """The columns of the source in its order; those of an array are c0, c1, …"""
    names = getattr(model, "feature_names_in_", None)
    return _tables.positions(int(model.n_features_in_)) if names is None else [str(name) for name in names]


def values(y: Any) -> Any:
    """A column as numpy has it."""
    if not hasattr(y, "to_numpy"):
        return y
    if type(y).__module__.startswith("pyarrow"):
        y = y.cast(y.type.value_type) if hasattr(y.type, "value_type") else y
        return y.to_numpy(zero_copy_only=False)
    return y.to_numpy()


def _of_frame(model: Any, X: Any, y: Any, reset: bool) -> Table:
    name = type(model).__name__
    if reset and y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    table, named = _tables.frame(X)
    if len(table) == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(table.names)})) while a minimum of 1 is required by {name}.")
    apart = {model.time, *(model.exclude or [])}
    found = [column for column in table.names if column not in apart]
    if reset:
        model.n_features_in_ = len(found)
        if named:
            model.feature_names_in_ = np.array(found, dtype=object)
        else:
            model.__dict__.pop("feature_names_in_", None)
        return table
    wanted = features(model)
    fitted_with_names = hasattr(model, "feature_names_in_")
    if (named and fitted_with_names) or set(wanted) <= set(found):
        return table
    # One of the two has no names: the columns are taken in their order.
    if len(found) != len(wanted):
        raise ValueError(f"X has {len(found)} features, but {name} is expecting {len(wanted)} features as input.")
    if named != fitted_with_names:
        has, was = ("has", "without") if named else ("does not have valid", "with")
        warnings.warn(f"X {has} feature names, but {name} was fitted {was} feature names", UserWarning, stacklevel=4)
    new = dict(zip(found, wanted, strict=True))
    return table.renamed([new.get(column, column) for column in table.names])
