"""Run folders in MLflow, on a server with SQLite that the tests start. `./check-integrations mlflow` installs what is needed and runs
them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fleets
from driftline import DriftClassifier

try:
    import mlflow
except ImportError:
    pytest.skip("mlflow is not installed; ./check-integrations mlflow runs these", allow_module_level=True)

import driftline.mlflow  # noqa: E402
from driftline.mlflow import log_run, register, sync  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory):
    """`mlflow server` on loopback, as people run it."""
    place = tmp_path_factory.mktemp("mlflow")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1",
               "--backend-store-uri", f"sqlite:///{place}/mlflow.db", "--artifacts-destination", str(place / "artifacts")]  # fmt: skip
    with (place / "log").open("w") as log:
        made = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 180
    while True:
        assert made.poll() is None and time.monotonic() < until, (place / "log").read_text()
        try:
            if urllib.request.urlopen(f"{address}/health", timeout=2).status == 200:
                break
        except OSError:
            time.sleep(0.5)
    mlflow.set_tracking_uri(address)
    yield
    os.killpg(made.pid, 15)
    made.wait(30)


def client() -> mlflow.MlflowClient:
    return mlflow.MlflowClient()


@pytest.fixture
def rows(drift):
    """Frames whose columns have names, one of them of whole numbers."""
    names = ["a", "b", "c", "d"]

    def frame(values):
        return pd.DataFrame(values, columns=names).assign(n=np.arange(len(values)) % 7)

    return frame(drift.X), np.array(["off", "on"])[drift.y], frame(drift.stream)


def begun(folder: Path, rows, **other) -> DriftClassifier:
    source, y, stream = rows
    model = DriftClassifier("linear", window=100, folder=folder, **{"policy": "always", **other})
    return model.fit(source, y).adapt(stream[:300])


def history(run_id: str, name: str) -> list[tuple[int, float]]:
    return [(one.step, one.value) for one in client().get_metric_history(run_id, name)]


def test_a_run_becomes_a_run(rows, tmp_path):
    model = begun(tmp_path / "run", rows, policy="guarded")
    run_id = log_run(tmp_path / "run", experiment="plain")
    found = client().get_run(run_id)
    assert found.info.run_name == "run" and found.info.status == "FINISHED"
    assert found.data.params["method.model"] == "linear" and found.data.params["seed"] == "0"
    assert found.data.tags["driftline.in-use"] == str(model.version_)
    for name, place in [("estimated_accuracy", "estimated_accuracy"), ("changed_vs_source", "flips")]:
        assert history(run_id, name) == [(own["window"], own[place]) for own in model.records_], name
    assert [value for _, value in history(run_id, "deployed")] == [float(own["decision"] == "deploy") for own in model.records_]
    files = {one.path for one in client().list_artifacts(run_id)}
    assert {"report.html", "manifest.json", "windows.jsonl"} <= files
    page = client().download_artifacts(run_id, "report.html", str(tmp_path))
    assert Path(page).read_text().lower().startswith("<!doctype html>")


def test_models_predict_what_the_run_predicts(rows, tmp_path):
    model = begun(tmp_path / "run", rows)
    run_id = log_run(tmp_path / "run", experiment="models")
    experiment = client().get_run(run_id).info.experiment_id
    models = {one.name: one.model_uri for one in client().search_logged_models([experiment])}
    assert sorted(models) == ["version-3", "version-3-onnx"]
    stream = rows[2]
    loaded = mlflow.pyfunc.load_model(models["version-3"])
    assert loaded.predict(stream).tolist() == model.predict(stream).tolist()
    shares = loaded.predict(stream, params={"probabilities": True})
    assert list(shares) == ["off", "on"]
    np.testing.assert_array_equal(shares.to_numpy(), model.predict_proba(stream))
    # Columns are known by their names, wherever they stand.
    assert loaded.predict(stream[list(stream)[::-1]]).tolist() == model.predict(stream).tolist()
    with pytest.raises(mlflow.exceptions.MlflowException, match="missing inputs"):
        loaded.predict(stream.drop(columns="a"))
    graph = mlflow.onnx.load_model(models["version-3-onnx"])
    assert graph.SerializeToString() == model.to_onnx()


def test_what_is_there_is_not_written_twice(rows, tmp_path):
    model = begun(tmp_path / "run", rows)
    first = log_run(tmp_path / "run", experiment="again")
    before = history(first, "confidence")
    assert log_run(tmp_path / "run", experiment="again") == first
    assert history(first, "confidence") == before and len(before) == 3
    model.adapt(rows[2][300:400])
    assert log_run(tmp_path / "run", experiment="again") == first
    assert [step for step, _ in history(first, "confidence")] == [1, 2, 3, 4]
    experiment = client().get_run(first).info.experiment_id
    names = [one.name for one in client().search_logged_models([experiment])]
    assert sorted(names) == ["version-3", "version-3-onnx", "version-4", "version-4-onnx"]


def test_the_alias_moves_on_deploy_and_on_rollback(rows, tmp_path):
    model = begun(tmp_path / "run", rows)

    def in_use() -> tuple[int, dict[str, str]]:
        found = client().get_model_version_by_alias("plant", "in-use")
        return int(found.version), found.tags

    assert sync(tmp_path / "run", "plant", experiment="alias") == 1
    assert in_use()[0] == 1 and in_use()[1]["driftline.version"] == "3"
    model.adapt(rows[2][300:400])
    assert sync(tmp_path / "run", "plant", experiment="alias") == 2 and in_use()[0] == 2
    served = mlflow.pyfunc.load_model("models:/plant@in-use")
    assert served.predict(rows[2]).tolist() == model.predict(rows[2]).tolist()
    model.roll_back(3)
    assert sync(tmp_path / "run", "plant", experiment="alias") == 1 and in_use()[0] == 1
    served = mlflow.pyfunc.load_model("models:/plant@in-use")
    np.testing.assert_array_equal(served.predict(rows[2], params={"probabilities": True}), model.predict_proba(rows[2]))
    model.roll_back(0)
    assert sync(tmp_path / "run", "plant", experiment="alias") == 3 and in_use()[1]["driftline.version"] == "0"
    assert register(tmp_path / "run", "plant", version=4, experiment="alias") == 2, "it moves nothing"
    assert in_use()[0] == 3
    assert len(client().search_model_versions("name = 'plant'")) == 3


def test_a_window_that_is_held_makes_no_version(rows, tmp_path):
    model = begun(tmp_path / "run", rows, policy="never")
    assert model.version_ == 3
    assert sync(tmp_path / "run", "held", experiment="held") == 1
    model.adapt(rows[2][300:400])
    assert sync(tmp_path / "run", "held", experiment="held") == 1
    [only] = client().search_model_versions("name = 'held'")
    assert only.tags["driftline.version"] == "0"


def test_the_active_run_and_experiment_are_left_alone(rows, tmp_path):
    begun(tmp_path / "run", rows)
    mlflow.set_experiment("active")
    with mlflow.start_run() as own:
        run_id = log_run(tmp_path / "run", models=False)
        assert mlflow.active_run().info.run_id == own.info.run_id != run_id
    experiment = client().get_experiment_by_name("active").experiment_id
    assert client().get_run(run_id).info.experiment_id == experiment


def test_runs_that_went_different_ways_are_told_apart(rows, tmp_path):
    model = begun(tmp_path / "run", rows)
    shutil.copytree(tmp_path / "run", tmp_path / "twin", ignore=shutil.ignore_patterns(".lock*"))
    model.adapt(rows[2][300:400])
    log_run(tmp_path / "run", experiment="ways", models=False)
    with pytest.raises(ValueError, match="not those of the folder"):
        log_run(tmp_path / "twin", experiment="ways", models=False)


@pytest.mark.skipif(not fleets.PROGRAM, reason="DRIFTLINE does not name the program")
def test_labels_that_come_late_are_added(tmp_path):
    """A run of the program, whose second window is scored after it was logged."""
    fleets.write(tmp_path, 1)
    given = [*fleets.FILES[:6], "--stream", "data/streams/s0.csv", *fleets.HOW]
    fleets.program(tmp_path, "adapt", *given, "--out", "run")
    run_id = log_run(tmp_path / "run", experiment="late")
    assert history(run_id, "accuracy") == []
    (tmp_path / "late.csv").write_text("label\n" + "x\ny\n" * 25)
    fleets.program(tmp_path, "score", "run", "--window", "2", "--labels", "late.csv")
    assert log_run(tmp_path / "run", experiment="late") == run_id
    [(window, accuracy)] = history(run_id, "accuracy")
    assert window == 2 and accuracy > 0.8
    assert len(history(run_id, "confidence")) == 4


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        log_run(tmp_path)
