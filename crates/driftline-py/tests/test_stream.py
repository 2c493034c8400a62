"""Streams as they come: the windows are those of the stream, not of its chunks."""

from __future__ import annotations

import datetime as dt
import pickle
import shutil
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftline import DriftClassifier

ROWS = 10_000


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    X = (rng.normal(size=(600, 3)) + 2 * y[:, None]).astype(np.float32)
    answers = rng.integers(0, 2, size=ROWS)
    later = rng.normal(size=(ROWS, 3)) + 2 * answers[:, None] + np.linspace(0, 2, ROWS)[:, None]
    return X, y, later.astype(np.float32), answers


def fitted(stream, **settings):
    return DriftClassifier(**{"model": "linear", "window": 500, "policy": "always", **settings}).fit(stream[0], stream[1])


def chunks(X, size):
    return (X[at : at + size] for at in range(0, len(X), size))


@pytest.mark.parametrize("tail", ["merge", "keep", "drop"])
@pytest.mark.parametrize("rows", [10_000, 9_730])
def test_windows_do_not_depend_on_the_sizes_of_chunks(stream, tail, rows):
    later = stream[2][:rows]
    whole = fitted(stream, tail=tail).adapt(later)
    kept = None
    for size in (1, 10, 499, 500, 10_000):
        if size == 1 and tail == "keep":
            continue  # the same code as for "drop"; rows one by one take their time
        model = fitted(stream, tail=tail)
        for chunk in chunks(later, size):
            model.adapt(chunk, flush=False)
        model.flush()
        assert model.n_waiting_ == 0
        assert model.history_["rows"].tolist() == whole.history_["rows"].tolist()
        np.testing.assert_array_equal(model.predict_proba(later), whole.predict_proba(later))
        files = {name: content for name, content in model.__getstate__()["_files"].items()}
        kept = kept or files
        assert files.keys() == kept.keys()
        assert [name for name in files if files[name] != kept[name]] == []


def test_the_same_with_a_folder(stream, tmp_path):
    kept = None
    # The report names its folder, in the commands that go on from it: so it is the same one.
    folder = tmp_path / "run"
    for size in (499, 10_000):
        model = fitted(stream, folder=folder, window=2_000)
        for chunk in chunks(stream[2], size):
            model.adapt(chunk, flush=False)
        model.flush()
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and "lock" not in path.name
        }
        shutil.rmtree(folder)
        kept = kept or files
        assert [name for name in kept if files[name] != kept[name]] == []


@pytest.mark.parametrize("make", ["generator", "pandas", "polars", "pyarrow", "reader"])
def test_iterators_of_chunks_are_one_stream(stream, make):
    names = ["c0", "c1", "c2"]
    frame = pd.DataFrame(stream[2], columns=names)
    given = {
        "generator": lambda: chunks(stream[2], 333),
        "pandas": lambda: chunks(frame, 333),
        "polars": lambda: pl.from_pandas(frame).iter_slices(333),
        "pyarrow": lambda: iter(pa.Table.from_pandas(frame).to_batches(max_chunksize=333)),
        "reader": lambda: pa.Table.from_pandas(frame, preserve_index=False).to_reader(max_chunksize=333),
    }[make]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(stream).adapt(given)
    expected = fitted(stream).adapt(stream[2])
    assert model.version_ == 20
    np.testing.assert_array_equal(model.predict_proba(stream[2]), expected.predict_proba(stream[2]))


def test_rows_one_by_one_as_dicts():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=200), "town": rng.choice(["Ulm", "Bern"], size=200)})
    y = X["town"] == "Ulm"
    expected = DriftClassifier(model="linear", window=50, policy="always").fit(X, y).adapt(X)
    model = DriftClassifier(model="linear", window=50, policy="always").fit(X, y)
    for row in X.to_dict("records"):
        model.predict(row)
        model.adapt(row, flush=False)
    assert model.flush().version_ == 4
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("size", [1, 7, 24, 500])
def test_windows_of_time_do_not_depend_on_chunks(stream, size):
    moments = [dt.datetime(2026, 1, 1) + dt.timedelta(hours=at) for at in range(500)]
    names = ["c0", "c1", "c2"]
    source, later = pd.DataFrame(stream[0], columns=names), pd.DataFrame(stream[2][:500], columns=names).assign(day=moments)
    how = {"model": "linear", "policy": "always", "window": "P5D", "time": "day"}
    whole = DriftClassifier(**how).fit(source, stream[1]).adapt(later)
    model = DriftClassifier(**how).fit(source, stream[1])
    for chunk in chunks(later, size):
        model.adapt(chunk, flush=False)
    model.flush()
    assert whole.version_ == 5
    assert model.history_["rows"].tolist() == whole.history_["rows"].tolist()
    np.testing.assert_array_equal(model.predict_proba(source), whole.predict_proba(source))


def test_rows_that_wait_are_copied_pickled_and_not_forgotten(stream, tmp_path):
    expected = fitted(stream).adapt(stream[2][:1500])
    model, buffer = fitted(stream), np.empty((100, 3), dtype=np.float32)
    for chunk in chunks(stream[2][:700], 100):
        buffer[:] = chunk
        model.adapt(buffer, flush=False)
        buffer[:] = np.nan
    assert model.n_waiting_ == 700 and model.version_ == 0
    with pytest.warns(UserWarning, match="700 buffered rows"):
        model.save(tmp_path / "model.safetensors")
    model = pickle.loads(pickle.dumps(model))
    assert model.n_waiting_ == 700
    model.adapt(stream[2][700:1500])
    assert model.history_["rows"].tolist() == [500, 500, 500]
    np.testing.assert_array_equal(model.predict_proba(stream[0]), expected.predict_proba(stream[0]))


def test_a_window_is_scored_by_late_answers(stream):
    X, y, later, answers = stream
    model = fitted(stream)
    with pytest.raises(ValueError, match="no window"):
        model.score_window(answers[:500])
    model.adapt(later[:1000])
    served = model.score(later[1000:1500], answers[1000:1500])
    model.adapt(later[1000:1500])
    found = model.score_window(answers[1000:1500])
    assert (found["window"], found["rows"]) == (3, 500)
    assert found["served"] == served
    assert found["adapted"] == model.score(later[1000:1500], answers[1000:1500])
    assert found["unadapted"] == fitted(stream).score(later[1000:1500], answers[1000:1500])
    assert pickle.loads(pickle.dumps(model)).score_window(answers[1000:1500])["adapted"] == found["adapted"]
    with pytest.raises(ValueError, match="500 rows"):
        model.score_window(answers[:3])


def test_scores_as_scikit_learn_has_them(stream):
    model = fitted(stream)
    shares = model.predict_proba(stream[2])
    np.testing.assert_allclose(np.exp(model.predict_log_proba(stream[2])), shares, rtol=1e-5)
    scores = model.decision_function(stream[2])
    np.testing.assert_array_equal(scores > 0, model.predict(stream[2]) == 1)
