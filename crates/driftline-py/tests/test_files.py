"""Run folders and model files, the report, and being stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from driftline import DriftClassifier


def quick(**settings):
    return DriftClassifier(**{"model": "linear", "window": 100, "policy": "always", **settings})


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and "lock" not in path.name)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("policy", ["always", "guarded"])
def test_models_and_runs_come_back_the_same(drift, tmp_path, policy):
    model = quick(policy=policy).fit(drift.X, drift.y).adapt(drift.stream)
    model.save(tmp_path / "model.safetensors")
    model.save(tmp_path / "run")
    expected = model.predict_proba(drift.stream)
    for path in ("model.safetensors", "run"):
        loaded = DriftClassifier.load(tmp_path / path)
        np.testing.assert_array_equal(loaded.predict_proba(drift.stream), expected)
        np.testing.assert_array_equal(loaded.predict(drift.stream), model.predict(drift.stream))
    assert DriftClassifier.load(tmp_path / "run").history_.equals(model.history_)


def test_a_folder_is_written_on_the_way_and_found_again(drift, tmp_path):
    model = quick(folder=tmp_path / "run").fit(drift.X, drift.y).adapt(drift.stream)
    assert (tmp_path / "run/report.html").exists()
    before = files(tmp_path / "run")
    expected = model.predict_proba(drift.X)
    del model  # a folder has one writer
    again = quick(folder=tmp_path / "run").fit(drift.X, drift.y).adapt(drift.stream)
    assert again.version_ == 4
    assert files(tmp_path / "run") == before
    np.testing.assert_array_equal(again.predict_proba(drift.X), expected)
    np.testing.assert_array_equal(again.fit(drift.X, drift.y).predict_proba(drift.X), expected)
    del again
    with pytest.raises(FileExistsError, match="another run"):
        quick(folder=tmp_path / "run", window=50).fit(drift.X, drift.y)


def test_the_report_is_a_page_and_a_notebook_shows_its_beginning(drift):
    model = quick().fit(drift.X, drift.y).adapt(drift.stream)
    assert model.report().lstrip().lower().startswith("<!doctype html")
    shown = model._repr_html_()
    to_do = ["Keep serving", "Adapted, nothing to do", "Held: label", "In doubt: label", "Roll back to version"]
    assert "<svg" in shown and sum(words in shown for words in to_do) == 1
    assert "script" not in shown


def test_onnx_predicts_the_same(drift, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model = quick().fit(drift.X, drift.y).adapt(drift.stream)
    model.to_onnx(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    shares = session.run(["probabilities"], {"input": drift.stream})[0]
    np.testing.assert_allclose(shares, model.predict_proba(drift.stream), atol=1e-5)


@pytest.fixture
def interruptible():
    """Whoever runs tests in the background has SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_keeps_the_windows_that_are_finished(drift, interruptible):
    calls = []

    def slow(X, y):
        calls.append(len(X))
        if len(calls) > 8:
            signal.raise_signal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else os.kill(
                os.getpid(), signal.SIGINT
            )
            time.sleep(0.3)
        return X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)

    def predict_proba(direction, X):
        score = 1 / (1 + np.exp(-X @ direction))
        return np.stack([1 - score, score], axis=1)

    model = DriftClassifier(model=(slow, predict_proba), window=20, policy="always").fit(drift.X, drift.y)
    with pytest.raises(KeyboardInterrupt):
        model.adapt(drift.stream)
    done = model.version_
    assert 0 < done < 20
    assert len(model.history_) == done
    calls[:] = []
    model.predict(drift.stream)
    assert model.adapt(drift.stream[:40]).version_ == done + 2


SCRIPT = """
import sys, os, numpy as np
from driftline import DriftClassifier
data = np.load(sys.argv[1])
model = DriftClassifier(model="linear", window=20, policy="always", folder=sys.argv[2])
model.fit(data["X"], data["y"])
if len(sys.argv) > 3:
    import threading, time
    from pathlib import Path
    def kill():
        while len(list(Path(sys.argv[2]).glob("checkpoints/window-*"))) < int(sys.argv[3]):
            time.sleep(0.001)
        os.kill(os.getpid(), 9)
    threading.Thread(target=kill, daemon=True).start()
model.adapt(data["stream"])
"""


def test_a_killed_run_goes_on_to_the_same_bytes(drift, tmp_path):
    np.savez(tmp_path / "data.npz", X=drift.X, y=drift.y, stream=drift.stream)

    def run(folder, *more):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "data.npz"), str(tmp_path / folder), *more]
        return subprocess.run(command, check=False).returncode

    assert run("whole") == 0
    run("killed", "4")
    assert run("killed") == 0
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
