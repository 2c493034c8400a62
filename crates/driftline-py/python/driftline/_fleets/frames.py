"""Frames and data sets of Ray as the files that a fleet is made of: Parquet, which the library reads on every machine alike."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet as files

from driftline import _classes, _tables

#: Where frames stand among the files of a fleet.
_PLACE = "frames"
_ROWS = 65_536


def is_rows(what: Any) -> bool:
    """Whether it is a frame or a data set of Ray, not the name of one."""
    return _is_dataset(what) or (_tables.is_frame(what) and not hasattr(what, "files"))


def named(what: Any, name: str) -> Any:
    """Frames by the names of the files that they become; anything else as it is."""
    if isinstance(what, dict):
        odd = [key for key in what if not isinstance(key, str) or key in ("", ".", "..") or "/" in key or "\\" in key]
        if odd:
            raise ValueError(f"a stream's name should be a valid file name, but is {odd[0]!r}")
        if not what:
            raise ValueError("there is no stream")
        return {f"{_PLACE}/{key}.parquet": rows for key, rows in what.items()}
    return {f"{_PLACE}/{name}.parquet": what} if is_rows(what) else what


def with_classes(source: Any, label: str | None) -> tuple[Any, Any]:
    """A labelled frame whose classes stand as the names that the library knows them by, and the classes as they were."""
    if label is None or not is_rows(source):
        return source, None
    table = _table(source)
    if label not in table.column_names:
        raise ValueError(f"the source has no column {label!r}; it has {', '.join(table.column_names)}")
    at = table.column_names.index(label)
    values = table.column(at).to_pandas().to_numpy() if table.column(at).null_count == 0 else None
    if values is None:
        raise ValueError(f"the column {label!r} has rows without a class")
    classes, codes = np.unique(values, return_inverse=True)
    names = np.array(_classes.names_of(classes), dtype=object)
    column = pyarrow.array(names[codes].tolist(), type=pyarrow.string())
    return table.set_column(at, label, column), classes


def parquet(rows: Any) -> bytes:
    """The file that stands for a frame; the same rows give the same bytes."""
    file = io.BytesIO()
    batches = _batches(rows)
    first = next(batches, None)
    if first is None:
        raise ValueError("a frame of the fleet has no rows")
    with files.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first, row_group_size=_ROWS)
        for batch in batches:
            writer.write_table(batch.cast(first.schema), row_group_size=_ROWS)
    return file.getvalue()


def _is_dataset(what: Any) -> bool:
    return type(what).__module__.startswith("ray.data") and hasattr(what, "iter_batches")


def _table(rows: Any) -> pyarrow.Table:
    return pyarrow.concat_tables(list(_batches(rows)))


def _batches(rows: Any) -> Iterator[pyarrow.Table]:
    if not _is_dataset(rows):
        rows = _tables.settled(rows)
        if isinstance(rows, pyarrow.Table):
            yield rows
        elif hasattr(rows, "iloc"):
            yield pyarrow.Table.from_pandas(rows, preserve_index=False).replace_schema_metadata()
        elif _tables.kind(rows) == "polars":
            import polars

            # Files have no texts of the newer kind.
            yield rows.to_arrow(compat_level=polars.CompatLevel.oldest())
        else:
            yield pyarrow.table(rows)
        return
    # Rows are in the order of time, which Ray keeps only if it is asked to.
    options = rows.context.execution_options
    before, options.preserve_order = options.preserve_order, True
    try:
        for batch in rows.iter_batches(batch_format="pyarrow", batch_size=_ROWS):
            yield batch.replace_schema_metadata()
    finally:
        options.preserve_order = before
