"""Rows, classes and parameters as people have them: taken for what they are, or refused in words that help."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import driftline
from driftline import DriftClassifier
from driftline.drift import EnergyTest
from driftline.model_selection import TimeSplit, estimated_score, stream_predict, stream_score

ROWS = 200


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 50, "policy": "always", **settings})


@pytest.fixture(scope="module")
def data():
    y = np.arange(ROWS) % 2
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=ROWS) + 3 * y, "b": rng.normal(size=ROWS)}), y


NAMES = np.array(["no", "yes"])[np.arange(ROWS) % 2]


@pytest.mark.parametrize(
    "classes",
    [
        pa.array(NAMES), pa.array(NAMES).dictionary_encode(), pa.chunked_array([NAMES[:50], NAMES[50:]]), pl.Series(NAMES),
        pl.Series(NAMES, dtype=pl.Categorical), pd.Series(NAMES, dtype="string"), pd.Categorical(NAMES, categories=["yes", "maybe", "no"]),
    ],
)  # fmt: skip
def test_classes_of_any_library(data, classes):
    model = quick().fit(data[0], classes)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(model.predict(data[0]), quick().fit(data[0], NAMES).predict(data[0]))


@pytest.mark.parametrize(
    "classes",
    [
        pd.Series(np.where(np.arange(ROWS) == 3, np.nan, 1.0)), pd.Series(NAMES, dtype="string").mask(np.arange(ROWS) == 3),
        pd.Series(NAMES, dtype="category").mask(np.arange(ROWS) == 3), np.where(np.arange(ROWS) == 3, None, NAMES),
        pd.Series(np.arange(ROWS) % 2, dtype="Int64").mask(np.arange(ROWS) == 3), pl.Series([*NAMES[:3], None, *NAMES[4:]]),
    ],
)  # fmt: skip
def test_rows_without_a_class_are_told_by_their_place(data, classes):
    for fit in (lambda: quick().fit(data[0], classes), lambda: driftline.estimate(quick().fit(*data), data[0], classes, data[0])):
        with warnings.catch_warnings(), pytest.raises(ValueError, match="y contains NaN: row 4 has no class, 1 of 200 rows"):
            warnings.simplefilter("error")
            fit()


def test_classes_of_two_types_are_refused(data):
    with pytest.raises(ValueError, match="one type, but are of int and str"):
        quick().fit(data[0], np.array(["a", 1] * 100, dtype=object))
    for classes, said in ((np.zeros(ROWS), "only one class"), (data[1][:-1], r"inconsistent numbers of samples: \[200, 199\]")):
        with pytest.raises(ValueError, match=said):
            driftline.estimate(LogisticRegression().fit(*data), data[0], classes, data[0])


@pytest.mark.parametrize("value", [[1], {}], ids=["lists", "dicts"])
def test_columns_of_things_are_named(data, value):
    with pytest.raises(TypeError, match="column `c` holds values of type (list|dict), which cannot be a feature"):
        quick().fit(data[0].assign(c=[value] * ROWS), data[1])


def test_types_that_only_polars_has(data):
    frame = pl.from_pandas(data[0]).with_columns(nothing=pl.lit(None), big=pl.Series(range(ROWS), dtype=pl.Int128))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = quick(exclude=["big"]).fit(frame, data[1])
        assert quick().fit(frame, data[1]).n_features_in_ == 4
    np.testing.assert_array_equal(model.predict_proba(frame), quick().fit(*data).predict_proba(data[0]))


def test_images_of_whole_numbers_are_those_of_shares():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    images = (255 * np.clip(rng.uniform(size=(60, 6, 6)) * 0.5 + 0.5 * y[:, None, None], 0, 1)).astype(np.uint8)
    shares = images.astype(np.float32) / 255
    np.testing.assert_array_equal(quick().fit(images, y).predict_proba(images), quick().fit(shares, y).predict_proba(shares))


def test_a_list_of_frames_is_a_stream_in_chunks(data):
    X, y = data
    expected = quick().fit(X, y).adapt(X)
    for chunks in ([X[:30], X[30:]], (pl.from_pandas(X[:120]), pl.from_pandas(X[120:]))):
        model = quick().fit(X, y).adapt(chunks)
        assert model.version_ == 4
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_what_is_no_table_says_so(data):
    model = quick().fit(*data)
    with pytest.raises(TypeError, match="is the name 'rows.csv': read the file first"):
        model.adapt("rows.csv")
    with pytest.raises(TypeError, match="one value for each column, but `a` is a list"):
        model.predict({"a": [1.0, 2.0], "b": [0.0, 0.0]})
    with pytest.raises(ValueError, match="^the table has no column `b`"):
        model.predict(data[0][["a"]])
    with pytest.raises(ValueError, match="^the table has no column `zz`"):
        quick(time="zz").fit(*data).adapt(data[0])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": LogisticRegression}, "an instance, LogisticRegression"), ({"model": LinearRegression()}, "LinearRegression is a regressor"),
        ({"model": make_pipeline(StandardScaler(), LinearRegression())}, "is a regressor"), ({"settings": [1]}, "settings should be a dict"),
    ],
)  # fmt: skip
def test_what_is_no_classifier_is_refused(data, settings, said):
    with pytest.raises((TypeError, ValueError), match=said):
        quick(**settings).fit(*data)


def test_a_folder_without_a_run_is_not_loaded(tmp_path):
    with pytest.raises(FileNotFoundError, match="a folder without a run"):
        DriftClassifier.load(tmp_path)


@pytest.mark.parametrize("around", ["pipeline", "search"])
def test_pipelines_and_searches_are_followed_along_a_stream(data, around):
    X, y = data
    model = make_pipeline(StandardScaler(), quick())
    if around == "search":
        model = GridSearchCV(model, {"driftclassifier__window": [50]}, cv=2)
    model.fit(X, y)
    scaled = StandardScaler().fit(X)
    by_hand = quick().fit(scaled.transform(X), y)
    np.testing.assert_array_equal(stream_predict(model, X)[1], stream_predict(by_hand, scaled.transform(X))[1])
    assert stream_score(model, X, y) > 0.9
    grid = {"driftclassifier__window": [20, 50], "driftclassifier__policy": ["always", "guarded"]}
    for score in (stream_score, lambda model, X, y: estimated_score(model.set_params(driftclassifier__policy="guarded").fit(X, y), X)):
        search = GridSearchCV(make_pipeline(StandardScaler(), quick()), grid, scoring=score, cv=TimeSplit(1), error_score="raise")
        assert search.fit(X, y).best_score_ > 0.8
    with pytest.raises(TypeError, match="a pipeline that ends with one, but is a LogisticRegression"):
        stream_score(LogisticRegression().fit(X, y), X, y)


def test_weights_are_routed_as_scikit_learn_does(data):
    X, y = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = quick().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"window": [50]}, cv=2, error_score="raise")
        assert search.fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0)).best_score_ > 0.5
        heavy = search.best_estimator_.predict_proba(X)[:, 1].mean()
        pipeline = make_pipeline(quick().set_fit_request(groups=True)).fit(X, y, groups=np.arange(ROWS) % 7)
        assert pipeline.predict_proba(X)[:, 1].mean() < heavy


def test_explanations_go_by_position_where_one_side_has_no_names(data):
    X, _ = data
    for one, other in ((X, X.to_numpy() + 1), (X.to_numpy(), X + 1), (X.to_numpy().tolist(), X + 1)):
        assert driftline.explain(one, other).columns == driftline.explain(X, X + 1).columns
        assert EnergyTest(permutations=9).fit(one).compare(other).effect == EnergyTest(permutations=9).fit(X).compare(X + 1).effect


def test_estimates_take_lists_and_one_metric_and_refuse_the_rest(data):
    X, y = data[0].to_numpy(), data[1]
    model = LogisticRegression().fit(X, y)
    found = driftline.estimate(model, X.tolist(), y.tolist(), X.tolist(), metrics="f1")
    assert set(found.values) == {"f1"} and found.accuracy == driftline.estimate(model, X, y, X).accuracy
    with pytest.raises(TypeError, match="Sparse data was passed"):
        driftline.estimate(model, csr_array(X), y, csr_array(X))
    with pytest.raises(TypeError, match="LinearRegression is a regressor"):
        driftline.estimate(LinearRegression().fit(X, y), X, y, X)
    with pytest.raises(TypeError, match="which cannot predict"):
        driftline.estimate(len, X, y, X)


def test_a_model_is_asked_about_missing_values_that_the_source_lacks():
    """Rows of the window may be those of the source, too: all the same they are asked about as they are."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = pd.DataFrame({"a": rng.integers(0, 3, size=600) + y, "b": rng.integers(0, 2, size=600)}).astype(float)
    later = X.sample(frac=0.5, random_state=0)
    later.loc[later.index[:20], "b"] = np.nan
    seen = []

    class Asked:
        classes_ = np.array([0, 1])

        def predict_proba(self, rows):
            seen.append(int(rows["b"].isna().sum()))
            score = 1 / (1 + np.exp(1.5 - rows["a"].to_numpy()))
            return np.stack([1 - score, score], axis=1)

    assert driftline.estimate(Asked(), X, y, later).accuracy is not None
    assert max(seen) == 20
