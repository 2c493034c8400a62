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
@pytest.mark.parametrize("policy", ["always", "judged"])
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
