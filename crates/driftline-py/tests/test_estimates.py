"""The accuracy of models as people have them: pipelines on frames, asked on rows like their own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import driftline


def people(rows: int, seed: int, moved: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Names, types and missing values as in anybody's frame."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=rows)
    X = pd.DataFrame(
        {
            "town": pd.Categorical(np.where(rng.uniform(size=rows) < 0.7, np.where(y == 1, "Ulm", "Bern"), "Graz")),
            "size": rng.normal(size=rows) + 2 * y + moved,
            "count": rng.poisson(3 + 4 * y),
            "open": rng.uniform(size=rows) < 0.3 + 0.4 * y,
            "kind": rng.choice(["a", "b"], size=rows),
            "seen": pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 365, size=rows), unit="D"),
        }
    )
    X.loc[rng.uniform(size=rows) < 0.05, "size"] = np.nan
    return X, np.where(y == 1, "yes", "no")


def pipeline(last=None):
    """Picks its columns by name, and fails on anything else."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer(
        (numbers, ["size", "count"]), (OneHotEncoder(handle_unknown="ignore"), ["town", "kind"]), ("passthrough", ["open"])
    )
    return make_pipeline(columns, LogisticRegression() if last is None else last)


class OnPandas:
    """A model that wants pandas, whatever its user gives it."""

    def __init__(self, kind, inner):
        self.kind, self.inner, self.classes_ = kind, inner, inner.classes_

    def predict_proba(self, X):
        assert isinstance(X, self.kind), type(X)
        frame = X if isinstance(X, pd.DataFrame) else X.to_pandas()
        assert list(frame.columns) == ["town", "size", "count", "open", "kind", "seen"]
        assert pd.api.types.is_integer_dtype(frame["count"]) and pd.api.types.is_datetime64_any_dtype(frame["seen"])
        return self.inner.predict_proba(frame)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_pipeline_on_named_columns_is_asked_on_its_own_frame(kind):
    X, y = people(1200, 0)
    later, answers = people(800, 1, moved=0.3)
    model = pipeline().fit(X, y)
    to = {"pandas": lambda X: X, "polars": pl.from_pandas, "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False)}[kind]
    asked = OnPandas(type(to(X)), model)
    found = driftline.estimate(asked, to(X), y, to(later))
    truth = model.score(later, answers)
    assert found.accuracy is not None
    assert found.low <= truth <= found.high
    assert abs(found.accuracy - truth) < 0.08


@pytest.mark.parametrize("last", [LinearSVC(), RandomForestClassifier(30, random_state=0)], ids=["no predict_proba", "forest"])
def test_models_without_probabilities_and_forests(last):
    X, y = people(1200, 2)
    later, answers = people(800, 3)
    model = pipeline(last).fit(X, y)
    reference, classes = people(800, 4)
    found = driftline.estimate(model, reference, classes, later)
    assert found.accuracy is not None
    assert found.low - 0.02 <= model.score(later, answers) <= found.high + 0.02


def test_a_class_that_the_source_lacks_and_labels_of_any_order():
    rng = np.random.default_rng(0)
    names = np.array(["9", "10", "b"])
    codes = np.arange(1500) % 3
    X = rng.normal(size=(1500, 2)) + 3 * np.eye(3)[codes][:, :2]
    model = LogisticRegression().fit(X, names[codes])
    some = codes < 2
    later = X[some] + 0.1
    found = driftline.estimate(model, X[some], names[codes[some]], later)
    truth = model.score(later, names[codes[some]])
    assert found.accuracy == pytest.approx(truth, abs=0.08)
    with pytest.raises(ValueError, match="none of the model's classes"):
        driftline.estimate(model, X, np.where(codes == 0, "x", "y"), X)


def test_only_numbers_that_were_given_or_like_them_are_asked():
    """What is made up has the types of the rest, in arrays too."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = (rng.normal(size=(600, 3)) + 2 * y[:, None]).astype(np.float32)

    class Asked:
        classes_ = np.array([0, 1])

        def predict_proba(self, rows):
            assert rows.dtype == np.float32 and rows.shape[1] == 3 and np.isfinite(rows).all()
            score = 1 / (1 + np.exp(-(rows.sum(axis=1) - 3)))
            return np.stack([1 - score, score], axis=1)

    assert driftline.estimate(Asked(), (X, y), X + 1).accuracy is not None


def moved(rows: int, seed: int, classes: int, by: float):
    """Classes apart, the last of them rare, and all of them moved together."""
    rng = np.random.default_rng(seed)
    shares = np.r_[np.ones(classes - 1), 0.4]
    y = rng.choice(classes, size=rows, p=shares / shares.sum())
    return rng.normal(size=(rows, 4)) + 1.7 * np.eye(4)[y] + by, y


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("names", [np.array([3, 1, 2, 0]), np.array(["9", "10", "b", "a"])], ids=["numbers", "texts"])
def test_further_metrics_are_those_of_scikit_learn(classes, names):
    X, y = moved(3000, 0, classes, 0.0)
    first, known = moved(3000, 1, classes, 0.0)
    model = RandomForestClassifier(30, min_samples_leaf=5, random_state=0).fit(first, names[known])
    later, answers = moved(2000, 2, classes, 0.15)
    metrics = ("accuracy", "balanced_accuracy", "f1", "roc_auc")
    found = driftline.estimate(model, X, names[y], later, metrics=metrics)
    answers, decided, said = names[answers], model.predict(later), model.predict_proba(later)
    binary = classes == 2
    last = model.classes_[-1]
    truth = {
        "accuracy": accuracy_score(answers, decided),
        "balanced_accuracy": balanced_accuracy_score(answers, decided),
        "f1": f1_score(answers == last, decided == last) if binary else f1_score(answers, decided, average="macro"),
        "roc_auc": roc_auc_score(answers == last, said[:, -1]) if binary else roc_auc_score(answers, said, multi_class="ovr"),
    }
    assert list(found.values) == list(metrics)
    for name, (estimate, low, high) in found.values.items():
        assert low <= truth[name] <= high, name
        assert abs(estimate - truth[name]) < 0.06, (name, estimate, truth[name])
    # Asking for more does not change what is said of accuracy.
    assert found.values["accuracy"] == driftline.estimate(model, X, names[y], later).values["accuracy"]


def test_further_metrics_along_windows_are_drawn_and_say_what_is_missing():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = moved(2000, 0, 2, 0.0)
    model = LogisticRegression().fit(X, y)
    later = np.concatenate([moved(300, 3, 2, by)[0] for by in (0.0, 0.2, 0.4)])
    found = driftline.estimate(model, X, y, later, metrics=("f1", "roc_auc"), window=300)
    assert [set(one.values) for one in found] == [{"f1", "roc_auc"}] * 3
    assert all(0 <= low <= value <= high <= 1 for one in found for value, low, high in one.values.values())
    axes = found.plot(metric="roc_auc")
    assert axes.get_ylabel() == "estimated roc auc" and len(axes.get_lines()[0].get_xdata()) == 3
    assert len(found.plot().get_lines()[0].get_xdata()) == 3
    assert "roc auc" in found[0]._repr_html_() and found[0].code in ("estimated", "doubtful")
    with pytest.raises(ValueError, match="name it among `metrics`"):
        found.plot(metric="balanced_accuracy")
