"""From encoded inputs back to rows as the user has them: the same kind of frame, the same columns and types.

Models of the user's own are asked so: a pipeline that picks columns by name is given names. Rows that are known, because they
were given, come back as they are; made-up ones (the library moves the source to rehearse on it) are decoded.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from driftline import _tables

Array = np.ndarray[Any, Any]


class Decoder:
    """Rows of a frame or an array like `template`, from the inputs that `encoding` makes of them."""

    def __init__(self, encoding: dict[str, Any], template: Any) -> None:
        self.template = template
        self.kind = _tables.kind(template)
        #: Rows that were given: a frame, and the places of its rows by their inputs.
        self.known: list[tuple[Any, dict[bytes, int]]] = []
        self.features: dict[str, tuple[int, dict[str, Any]]] = {}
        at = 0
        for feature in encoding["input"].get("features", []):
            coding = feature["coding"]
            self.features[feature["name"]] = (at, coding)
            number = coding.get("number")
            at += (1 + bool(number.get("mark"))) if number is not None else len(coding["one-hot"]["categories"])
        self.width = at
        # Categories of pandas may be anything; the library knows their texts.
        self.originals: dict[str, dict[str, Any]] = {}
        if self.kind == "pandas":
            for name, column in zip(_names(template), range(len(template.columns)), strict=True):
                if name in self.features and "one-hot" in self.features[name][1]:
                    own = template.iloc[:, column]
                    values = own.dtype.categories if hasattr(own.dtype, "categories") else own.dropna().unique()
                    self.originals[name] = {_tables.text(one): one for one in values}

    def bare(self) -> Decoder:
        """The same without the rows that it was given."""
        found = copy.copy(self)
        found.known, found.template = [], take(self.template, [0])
        return found

    def remember(self, rows: Any, inputs: Array) -> None:
        """Rows that come back as they are."""
        places: dict[bytes, int] = {}
        for at, row in enumerate(inputs):
            places.setdefault(row.tobytes(), at)
        self.known.append((rows, places))

    def rows(self, inputs: Array) -> Any:
        """The rows that these inputs stand for."""
        inputs = np.ascontiguousarray(inputs.reshape(len(inputs), -1), dtype=np.float32)
        keys = [row.tobytes() for row in inputs]
        for frame, places in self.known:
            if all(key in places for key in keys):
                return take(frame, [places[key] for key in keys])
        return self.decode(inputs)

    def decode(self, inputs: Array) -> Any:
        """The same for rows that nobody has given."""
        if not self.features:
            shape = np.shape(self.template)[1:]
            return inputs.reshape(len(inputs), *shape)
        if self.kind == "numpy":
            found = np.empty((len(inputs), np.shape(self.template)[1]), dtype=np.result_type(np.asarray(self.template), np.float32))
            found[:] = np.asarray(self.template)[0]
            for name in self.features:
                found[:, int(name[1:])] = self._values(name, inputs)
            return found
        values = {name: self._values(name, inputs) for name in self.features}
        if self.kind == "pandas":
            return _pandas(self.template, values, len(inputs), self.originals)
        return (_polars if self.kind == "polars" else _arrow)(self.template, values, len(inputs))

    def _values(self, name: str, inputs: Array) -> Any:
        at, coding = self.features[name]
        if "number" in coding:
            how = coding["number"]
            values = inputs[:, at].astype(np.float64) * (how["scale"] or 1.0) + how["shift"]
            if how.get("mark"):
                values[inputs[:, at + 1] > 0.5] = np.nan
            return values
        categories = np.array([*coding["one-hot"]["categories"], None], dtype=object)
        shares = inputs[:, at : at + len(categories) - 1]
        places = np.where(shares.max(axis=1) > 0, shares.argmax(axis=1), len(categories) - 1)
        found: Array = categories[places]
        return found


def take(rows: Any, places: Any) -> Any:
    """Some rows of a frame or an array."""
    if hasattr(rows, "iloc"):
        return rows.iloc[places]
    if hasattr(rows, "take") and not isinstance(rows, np.ndarray):
        return rows.take(places)
    return rows[places]


def _repeated(rows: Any, count: int) -> Any:
    """Rows for the columns that are no inputs: those of the template, again and again."""
    return take(rows, [at % len(rows) for at in range(count)])


def _whole(values: Array) -> Array:
    found: Array = np.rint(np.nan_to_num(values)).astype(np.int64)
    return found


def _names(template: Any) -> list[str]:
    """The library's names for the columns of pandas: those that are no texts stand for their places."""
    texts = all(isinstance(name, str) for name in template.columns)
    return [str(name) if texts else f"c{at}" for at, name in enumerate(template.columns)]


def without(X: Any, columns: set[str]) -> Any:
    """A frame without some of its columns."""
    if not _tables.is_frame(X) or not columns:
        return X
    names = X.column_names if hasattr(X, "column_names") else list(X.columns)
    kept = [name for name in names if name not in columns]
    return X[kept] if hasattr(X, "iloc") else X.select(kept)


def _pandas(template: Any, values: dict[str, Any], count: int, originals: dict[str, dict[str, Any]]) -> Any:
    import pandas

    found = _repeated(template, count).reset_index(drop=True)
    places = {name: at for at, name in enumerate(_names(template))}
    columns = {}
    for name, value in values.items():
        at = places[name]
        kind = template.dtypes.iloc[at]
        missing = pandas.isna(value)
        if value.dtype == object:
            known = originals.get(name, {})
            series = pandas.Series([known.get(one) if one is not None else None for one in value], dtype=kind)
        elif getattr(kind, "kind", "f") in "iu":
            series = pandas.Series(_whole(value)).astype(kind)
            series = series.mask(missing) if missing.any() else series
        elif getattr(kind, "kind", "f") == "b":
            series = pandas.Series(value > 0.5).astype(kind)
        elif kind == object:
            series = pandas.Series(value)
        else:
            series = pandas.Series(value).astype(kind)
        columns[at] = series
    parts = [columns.get(at, found.iloc[:, at]) for at in range(len(template.columns))]
    return pandas.concat(parts, axis=1, keys=range(len(parts))).set_axis(template.columns, axis=1)


def _polars(template: Any, values: dict[str, Any], count: int) -> Any:
    import polars

    found = _repeated(template, count) if hasattr(template, "columns") else template
    for name, value in values.items():
        kind = template.schema[name]
        if value.dtype == object:
            series = polars.Series(name, value.tolist(), dtype=polars.String)
        elif kind == polars.Boolean:
            series = polars.Series(name, value > 0.5)
        elif kind.is_integer():
            series = polars.Series(name, _whole(value))
        else:
            series = polars.Series(name, value)
        found = found.with_columns(series.cast(kind, strict=False))
    return found


def _arrow(template: Any, values: dict[str, Any], count: int) -> Any:
    import pyarrow

    found = _repeated(template, count)
    for name, value in values.items():
        at = template.schema.get_field_index(name)
        field = template.schema.field(at)
        if value.dtype == object:
            column = pyarrow.array(value.tolist(), type=pyarrow.string())
            if pyarrow.types.is_dictionary(field.type):
                column = column.cast(field.type.value_type).dictionary_encode()
        elif pyarrow.types.is_boolean(field.type):
            column = pyarrow.array(value > 0.5)
        elif pyarrow.types.is_integer(field.type):
            column = pyarrow.array(_whole(value))
        else:
            column = pyarrow.array(value, from_pandas=True)
        found = found.set_column(at, field, column.cast(field.type, safe=False))
    return found
