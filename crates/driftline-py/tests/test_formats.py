"""What older versions have written is still read: each folder in `formats/` holds model files, a run and a fleet, with what was predicted by
them then (`formats/make`; `made-by` names the commit). They open, predict the same, roll back and go on. Files of format 1 are tested in
Rust (`version_0_1.rs`). DRIFTLINE names the program."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from driftline import DriftClassifier

PROGRAM = os.environ.get("DRIFTLINE", "")
FIXTURES = sorted(path.parent for path in Path(__file__).parent.glob("formats/*/made-by"))
with_program = pytest.mark.skipif(not PROGRAM, reason="DRIFTLINE does not name the program")


@pytest.fixture(params=FIXTURES, ids=lambda path: path.name)
def past(request, tmp_path) -> Path:
    """A copy that may be written to."""
    return Path(shutil.copytree(request.param, tmp_path / "past"))


def driftline(folder: Path, *what: str) -> str:
    """Standard output of a command that ends well, be it with something for somebody to do (3)."""
    done = subprocess.run([PROGRAM, *what], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), f"{what}: {done.stderr}"
    return done.stdout


def predicted(folder: Path, *what: str) -> str:
    return driftline(folder, "predict", *what, "--input", "next.csv", "--out", "-", "--quiet")


def format_of(model: Path) -> int:
    contents = model.read_bytes()
    (length,) = struct.unpack_from("<Q", contents)
    return int(json.loads(json.loads(contents[8 : 8 + length])["__metadata__"]["driftline"])["format"])


def test_every_fixture_says_what_it_is():
    assert FIXTURES
    for fixture in FIXTURES:
        said = json.loads((fixture / "made-by").read_text())
        assert said["commit"] and said["formats"]["run"] == json.loads((fixture / "run/manifest.json").read_text())["format"]
        assert said["formats"]["fleet"] == json.loads((fixture / "fleet/manifest.json").read_text())["format"]
        for name, number in said["formats"]["models"].items():
            assert format_of(fixture / name) == number, name


@with_program
def test_model_files_predict_what_they_predicted(past):
    for model in past.glob("*.safetensors"):
        assert predicted(past, model.name) == model.with_suffix(".csv").read_text(), model.name


def test_python_reads_them_too(past):
    for model in past.glob("*.safetensors"):
        rows, then = pd.read_csv(past / "next.csv"), pd.read_csv(model.with_suffix(".csv"))
        loaded = DriftClassifier.load(model)
        assert list(loaded.classes_) == ["off", "on"] and loaded.predict(rows).tolist() == then["class"].tolist()
        # What is printed is rounded.
        np.testing.assert_allclose(loaded.predict_proba(rows), then[["p_off", "p_on"]], atol=1e-6)
    run = DriftClassifier.load(past / "run")
    assert (run.version_, len(run.records_)) == (2, 4)
    assert run.adapt(pd.read_csv(past / "stream.csv")[:39:-1][:40]).version_ == 5


@with_program
def test_runs_open_predict_roll_back_and_go_on(past):
    for version in range(5):
        assert predicted(past, "run", "--version", str(version)) == (past / f"run-{version}.csv").read_text(), version
    driftline(past, "report", "run")
    driftline(past, "rollback", "run", "--to", "1")
    assert predicted(past, "run") == (past / "run-1.csv").read_text()
    # The rows of the newest window in another order are another window; it follows from the version in use.
    head, *rows = (past / "next.csv").read_text().splitlines()
    (past / "later.csv").write_text("\n".join([head, *rows[::-1]]) + "\n")
    driftline(past, "step", "run", "--input", "later.csv")
    found = json.loads(driftline(past, "inspect", "run", "--json"))
    assert (found["manifest"]["windows"], found["damaged"], found["windows"][4]["teacher"]) == (5, [], 1)


@with_program
def test_fleets_open_predict_and_go_on(past):
    found = json.loads(driftline(past, "fleet", "status", "fleet", "--json"))
    assert (found["streams"], found["done"]) == (2, 2)
    driftline(past, "fleet", "predict", "fleet", "--input", "streams/*.csv", "--out", "now.csv")
    assert (past / "now.csv").read_text() == (past / "fleet.csv").read_text()
    (past / "more").mkdir()
    shutil.copy(past / "next.csv", past / "more/one.csv")
    driftline(past, "fleet", "step", "fleet", "--input", "more/one.csv")
    driftline(past, "fleet", "export", "fleet", "--key", "one", "--out", "one")
    assert json.loads(driftline(past, "inspect", "one", "--json"))["manifest"]["windows"] == 3
