"""A model in service: other threads read while it adapts, and processes are forked off."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import driftline
from driftline import DriftClassifier


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 100, "policy": "always", **settings})


@pytest.fixture
def in_time():
    """A child that hangs is killed, and the test fails."""
    forked = []
    yield forked
    for child in forked:
        if child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
            child.join()


def _answer(model, X, place, answers) -> None:
    answers.put((place, model.predict_proba(X)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", ["linear", "mlp", "knn", "trees"])
def test_forked_processes_predict(drift, in_time, n_jobs, kind):
    """As gunicorn's `--preload` does: fitted in the parent, asked in four children."""
    model = quick(model=kind, n_jobs=n_jobs).fit(drift.X, drift.y).adapt(drift.stream[:200])
    expected = model.predict_proba(drift.stream)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    for place in range(4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn of threads at a fork
            child = context.Process(target=_answer, args=(model, drift.stream, place, answers))
            child.start()
        in_time.append(child)
    end = time.monotonic() + 60
    for child in in_time:
        while child.is_alive() and answers.empty() and time.monotonic() < end:
            time.sleep(0.01)
        assert not answers.empty(), "a forked process hangs"
        np.testing.assert_array_equal(answers.get()[1], expected)
    # The parent goes on as before.
    np.testing.assert_array_equal(model.predict_proba(drift.stream), expected)


def _adapt(model, X, answers) -> None:
    answers.put(model.adapt(X).version_)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_adapts_and_explains(drift, in_time):
    model = quick(n_jobs=2).fit(drift.X, drift.y)
    driftline.explain(drift.X, drift.stream)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    for work, arguments in ((_adapt, (model, drift.stream, answers)), (_explain, (drift, answers))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = context.Process(target=work, args=arguments)
            child.start()
        in_time.append(child)
        child.join(60)
        assert not answers.empty(), "a forked process hangs"
        assert answers.get() == 4


def _explain(drift, answers) -> None:
    answers.put(len(driftline.explain(drift.X, drift.stream).columns))


@contextlib.contextmanager
def _unhurried(*_):
    """Windows that come a few milliseconds apart: some hundred versions while the calls last, not tens of thousands."""
    yield lambda done, planned: time.sleep(0.02)


def test_predictions_while_it_adapts_are_of_one_whole_version(drift, monkeypatch):
    """100,000 calls from four threads; each answer is that of a version, and versions only go up."""
    monkeypatch.setattr("driftline._follow.progress", _unhurried)
    asked = drift.stream[:1]
    model = quick(window=20).fit(drift.X, drift.y)
    stream = np.concatenate([drift.stream + at / 20 for at in range(20)])
    wanted, faults, seen = 100_000, [], [[] for _ in range(4)]
    calls, go = [0] * 4, threading.Event()

    def ask(place: int) -> None:
        go.wait()
        last = None
        while calls[place] < wanted // 4:
            try:
                found = model.predict_proba(asked).tobytes()
            except Exception as error:
                faults.append(error)
                return
            calls[place] += 1
            if found != last:
                seen[place].append(found)
                last = found

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    go.set()
    rounds = 0
    while any(thread.is_alive() for thread in threads) and rounds < 200:
        model.adapt(stream[:2000])
        rounds += 1
    for thread in threads:
        thread.join()
    assert faults == []
    assert sum(calls) == wanted
    # What each version says, asked in peace.
    said = [model.roll_back(version).predict_proba(asked).tobytes() for version in range(model.version_ + 1)]
    place = {found: version for version, found in reversed(list(enumerate(said)))}
    assert max(len(own) for own in seen) > 1, "no version changed meanwhile"
    for own in seen:
        assert all(found in place for found in own), "an answer of no version"


def test_a_second_adapt_waits_for_the_first(drift):
    model = quick(window=20).fit(drift.X, drift.y)
    faults = []

    def adapt() -> None:
        try:
            model.adapt(drift.stream)
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=adapt) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert model.version_ == 60


def test_history_and_files_are_read_while_it_adapts(drift, tmp_path):
    begun = threading.Event()

    def slow(X, y):
        begun.set()
        time.sleep(0.05)
        return X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)

    def predict_proba(direction, X):
        score = 1 / (1 + np.exp(-X @ direction))
        return np.stack([1 - score, score], axis=1)

    model = DriftClassifier(model=(slow, predict_proba), window=50, policy="always").fit(drift.X, drift.y)
    begun.clear()
    thread = threading.Thread(target=model.adapt, args=(drift.stream,))
    thread.start()
    begun.wait()
    took = []
    while thread.is_alive():
        start = time.perf_counter()
        assert len(model.history_) in range(9) and model.version_ in range(9)
        model.decision_, model.estimated_accuracy_, model.predict(drift.stream[:1])
        took.append(time.perf_counter() - start)
    thread.join()
    assert model.version_ == 8 and len(took) > 1


def test_a_failed_fit_keeps_the_model_before_it(drift, tmp_path):
    model = quick().fit(drift.X, drift.y)
    expected = model.predict_proba(drift.X)
    for X, y in ((drift.X[:, :2], drift.y[:-1]), (drift.X[:, :2], np.zeros(len(drift.y))), (drift.X[:, :2] * np.nan, drift.y)):
        with pytest.raises(ValueError):
            model.fit(X, y)
        assert model.n_features_in_ == 4
        np.testing.assert_array_equal(model.predict_proba(drift.X), expected)
    model.set_params(model="lineer")
    with pytest.raises(ValueError, match="lineer"):
        model.fit(drift.X[:, :2], drift.y)
    np.testing.assert_array_equal(model.predict_proba(drift.X), expected)
    # With a folder there is one writer: nothing is left of the model before.
    model = quick(folder=tmp_path / "run").fit(drift.X, drift.y)
    with pytest.raises(ValueError):
        model.fit(drift.X, drift.y[:-1])
    with pytest.raises(NotFittedError):
        model.predict(drift.X)
    with pytest.raises(NotFittedError):
        model.version_


def test_an_interrupted_fit_keeps_the_model_before_it(drift):
    def fails(X, y):
        raise KeyboardInterrupt

    model = quick().fit(drift.X, drift.y)
    expected = model.predict_proba(drift.X)
    model.set_params(model=(fails, lambda model, X: None))
    with pytest.raises(KeyboardInterrupt):
        model.fit(drift.X[:, :3], drift.y)
    np.testing.assert_array_equal(model.predict_proba(drift.X), expected)
