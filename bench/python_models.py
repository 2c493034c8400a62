"""Guarded around other people's models: accuracy and processor time of unadapted, always, guarded on keystroke, Elec2 and weather.

    python bench/python_models.py [ROWS [DATA …]]

Needs the package, pandas, scikit-learn, and PyTorch for the last model; data sets come from the program's cache
(`driftline data fetch`). A data set or model that is not there is said to be skipped. ROWS limits every
stream; 0 takes all of it. Seconds are of all threads, with one thread (OPENBLAS_NUM_THREADS, OMP_NUM_THREADS) for numpy, and
include `fit` and the predictions.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

# Threads that wait for each other count as time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import driftline
from driftline import DriftClassifier

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 0
DATA = sys.argv[2:] or ["keystroke", "elec2", "weather"]


def models() -> dict[str, Any]:
    found: dict[str, Any] = {
        "LogisticRegression": LogisticRegression(),
        "RandomForest": RandomForestClassifier(n_estimators=50, n_jobs=1),
        "HistGradientBoosting": HistGradientBoostingClassifier(max_iter=50),
    }
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed")
        return found

    def network(n_features: int, n_classes: int) -> Any:
        return torch.nn.Sequential(
            torch.nn.Linear(n_features, 64), torch.nn.ReLU(), torch.nn.Linear(64, n_classes)
        )

    found["PyTorch MLP"] = driftline.TorchModel(network, epochs=10)
    return found


def accuracy(model: Any, policy: str, drift: Any, window: int) -> tuple[float, float]:
    """Every window is predicted by the version that stands before it: as it would be in use."""
    start = time.process_time()
    own = DriftClassifier(model=model, window=window, policy=policy, impute=True, n_jobs=1).fit(drift.source, drift.labels)
    right, rows = 0, min(len(drift.answers), ROWS or len(drift.answers))
    for first in range(0, rows, window):
        part = slice(first, min(first + window, rows))
        right += int(np.sum(own.predict(drift.stream[part]) == drift.answers[part]))
        if policy != "never":
            own.adapt(drift.stream[part])
    return 100 * right / rows, time.process_time() - start


print("| data | model | unadapted | always | guarded | guarded − unadapted | seconds always | seconds guarded | guarded / always |")
print("|---|---|---|---|---|---|---|---|---|")
for name in DATA:
    try:
        drift = driftline.datasets.load(name)
    except FileNotFoundError as missing:
        print(f"skipped: {missing}")
        continue
    for title, model in models().items():
        found = {policy: accuracy(model, policy, drift, drift.window) for policy in ("never", "always", "guarded")}
        unadapted, always, guarded = (found[policy][0] for policy in ("never", "always", "guarded"))
        took = [found[policy][1] for policy in ("always", "guarded")]
        print(f"| {name} | {title} | {unadapted:.1f} | {always:.1f} | {guarded:.1f} | {guarded - unadapted:+.1f} "
              f"| {took[0]:.2f} | {took[1]:.2f} | {took[1] / took[0]:.1f} |", flush=True)
