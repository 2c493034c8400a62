"""The other door: files of the package in the program, and the other way round. DRIFTLINE names the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from driftline import DriftClassifier

PROGRAM = os.environ.get("DRIFTLINE", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="DRIFTLINE does not name the program")


@pytest.fixture
def place(drift, tmp_path):
    names = [f"c{at}" for at in range(4)]
    source = pd.DataFrame(drift.X, columns=names)
    source["label"] = drift.y
    source.to_parquet(tmp_path / "source.parquet")
    pd.DataFrame(drift.stream, columns=names).to_parquet(tmp_path / "stream.parquet")
    np.savez(tmp_path / "data.npz", X=drift.X, y=drift.y, stream=drift.stream)
    return tmp_path


def program(place: Path, *what: str) -> None:
    subprocess.run([PROGRAM, "--quiet", *what], cwd=place, check=True, stdout=subprocess.DEVNULL)


def adapt(place: Path, policy: str, folder: str = "run", model: str = "linear") -> None:
    what = ["--source", "source.parquet", "--label", "label", "--stream", "stream.parquet"]
    program(place, "adapt", *what, "--model", model, "--window", "100", "--policy", policy, "--fail-on", "never", "--out", folder)


def shares(place: Path, model: str) -> np.ndarray:
    program(place, "predict", model, "--input", "stream.parquet", "--out", "found.parquet", "--force")
    found = pd.read_parquet(place / "found.parquet")
    return found[["p_0", "p_1"]].to_numpy(dtype=np.float32)


@pytest.mark.parametrize(("policy", "model"), [("always", "linear"), ("guarded", "linear"), ("always", "trees"), ("guarded", "trees")])
def test_models_of_one_door_predict_the_same_in_the_other(drift, place, policy, model):
    own = DriftClassifier(model=model, window=100, policy=policy).fit(drift.X, drift.y).adapt(drift.stream)
    own.save(place / "own.safetensors")
    own.save(place / "own")
    expected = own.predict_proba(drift.stream)
    for name in ("own.safetensors", "own"):
        np.testing.assert_array_equal(shares(place, name), expected)
    adapt(place, policy, model=model)
    theirs = DriftClassifier.load(place / "run")
    np.testing.assert_array_equal(theirs.predict_proba(drift.stream), expected)
    assert (place / "run/report.html").exists()


SCRIPT = """
import os, sys, threading, time
from pathlib import Path
import numpy as np
from driftline import DriftClassifier
data, (folder, policy, model, after) = np.load("data.npz"), sys.argv[1:]
model = DriftClassifier(model=model, window=100, policy=policy, folder=folder).fit(data["X"], data["y"])
def kill():
    while len(list(Path(folder).glob("checkpoints/window-*"))) <= int(after):
        time.sleep(0.001)
    os.kill(os.getpid(), 9)
if int(after):
    threading.Thread(target=kill, daemon=True).start()
model.adapt(data["stream"])
"""


@pytest.mark.parametrize(("policy", "model"), [("always", "linear"), ("guarded", "linear"), ("always", "trees")])
def test_a_killed_run_goes_on_in_the_program_to_the_same_bytes(place, policy, model):
    def run(folder: str, after: int) -> int:
        command = [sys.executable, "-c", SCRIPT, folder, policy, model, str(after)]
        return subprocess.run(command, cwd=place, check=False).returncode

    assert run("whole", 0) == 0
    run("killed", 2)
    adapt(place, policy, "killed", model)

    def files(folder: str) -> dict[str, bytes]:
        found = (path for path in (place / folder).rglob("*") if path.is_file() and "lock" not in path.name)
        return {str(path.relative_to(place / folder)): path.read_bytes() for path in found}

    whole, killed = files("whole"), files("killed")
    assert sorted(whole) == sorted(killed)
    assert [name for name in whole if whole[name] != killed[name]] == []
