"""Parameters that make no sense are refused in Python's terms; what they say is what is done."""

from __future__ import annotations

import inspect
import re
import time
import warnings

import numpy as np
import pandas as pd
import pytest

from driftline import DriftClassifier


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 100, "policy": "always", **settings})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("window", 2.7), ("window", 0), ("window", -3), ("window", True), ("window", None),
        ("random_state", 1.5), ("random_state", -1), ("random_state", "1"),
        ("tail", "forbid"), ("impute", "no"), ("n_jobs", 0), ("n_jobs", 1.5), ("categories", "town"), ("exclude", "town"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(drift, name, value):
    with pytest.raises(ValueError, match=f"{name} should be"):
        quick(**{name: value}).fit(drift.X, drift.y)


def test_random_state_is_as_in_scikit_learn(drift):
    def shares(random_state):
        return quick(model="mlp", random_state=random_state).fit(drift.X, drift.y).predict_proba(drift.X)

    np.random.seed(1)
    one = shares(None)
    other = shares(None)
    assert not np.array_equal(one, other), "None is not 0"
    np.random.seed(1)
    np.testing.assert_array_equal(shares(None), one)
    for make in (np.random.default_rng, np.random.RandomState):
        generator = make(3)
        first, second = shares(generator), shares(generator)
        assert not np.array_equal(first, second)
        np.testing.assert_array_equal(shares(make(3)), first)
    np.testing.assert_array_equal(shares(np.int64(7)), shares(7))


def test_versions_to_go_back_to(drift):
    model = quick().fit(drift.X, drift.y).adapt(drift.stream)
    for version in (-1, 5, 10**30):
        with pytest.raises(ValueError, match=r"the version.*from 0 \(the source model\) to 4"):
            model.roll_back(version)
    with pytest.raises(TypeError):
        model.roll_back(1.0)
    assert model.roll_back(np.int32(2)).version_ == 2


def test_scores_are_not_taken_for_probabilities(drift):
    def logits(model, X):
        return np.stack([-X.sum(axis=1), X.sum(axis=1)], axis=1)

    with pytest.raises(ValueError, match="logits"):
        quick(model=(lambda X, y: None, logits)).fit(drift.X, drift.y)


def test_a_folder_that_is_found_again_says_so(drift, tmp_path):
    quick(folder=tmp_path / "run").fit(drift.X, drift.y).adapt(drift.stream)
    with pytest.warns(UserWarning, match="already holds this run, with 4 windows: the run is continued, and version 4 is in use"):
        quick(folder=tmp_path / "run").fit(drift.X, drift.y)


WRONG = [
    ({"x": [1.0, None] * 50}, {}),
    ({"x": [None] * 100}, {}),
    ({"x": pd.date_range("2026-01-01", periods=100)}, {}),
    ({"x": [f"{at}" for at in range(100)], "y": "a,b"}, {"time": "day", "window": "P1D"}),
    ({"x": np.arange(100) / 7}, {"window": "P7D"}),
    ({"x": [f"{at % 10},5" for at in range(100)]}, {}),
    ({"x": [f"text {at}" for at in range(100)] * 12}, {}),
    ({"x": np.arange(100.0)}, {"categories": ["town"]}),
    ({"x": np.arange(100.0)}, {"exclude": ["town"]}),
    ({"x": np.arange(100.0)}, {"exclude": ["x"]}),
]


@pytest.mark.parametrize(("columns", "settings"), WRONG)
def test_help_names_parameters_that_exist(columns, settings):
    X = pd.DataFrame(columns)
    known = set(inspect.signature(DriftClassifier).parameters) | set(X.columns) | {"fit", "y", "town", "day"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            quick(**settings).fit(X, np.arange(len(X)) % 2).adapt(X)
        except (ValueError, TypeError) as error:
            text = str(error)
        else:
            return
    assert not re.search(r"\b(Utf8|Int64|Timestamp\(|Option|Vec<|u64|usize|f64|f32|None\b.*Some)", text), text
    for word in re.findall(r"`([a-z_]+)`", text.split("help:")[1] if "help:" in text else ""):
        assert word in known, text


def test_messages_speak_of_python_types(drift):
    import pyarrow as pa

    table = pa.table({"x": [[1, 2], [3]], "y": [1.0, 2.0]})
    with pytest.raises(TypeError, match=r"column `x` holds lists?, which cannot be a feature"):
        quick().fit(table, [0, 1])
    with pytest.raises(ValueError, match="unknown field `xyzzy`"):
        quick(settings={"xyzzy": 1}).fit(drift.X, drift.y)
    for settings, said in (
        ({"scaling": "x"}, 'str "x", expected True or False'),
        ({"scaling": 3.5}, "float `3.5`, expected True or False"),
        ({"training": [3]}, "expected a dict"),
        ({"self-training": 3}, "expected a dict"),
    ):
        with pytest.raises((ValueError, TypeError)) as told:
            DriftClassifier(settings=settings).fit(drift.X, drift.y)
        assert said in str(told.value)
        assert not re.search(r"\b(u64|usize|f64|i64|enum|struct|newtype|sequence of)\b", str(told.value)), told.value
        assert "line 1 column" not in str(told.value)


def test_the_notebook_view_is_quick_and_reads_in_the_dark(drift):
    model = quick(window=10).fit(drift.X, drift.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(25):
            model.adapt(drift.stream)
    assert model.version_ == 1000
    begun = time.perf_counter()
    shown = model._repr_html_()
    assert time.perf_counter() - begun < 2.0
    assert shown.startswith('<div class="driftline" style="background:#fff;color:#1a1a1a')
    assert "<svg" in shown
