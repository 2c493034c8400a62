"""The habits of scikit-learn."""

from __future__ import annotations

import pickle
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from driftline import DriftClassifier


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 100, "policy": "always", **settings})


@pytest.mark.parametrize("model", ["auto", "linear", "trees", "knn", "mlp", LogisticRegression()], ids=repr)
def test_scikit_learns_own_checks_pass(model):
    check_estimator(DriftClassifier(model))


def test_it_learns_adapts_predicts_and_scores(drift):
    model = quick().fit(drift.X, drift.y)
    before = model.score(drift.stream[-100:], drift.answers[-100:])
    assert model.adapt(drift.stream) is model
    assert model.version_ == 4
    assert model.score(drift.stream[-100:], drift.answers[-100:]) >= before
    assert list(model.classes_) == [0, 1]
    assert model.n_features_in_ == 4
    shares = model.predict_proba(drift.stream)
    assert shares.shape == (400, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(model.predict(drift.stream), model.classes_[shares.argmax(axis=1)])


def test_fewer_rows_than_a_window_are_one_window(drift):
    model = quick().fit(drift.X, drift.y).adapt(drift.stream[:30])
    assert model.version_ == 1
    assert model.history_["rows"].tolist() == [30]


def test_the_history_decision_and_roll_back(drift):
    model = quick().fit(drift.X, drift.y).adapt(drift.stream)
    assert model.history_["window"].tolist() == [1, 2, 3, 4]
    assert model.decision_["decision"] == "deploy" and model.decision_["version"] == 4
    adapted = model.predict_proba(drift.stream)
    source = quick().fit(drift.X, drift.y).predict_proba(drift.stream)
    assert not np.array_equal(adapted, source)
    np.testing.assert_array_equal(model.roll_back(0).predict_proba(drift.stream), source)
    assert model.version_ == 0
    with pytest.raises(ValueError, match="version"):
        model.roll_back(99)


def test_the_guard_gives_a_reason_and_an_estimate(drift):
    model = DriftClassifier(model="linear", window=100).fit(drift.X, drift.y).adapt(drift.stream)
    assert model.decision_["decision"] in ("deploy", "hold", "roll-back")
    assert model.decision_["reason"]
    verdict = model.verdict_
    assert verdict["action"]["do"] in ("keep-serving", "adapted", "label", "roll-back")
    for part in ("served", "unadapted"):
        assert verdict[part]["low"] <= verdict[part]["value"] <= verdict[part]["high"] and verdict[part]["by"] == "estimate"
    if model.estimated_accuracy_ is not None:
        estimate, low, high = model.estimated_accuracy_
        assert 0 <= low <= estimate <= high <= 1


def test_classes_may_be_texts_and_stand_in_any_order(drift):
    names = np.array(["no", "yes", "10", "9"])[drift.y * 2 + (np.arange(len(drift.y)) % 4 == 0)]
    model = quick().fit(drift.X, names)
    assert list(model.classes_) == sorted(set(names))
    assert set(model.predict(drift.X)) <= set(names)
    assert model.score(drift.X, names) > 0.5


def test_pipelines_searches_clones_and_workers(drift):
    pipeline = make_pipeline(StandardScaler(), quick())
    assert pipeline.fit(drift.X, drift.y).score(drift.X, drift.y) > 0.9
    search = GridSearchCV(quick(), {"window": [50, 100]}, cv=2, n_jobs=2)
    assert search.fit(drift.X, drift.y).best_score_ > 0.9
    assert clone(quick(window=7)).window == 7
    jobs = joblib.Parallel(n_jobs=2)(
        joblib.delayed(quick(random_state=seed).fit)(drift.X, drift.y) for seed in range(2)
    )
    assert all(model.score(drift.X, drift.y) > 0.9 for model in jobs)


def test_set_output_of_what_stands_before_it(drift):
    pipeline = make_pipeline(StandardScaler(), quick()).set_output(transform="pandas")
    frame = pd.DataFrame(drift.X, columns=list("abcd"))
    pipeline.fit(frame, drift.y)
    assert list(pipeline[-1].feature_names_in_) == list(pipeline[0].get_feature_names_out())


def test_a_pickle_goes_on_where_it_stood(drift):
    model = quick().fit(drift.X, drift.y).adapt(drift.stream[:200])
    other = pickle.loads(pickle.dumps(model))
    assert other.version_ == 2
    np.testing.assert_array_equal(other.predict_proba(drift.X), model.predict_proba(drift.X))
    other.adapt(drift.stream[200:])
    model.adapt(drift.stream[200:])
    np.testing.assert_array_equal(other.predict_proba(drift.X), model.predict_proba(drift.X))


def test_the_same_seed_gives_the_same_bytes(drift):
    for n_jobs, model in ((1, "mlp"), (2, "mlp"), (1, "trees"), (2, "trees")):
        one = quick(model=model, random_state=3, n_jobs=n_jobs).fit(drift.X, drift.y)
        two = quick(model=model, random_state=3).fit(drift.X, drift.y)
        np.testing.assert_array_equal(one.predict_proba(drift.X), two.predict_proba(drift.X))


def test_faults_are_told_with_their_place(drift):
    with pytest.raises(NotFittedError):
        quick().predict(drift.X)
    with pytest.raises(ValueError, match="no model `lineer`"):
        quick(model="lineer").fit(drift.X, drift.y)
    with pytest.raises(ValueError, match="policy"):
        quick(policy="careful").fit(drift.X, drift.y)
    frame = pd.DataFrame({"a": ["x", None, "y"] * 40, "b": np.arange(120.0)})
    with pytest.raises(ValueError, match="row 2, column `a`"):
        quick().fit(frame, np.arange(120) % 2)
    quick(impute=True).fit(frame, np.arange(120) % 2)
    marked = quick(model="trees", impute="mark").fit(frame, frame["a"].isna())
    assert marked.score(frame, frame["a"].isna()) == 1.0
    with pytest.raises(TypeError, match="model should be a name"):
        quick(model=3).fit(drift.X, drift.y)


def test_what_was_handled_is_a_warning():
    source = pd.DataFrame({"town": ["Ulm", "Bern"] * 100, "size": np.linspace(0, 1, 200)})
    model = quick().fit(source, np.arange(200) % 2)
    with pytest.warns(UserWarning, match="town"):
        model.adapt(pd.DataFrame({"town": ["Graz", "Bern"] * 50, "size": np.linspace(0, 1, 100)}))


def test_every_setting_of_the_library_can_be_given():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    with pytest.raises(ValueError, match="unknown field `xyzzy`") as told:
        quick(settings={"xyzzy": 1}).fit(X, y)
    names = re.findall("`([a-z-]+)`", str(told.value).split("expected one of")[1])
    assert {"curriculum", "self-training", "scaling"} <= set(names)
    # Each is read: a value that none can have is refused for what it is. Two are parameters, which win.
    for name in set(names) - {"model", "policy"}:
        with pytest.raises(ValueError, match="invalid type"):
            DriftClassifier(settings={name: 3.5}).fit(X, y)
