"""Fleets from Spark data frames: every group of rows is a stream, adapted to wherever Spark has put it.

`fleet` is ``driftline fleet`` and `driftline.ray.fleet` on the groups of a frame: the same folder, the same bytes.

Spark is no dependency of the package: ``pip install 'driftline[spark]'``, on the driver and on every worker.
"""

from __future__ import annotations

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"driftline.spark needs pyspark and pyarrow, and {error.name or 'one of them'} is not installed: pip install 'driftline[spark]'",
        name=error.name,
    ) from error

from driftline.spark._fleet import FleetResult, fleet

__all__ = ["FleetResult", "fleet"]
