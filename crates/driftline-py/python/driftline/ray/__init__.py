"""Fleets and experiments on a Ray cluster: independent pieces of work, sent to whichever machine is free.

`fleet` is ``driftline fleet`` and `experiment` is ``driftline run``: the same files, the same bytes. What is finished is in
the store of the process that calls them, so that a second call goes on where a lost one stopped.

Ray is no dependency of the package: ``pip install 'driftline[ray]'``.
"""

from __future__ import annotations

try:
    import pyarrow  # noqa: F401
    import ray  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"driftline.ray needs Ray and pyarrow, and {error.name or 'one of them'} is not installed: pip install 'driftline[ray]'",
        name=error.name,
    ) from error

from driftline.ray._experiment import experiment
from driftline.ray._fleet import FleetResult, fleet

__all__ = ["FleetResult", "experiment", "fleet"]
