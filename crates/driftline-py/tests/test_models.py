"""Models of your own inside the loop."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from driftline import DriftClassifier


def around(model, **settings):
    return DriftClassifier(model=model, window=100, **{"policy": "always", **settings})


def forest():
    return RandomForestClassifier(n_estimators=10)


@pytest.mark.parametrize(
    "own", [forest(), LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())], ids=repr
)
def test_scikit_learn_classifiers_follow_the_drift(drift, own):
    model = around(own).fit(drift.X, drift.y).adapt(drift.stream)
    assert model.version_ == 4
    assert model.score(drift.stream, drift.answers) > 0.9
    again = around(own).fit(drift.X, drift.y).adapt(drift.stream)
    np.testing.assert_array_equal(model.predict_proba(drift.stream), again.predict_proba(drift.stream))


def test_one_without_probabilities_decides(drift):
    model = around(SGDClassifier(loss="hinge")).fit(drift.X, drift.y)
    assert set(np.unique(model.predict_proba(drift.X))) <= {0.0, 1.0}
    assert model.score(drift.X, drift.y) > 0.9


def test_a_pair_of_functions_is_a_model(drift):
    def fit(X, y):
        return np.array([X[y == one].mean(axis=0) for one in (0, 1)])

    def predict_proba(means, X):
        closeness = 1 / (1e-6 + np.linalg.norm(X[:, None] - means[None], axis=2))
        return closeness / closeness.sum(axis=1, keepdims=True)

    model = around((fit, predict_proba)).fit(drift.X, drift.y).adapt(drift.stream)
    assert model.score(drift.stream, drift.answers) > 0.9


def test_the_guard_works_around_it(drift):
    model = around(forest(), policy="guarded").fit(drift.X, drift.y).adapt(drift.stream)
    assert len(model.history_) == 4
    assert model.decision_["reason"]
    assert model.score(drift.stream, drift.answers) > 0.9
    assert "<html" in model.report()


def test_what_it_raises_comes_through(drift):
    def fail(X, y):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        around((fail, fail)).fit(drift.X, drift.y)

    def odd(model, X):
        return np.zeros((len(X), 3))

    with pytest.raises(ValueError, match="shape"):
        around((lambda X, y: None, odd)).fit(drift.X, drift.y)


def test_loading_a_pickled_model_needs_trust(drift, tmp_path):
    model = around(forest()).fit(drift.X, drift.y).adapt(drift.stream)
    path = tmp_path / "forest.safetensors"
    model.save(path)
    with pytest.raises(ValueError, match="python"):
        DriftClassifier.load(path)
    with pytest.raises(ValueError, match="trusted=True"):
        DriftClassifier.load(path, model=forest())
    loaded = DriftClassifier.load(path, model=forest(), trusted=True)
    np.testing.assert_array_equal(loaded.predict_proba(drift.X), model.predict_proba(drift.X))
