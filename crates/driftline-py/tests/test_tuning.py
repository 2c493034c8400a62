"""Settings are chosen by how a model does along a stream; weights and domains come in as elsewhere."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from driftline import DriftClassifier
from driftline.model_selection import TimeSplit, stream_predict, stream_score


@pytest.fixture(scope="module")
def moving():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=2400)
    moved = np.linspace(0, 4, 2400)[:, None] * [[1.0, 0.0]]
    return rng.normal(size=(2400, 2)) + 2.5 * y[:, None] + moved, y


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 100, "policy": "always", **settings})


def test_each_window_is_predicted_before_it_is_learned_from(moving):
    X, y = moving
    model = quick().fit(X[:400], y[:400])
    stream, answers = X[400:], y[400:]
    by_hand, right = quick().fit(X[:400], y[:400]), 0
    for at in range(0, 2000, 100):
        right += (by_hand.predict(stream[at : at + 100]) == answers[at : at + 100]).sum()
        by_hand.adapt(stream[at : at + 100])
    assert stream_score(model, stream, answers) == right / 2000
    assert model.version_ == 0, "the model is left as it was"
    classes, shares = stream_predict(model, stream)
    assert classes.shape == (2000,) and shares.shape == (2000, 2)
    for measure in ("balanced_accuracy", "roc_auc", "neg_log_loss"):
        assert np.isfinite(stream_score(model, stream, answers, scoring=measure))
    frame = pl.DataFrame(stream, schema=["a", "b"])
    named = quick().fit(pd.DataFrame(X[:400], columns=["a", "b"]), y[:400])
    assert stream_score(named, frame, answers) == right / 2000


@pytest.mark.parametrize("tail", ["merge", "keep", "drop"])
def test_windows_are_those_that_adapt_makes(moving, tail):
    X, y = moving
    model = quick(tail=tail).fit(X[:400], y[:400])
    classes, _ = stream_predict(model, X[400:1730])
    follower, expected = quick(tail=tail).fit(X[:400], y[:400]), []
    ends = {"merge": [*range(100, 1300, 100), 1330], "keep": [*range(100, 1400, 100), 1330], "drop": [*range(100, 1400, 100), 1330]}[tail]
    for start, end in zip([0, *ends], sorted(set(ends)), strict=False):
        window = X[400:1730][start:end]
        expected.append(follower.predict(window))
        follower.adapt(window)
    np.testing.assert_array_equal(classes, np.concatenate(expected))


def test_a_search_over_24_settings_tells_them_apart(moving):
    X, y = moving
    grid = {"window": [50, 100, 200, 400], "policy": ["always", "never"], "alignment": [None, "standardize", "quantiles"]}
    search = GridSearchCV(quick(), grid, scoring=stream_score, cv=TimeSplit(1, source=0.25))
    search.fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 24 and len(set(scores)) >= 8
    assert search.best_params_["policy"] == "always"
    assert search.best_score_ > scores.min() + 0.1
    plain = GridSearchCV(quick(), grid, cv=TimeSplit(1, source=0.25)).fit(X, y).cv_results_["mean_test_score"]
    assert len(set(plain)) < len(set(scores)), "without the stream, these settings decide nothing"
    other = functools.partial(stream_score, scoring="balanced_accuracy")
    assert GridSearchCV(quick(), {"window": [100]}, scoring=other, cv=TimeSplit(2)).fit(X, y).best_score_ > 0.5


def test_a_split_never_looks_ahead():
    X, days = np.zeros((1000, 1)), np.arange(1000) // 70
    for splitter, groups in ((TimeSplit(3), None), (TimeSplit(3), days), (TimeSplit(2, source=0.3, stream=100), None)):
        parts = list(splitter.split(X, groups=groups))
        assert len(parts) == splitter.get_n_splits()
        for source, stream in parts:
            assert source.max() < stream.min() and stream[0] == len(source)
            assert groups is None or days[source[-1]] != days[stream[0]]
    with pytest.raises(ValueError, match="too few"):
        list(TimeSplit(3).split(X[:2]))


def test_weights_of_the_source_count(moving):
    X, y = moving[0][:400], moving[1][:400]
    plain = quick().fit(X, y)
    np.testing.assert_array_equal(quick().fit(X, y, sample_weight=np.ones(400)).predict_proba(X), plain.predict_proba(X))
    heavy = quick().fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.05
    own = quick(model=LogisticRegression()).fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert own.predict_proba(X)[:, 1].mean() > quick(model=LogisticRegression()).fit(X, y).predict_proba(X)[:, 1].mean() + 0.05
    for wrong in (np.ones(3), -np.ones(400), np.zeros(400), np.full(400, np.nan)):
        with pytest.raises(ValueError, match="sample_weight should"):
            quick().fit(X, y, sample_weight=wrong)
    with pytest.raises(TypeError, match="weights"):
        quick().fit(X, y, weights=np.ones(400))
    search = GridSearchCV(quick(), {"window": [50]}, cv=2).fit(X, y, sample_weight=np.ones(400))
    assert search.best_score_ > 0.5


def test_domains_as_in_skada(moving):
    X, y = moving
    domain = np.where(np.arange(2400) < 400, 1, -2)
    masked = np.where(domain > 0, y, -1)  # skada's mark for classes that are not known
    for rows in (X, pd.DataFrame(X, columns=["a", "b"])):
        model = quick().fit(rows, masked, sample_domain=domain)
        assert model.classes_.tolist() == [0, 1] and model.version_ == 20
        expected = quick().fit(rows[:400], y[:400]).adapt(rows[400:])
        np.testing.assert_array_equal(model.predict(rows, sample_domain=domain), expected.predict(rows))
    with pytest.raises(ValueError, match="sample_domain"):
        quick().fit(X, y, sample_domain=domain[:7])
