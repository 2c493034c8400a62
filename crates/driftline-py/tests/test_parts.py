"""driftline among other people's parts: models that want their own frames, and pipelines."""

from __future__ import annotations

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import driftline
from driftline import DriftClassifier


def people(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=rows)
    X = pd.DataFrame(
        {
            "town": np.where(rng.uniform(size=rows) < 0.8, np.where(y == 1, "Ulm", "Bern"), "Graz"),
            "size": rng.normal(size=rows) + 2 * y,
            "level": pd.Categorical(rng.choice([1, 2, 3], size=rows)),
            "count": rng.poisson(3 + 4 * y),
            "open": rng.uniform(size=rows) < 0.5,
            "always": 7,
        }
    )
    return X, y


class Picky(ClassifierMixin, BaseEstimator):
    """Takes nothing but frames like the one it wants."""

    def __init__(self, like=None):
        self.like = like

    def _check(self, X):
        assert type(X).__module__.split(".")[0] == self.like, type(X)
        X = X if self.like == "pandas" else X.to_pandas()
        assert list(X.columns) == ["town", "size", "level", "count", "open", "always"]
        assert set(X["town"]) <= {"Ulm", "Bern", "Graz"} and set(X["level"].astype(str)) <= {"1", "2", "3"}
        assert pd.api.types.is_integer_dtype(X["count"]) and (X["always"] == 7).all() and X["open"].dtype == bool
        return X

    def fit(self, X, y):
        columns = make_column_transformer(
            (StandardScaler(), ["size", "count"]), (OneHotEncoder(handle_unknown="ignore"), ["town", "level"])
        )
        self.inner_ = make_pipeline(columns, LogisticRegression()).fit(self._check(X), y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(self._check(X))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("policy", ["always", "guarded"])
def test_a_model_of_your_own_is_given_your_own_frame(kind, policy, tmp_path):
    to = {"pandas": lambda X: X, "polars": pl.from_pandas, "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False)}[kind]
    X, y = people(600, 0)
    later, answers = people(400, 1)
    model = DriftClassifier(model=Picky(kind), encode=None, window=200, policy=policy).fit(to(X), y)
    np.testing.assert_allclose(model.predict_proba(to(X)), Picky(kind).fit(to(X), y).predict_proba(to(X)), atol=1e-4)
    model.adapt(to(later))
    assert model.score(to(later), answers) > 0.8
    expected = model.predict_proba(to(later))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(to(later)), expected)
    again.adapt(to(later))
    model.save(tmp_path / "model.safetensors")
    loaded = DriftClassifier.load(tmp_path / "model.safetensors", model=Picky(kind), trusted=True)
    assert loaded.encode is None
    np.testing.assert_array_equal(loaded.predict_proba(to(later)), expected)


def test_only_classifiers_of_scikit_learn_are_given_frames():
    X, y = people(100, 0)
    with pytest.raises(ValueError, match="encode=None"):
        DriftClassifier(model="linear", encode=None).fit(X, y)
    with pytest.raises(ValueError, match="encode should be"):
        DriftClassifier(model=Picky("pandas"), encode="frame").fit(X, y)


def test_pipelines_and_searches_adapt(drift):
    pipeline = make_pipeline(StandardScaler(), DriftClassifier("linear", window=100, policy="always")).fit(drift.X, drift.y)
    assert driftline.adapt(pipeline, drift.stream) is pipeline and pipeline[-1].version_ == 4
    by_hand = DriftClassifier("linear", window=100, policy="always").fit(pipeline[0].transform(drift.X), drift.y)
    by_hand.adapt(pipeline[0].transform(drift.stream))
    np.testing.assert_array_equal(pipeline.predict_proba(drift.X), by_hand.predict_proba(pipeline[0].transform(drift.X)))
    search = GridSearchCV(pipeline, {"driftclassifier__window": [50]}, cv=2).fit(drift.X, drift.y)
    assert driftline.adapt(search, drift.stream).best_estimator_[-1].version_ == 8
    with pytest.raises(TypeError, match="DriftClassifier"):
        driftline.adapt(make_pipeline(StandardScaler(), LogisticRegression()).fit(drift.X, drift.y), drift.stream)


def test_records_are_public_and_dates_are_dates():
    X, y = people(200, 0)
    later = people(100, 1)[0].assign(day=[dt.datetime(2026, 1, 1) + dt.timedelta(hours=at) for at in range(100)])
    model = DriftClassifier("linear", window=50, policy="always", time="day").fit(X, y).adapt(later)
    assert [record["window"] for record in model.records_] == [1, 2]
    assert model.records_[0]["class_balance"]
    assert pd.api.types.is_datetime64_any_dtype(model.history_["from"])
    assert model.history_["to"].iloc[-1] == later["day"].iloc[-1]
    assert model.adapt(pl.from_pandas(later)).history_["from"].dtype == pl.Datetime


@pytest.fixture(scope="module")
def stretched():
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 2
    X = rng.normal(size=(1000, 3)) @ [[1.0, 0.4, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]] + 2.5 * y[:, None]
    return X, y, (X * [2.0, 0.5, 3.0] + [5.0, -3.0, 0.0])


@pytest.mark.parametrize("name", ["StandardizeTo", "QuantilesTo", "CoralTo", "SubspaceTo"])
def test_alignments_are_transformers(stretched, name):
    from driftline import alignment

    X, y, window = stretched
    make = getattr(alignment, name)
    plain = LogisticRegression().fit(X, y).score(window, y)
    pipeline = make_pipeline(make(), LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(make().fit_transform(X), X)
    aligned = pipeline[0].transform(window)
    assert aligned.shape == window.shape and plain < 0.8
    if name != "SubspaceTo":
        assert pipeline.score(window, y) > 0.9
        # Windows are shrunk towards the source, as in the loop.
        left, before = (abs(rows.mean(axis=0) - X.mean(axis=0)) for rows in (aligned, window))
        assert (left < 0.2 * before).all()
    frame = pd.DataFrame(X, columns=list("abc"))
    assert list(make().fit(frame).get_feature_names_out()) == ["a", "b", "c"]
    with pytest.raises(ValueError):
        make().fit(X).transform(window[:, :2])


def test_an_alignment_is_that_of_the_loop(stretched):
    """The same map as a DriftClassifier deploys."""
    from driftline.alignment import StandardizeTo

    X, y, window = stretched
    seen = []

    def answer(model, rows):
        seen.append(rows.copy())
        return np.stack([np.arange(len(rows)) % 2, 1 - np.arange(len(rows)) % 2], axis=1)

    loop = DriftClassifier(
        model=(lambda rows, labels: None, answer), alignment="standardize", policy="always", window=1000,
        settings={"scaling": False, "column-cleaning": {"drop": False, "clip": False}},
    )  # fmt: skip
    loop.fit(X, y).adapt(window)
    seen.clear()
    # Answers about the window itself are kept, and not asked for again.
    loop.predict(window[1:])
    np.testing.assert_allclose(np.concatenate(seen), StandardizeTo().fit(X).transform(window)[1:], rtol=1e-5, atol=1e-5)


def test_drift_has_an_effect_a_p_value_and_columns():
    from driftline.drift import EnergyTest

    X, _ = people(800, 0)
    same, _ = people(800, 1)
    test = EnergyTest(permutations=99).fit(X)
    calm = test.compare(same)
    assert calm.p_value > 0.05 and calm.effect < 0.02
    moved = same.assign(size=same["size"] * 3 + 2, town=np.where(np.arange(800) % 4 == 0, "Wien", same["town"]))
    for kind in (lambda X: X, pl.from_pandas):
        found = test.compare(kind(moved))
        assert found.p_value == 0.01 and found.effect > 0.05
        assert [one.column for one in found.columns[:2]] in (["size", "town"], ["town", "size"])
        by = {one.column: one for one in found.columns}
        assert set(by) == set(X.columns), "categories are one column"
        assert by["size"].shift > 1 and 2 < by["size"].spread < 4 and by["size"].shape < 0.1
        assert by["town"].kind == "category" and by["town"].effect == pytest.approx(0.25, abs=0.1) and by["town"].p_value < 1e-6
    shaped = same.assign(size=np.sign(same["size"] - 1) * same["size"].std() + same["size"].mean())
    assert {one.column: one for one in test.compare(shaped).columns}["size"].shape > 0.1
    assert "effect" in found._repr_html_()


def test_scores_without_classes(drift):
    from driftline.model_selection import confidence_score, estimated_score

    good = DriftClassifier("linear", window=100, policy="guarded").fit(drift.X, drift.y)
    for score in (estimated_score, confidence_score):
        assert 0.5 < score(good, drift.stream) <= 1
        assert score(good, drift.stream, y=None) == score(good, drift.stream)
    assert good.version_ == 0
    search = GridSearchCV(good, {"alignment": [None, "standardize"]}, scoring=estimated_score, cv=2)
    assert len(search.fit(drift.X, drift.y).cv_results_["mean_test_score"]) == 2
    with pytest.raises(ValueError, match="no window has an estimate"):
        estimated_score(DriftClassifier("linear", window=100, policy="always").fit(drift.X, drift.y), drift.stream)
