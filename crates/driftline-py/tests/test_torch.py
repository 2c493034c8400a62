"""PyTorch modules inside the loop."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from driftline import DriftClassifier, TorchModel

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def network(n_features, n_classes):
    return torch.nn.Sequential(
        torch.nn.Linear(n_features, 8), torch.nn.ReLU(), torch.nn.Linear(8, n_classes)
    )


def model(**settings):
    own = TorchModel(network, epochs=5, batch_size=32)
    return DriftClassifier(model=own, window=100, **{"policy": "always", **settings})


def test_a_module_follows_the_drift_and_repeats_itself(drift):
    before = torch.random.get_rng_state()
    one = model().fit(drift.X, drift.y).adapt(drift.stream)
    assert one.version_ == 4 and one.score(drift.stream, drift.answers) > 0.9
    assert torch.equal(torch.random.get_rng_state(), before)
    two = model().fit(drift.X, drift.y).adapt(drift.stream)
    np.testing.assert_array_equal(one.predict_proba(drift.X), two.predict_proba(drift.X))


def test_weights_are_stored_and_loading_them_needs_no_trust(drift, tmp_path):
    fitted = model().fit(drift.X, drift.y).adapt(drift.stream)
    for path in (tmp_path / "model.safetensors", tmp_path / "run"):
        fitted.save(path)
        loaded = DriftClassifier.load(path, model=TorchModel(network))
        np.testing.assert_array_equal(loaded.predict_proba(drift.X), fitted.predict_proba(drift.X))
    other = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(other.predict_proba(drift.X), fitted.predict_proba(drift.X))


def test_the_guard_works_around_it(drift):
    guarded = model(policy="guarded").fit(drift.X, drift.y).adapt(drift.stream)
    assert guarded.decision_["reason"] and "<html" in guarded.report()
