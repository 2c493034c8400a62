"""What an installed wheel brings along."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import driftline
from driftline import _program, datasets

BESIDE = Path(sysconfig.get_path("scripts")) / "driftline"
with_program = pytest.mark.skipif(not BESIDE.exists(), reason="the wheel was built without the program")


def test_the_metadata_are_complete():
    found = importlib.metadata.metadata("driftline")
    assert {"plot", "ray", "torch", "test"} <= set(found.get_all("Provides-Extra") or [])
    assert found["License-Expression"] == "MIT OR Apache-2.0" and found["Keywords"]
    assert any(line.startswith("Programming Language :: Python :: 3.11") for line in found.get_all("Classifier"))
    assert found["Version"].replace("0.1.0", driftline.__version__) == driftline.__version__


@with_program
def test_the_program_comes_with_the_wheel():
    assert _program.path() == BESIDE
    for command in ([str(BESIDE)], [sys.executable, "-m", "driftline"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["driftline", driftline.__version__]


@with_program
def test_data_sets_are_fetched_by_the_program(tmp_path):
    with pytest.raises(RuntimeError, match="no-such-data"):
        datasets.fetch("no-such-data", cache=tmp_path)


def test_without_the_program_it_is_said_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda *_: str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="the driftline program is not installed"):
        _program.path()
