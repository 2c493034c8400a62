"""Run folders in MLflow: a run becomes an MLflow run, its versions a registered model whose alias names the one in use.

`log_run` writes parameters, measures of every window, the report and the model in use; `sync` registers that model as well and
moves the alias to it, after a deployment as after a rollback. All can be called again after every window: what is there already
is not written twice. Where MLflow is, MLflow's own settings say (``MLFLOW_TRACKING_URI``).

MLflow is no dependency of the package: ``pip install 'driftline[mlflow]'``.
"""

from __future__ import annotations

try:
    import mlflow  # noqa: F401
    import onnx  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"driftline.mlflow needs MLflow and onnx, and {error.name or 'one of them'} is not installed: pip install 'driftline[mlflow]'",
        name=error.name,
    ) from error

from driftline.mlflow._log import log_run
from driftline.mlflow._registry import register, sync

__all__ = ["log_run", "register", "sync"]
