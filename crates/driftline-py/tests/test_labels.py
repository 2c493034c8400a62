"""Rows that the judge asks about, and the labels that come for them."""

from __future__ import annotations

import numpy as np
import pytest

from driftline import DriftClassifier


@pytest.fixture
def asking():
    """A stream that leaps, so that the judge wants labels."""
    rng = np.random.default_rng(0)
    y = np.arange(800) % 2
    X = rng.normal(size=(800, 4)) + 1.5 * y[:, None]
    answers = rng.integers(0, 2, size=400)
    stream = rng.normal(size=(400, 4)) * 1.5 + 1.5 * answers[:, None] + 3
    names = np.array(["no", "yes"])
    policy = {"guarded": {"labels-per-window": 10}}
    model = DriftClassifier("linear", window=200, policy=policy).fit(X, names[y]).adapt(stream)
    return model, stream, names[answers]


def test_asked_rows_are_labelled(asking):
    model, stream, answers = asking
    asked = model.ask_
    assert asked and all(0 <= one["row"] < 200 and one["window"] in (1, 2) for one in asked)
    some = asked[:3]
    assert model.label(some, [answers[200 * (one["window"] - 1) + one["row"]] for one in some]) is model
    assert model.ask_ == asked[3:]
    pairs = [(one["window"], one["row"]) for one in asked[3:]]
    model.label(pairs, [answers[200 * (window - 1) + row] for window, row in pairs])
    assert model.ask_ == []
    model.adapt(stream + 0.1)
    assert model.version_ >= 0 and len(model.records_) == 4


def test_only_asked_rows_take_labels(asking):
    model, _, _ = asking
    asked = {(one["window"], one["row"]) for one in model.ask_}
    other = next((1, row) for row in range(200) if (1, row) not in asked)
    with pytest.raises(ValueError):
        model.label([other], ["yes"])
    with pytest.raises(ValueError):
        model.label([next(iter(asked))], ["yes", "no"])
