"""Keeps a classifier accurate while its data drift, without new labels.

>>> import driftline
>>> drift = driftline.datasets.moving_gaussians(seed=0, divisor=20)
>>> model = driftline.DriftClassifier(model="linear", window=100, policy="always")
>>> model.fit(drift.source, drift.labels).adapt(drift.stream).history_.shape[0] > 0
True

Everything is imported when it is first used, so that importing the package takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftline._driftline import __version__

if TYPE_CHECKING:
    from driftline import alignment as alignment
    from driftline import datasets as datasets
    from driftline import drift as drift
    from driftline import mlflow as mlflow
    from driftline import model_selection as model_selection
    from driftline import ray as ray
    from driftline import research as research
    from driftline import spark as spark
    from driftline._estimator import DriftClassifier as DriftClassifier
    from driftline._experiment import Method as Method
    from driftline._experiment import experiment as experiment
    from driftline._models import TorchModel as TorchModel
    from driftline._adapt import adapt as adapt
    from driftline._monitor import estimate as estimate
    from driftline._monitor import explain as explain
    from driftline._theory import theory as theory

# `Method`, `experiment` and `theory` are at home in `driftline.research`; these are their older places.
_PLACES = {
    "DriftClassifier": "driftline._estimator",
    "Method": "driftline._experiment",
    "TorchModel": "driftline._models",
    "adapt": "driftline._adapt",
    "estimate": "driftline._monitor",
    "experiment": "driftline._experiment",
    "explain": "driftline._monitor",
    "theory": "driftline._theory",
}

# What works with software that the package does not install by itself.
_OTHERS = ("mlflow", "ray", "spark")

__all__ = [
    "DriftClassifier",
    "TorchModel",
    "__version__",
    "adapt",
    "alignment",
    "datasets",
    "drift",
    "estimate",
    "explain",
    "model_selection",
    "research",
]


def __getattr__(name: str) -> Any:
    if name in ("alignment", "datasets", "drift", "model_selection", "research"):
        return import_module(f"driftline.{name}")
    if name in _OTHERS:
        # Without it there is no such attribute, so that `hasattr` and `help` can ask; the import says what is missing.
        try:
            return import_module(f"driftline.{name}")
        except ImportError as error:
            raise AttributeError(str(error)) from error
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'driftline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_OTHERS})
