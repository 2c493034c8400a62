"""Experiments, data sets, theory, and knowing without adapting."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import driftline

GAUSSIAN = {
    "dimension": 5, "classes": 2, "source": 200, "held-out-source": 100,
    "intermediate": 600, "target-pool": 100, "target": 200,
}  # fmt: skip
SPEC = {
    "name": "small",
    "title": "A small experiment",
    "seeds": [0, 1],
    "data-seeds": [0],
    "datasets": [{"name": "Gaussian", "data": {"gaussian": GAUSSIAN}}],
    "model": {"linear": {"l2": 0.02}},
    "training": {"epochs": 5, "batch-size": 32},
    "self-training": {
        "labels": "hard", "confidence": "spread", "filter": {"drop": 0.1},
        "start": "teacher", "optimizer-state": "carried",
    },
    "methods": [
        {"name": "Source", "curriculum": "source-only"},
        {"name": "Gradual", "curriculum": {"gradual": {"window": 100}}},
    ],
}  # fmt: skip


class Nearest:
    """The nearest class mean."""

    def __init__(self, X, y):
        self.means = np.stack([X[y == one].mean(axis=0) for one in (0, 1)])

    def predict_proba(self, X):
        closeness = 1 / (1e-6 + np.linalg.norm(X[:, None] - self.means[None], axis=2))
        return closeness / closeness.sum(axis=1, keepdims=True)


class Means(driftline.Method):
    def __init__(self):
        self.runs = 0

    def settings(self):
        return {"means": 1}

    def run(self, source, labels, stream, target, seed):
        self.runs += 1
        assert stream.shape == (600, 5) and target.shape == (100, 5)
        yield Nearest(source, labels)


def test_methods_of_python_run_beside_the_librarys(tmp_path):
    own = Means()
    results = driftline.experiment(SPEC, methods={"Means": own}, folder=tmp_path / "out")
    table = pl.DataFrame(results)
    assert table.height == 6 and own.runs == 2
    assert set(table["method"]) == {"Source", "Gradual", "Means"}
    assert table["accuracy"].is_between(0, 1).all()
    assert pa.table(results).num_rows == 6
    again = driftline.experiment(SPEC, methods={"Means": own}, folder=tmp_path / "out")
    assert own.runs == 2, "finished trials are kept"
    assert pl.DataFrame(again).equals(table)
    assert "Means" in repr(again)


def test_models_of_python_are_named_in_experiments():
    own = {"name": "Own", "model": "mine", "curriculum": {"gradual": {"window": 100}}}
    spec = {**SPEC, "methods": [own], "seeds": [0]}
    results = driftline.experiment(spec, models={"mine": LogisticRegression()})
    assert results.table[0]["accuracy"] > 50
    with pytest.raises(ValueError, match="mine"):
        driftline.experiment(spec)


def test_faults_in_an_experiment_are_named():
    with pytest.raises(ValueError, match="seedz"):
        driftline.experiment({**SPEC, "seedz": []})
    with pytest.raises(FileNotFoundError):
        driftline.experiment("no-such-file.toml")
    with pytest.raises(ValueError, match="smoke"):
        driftline.experiment(SPEC, scale="huge")


def test_data_sets_are_known_and_drawn(tmp_path):
    names = {entry["name"] for entry in driftline.datasets.catalogue(tmp_path)}
    assert {"mnist", "elec2", "keystroke"} <= names
    with pytest.raises(FileNotFoundError, match="driftline data fetch"):
        driftline.datasets.load("elec2", cache=tmp_path)
    one, two = (driftline.datasets.moving_gaussians(seed=4, divisor=10) for _ in range(2))
    np.testing.assert_array_equal(one.stream, two.stream)
    assert len(one.stream) == len(one.answers) and len(one.source) == len(one.labels)


def test_the_theory_holds():
    claims = driftline.theory("3.4")
    assert claims.hold and claims[0]["id"].startswith("3.4")
    assert "<table" in claims._repr_html_()
    with pytest.raises(ValueError):
        driftline.theory("9.9")


def test_a_drift_is_explained_and_none_is_seen_where_none_is():
    rng = np.random.default_rng(1)
    source = pl.DataFrame({"a": rng.normal(size=800), "b": rng.normal(size=800)})
    still = driftline.explain(source, pl.DataFrame({"a": rng.normal(size=500), "b": rng.normal(size=500)}))
    assert not still.drifted and still.told_apart < 0.6
    moved = driftline.explain(source, pl.DataFrame({"a": rng.normal(size=500), "b": rng.normal(size=500) - 1}))
    assert moved.drifted and moved.columns[0][0] == "b" and moved.columns[0][1] == pytest.approx(-1, abs=0.2)


def test_accuracy_is_estimated_around_a_model_that_is_only_asked():
    rng = np.random.default_rng(2)
    y = np.arange(1200) % 2
    X = rng.normal(size=(1200, 2)) + 2.0 * y[:, None]
    model = LogisticRegression().fit(X, y)
    coefficients = model.coef_.copy()
    window = rng.normal(size=(800, 2)) + 2.0 * y[:800, None] + 0.4
    found = driftline.estimate(model, (X, y), window)
    np.testing.assert_array_equal(model.coef_, coefficients)
    truth = model.score(window, y[:800])
    assert found.accuracy is not None, str(found)
    assert abs(found.accuracy - truth) < 0.05
