"""A user's script under the strictest rules of type checkers."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SCRIPT = '''
"""A service that keeps a classifier in step with its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import driftline
from driftline import DriftClassifier
from driftline.model_selection import TimeSplit, stream_score

Rows = NDArray[np.float64]


@dataclass
class Watched:
    model: DriftClassifier
    reference: tuple[Rows, NDArray[np.int64]]

    def follow(self, chunk: Rows) -> int:
        self.model.adapt(chunk, flush=False)
        return self.model.version_

    def answer(self, rows: Rows) -> list[int]:
        found: NDArray[np.int64] = self.model.predict(rows)
        return [int(one) for one in found]

    def healthy(self, rows: Rows) -> bool:
        change = driftline.explain(self.reference[0], rows)
        estimated = driftline.estimate(self.model, *self.reference, rows)
        return not change.drifted or (estimated.low or 0.0) > 0.7


def chunks(rows: Rows, size: int) -> Iterator[Rows]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def main(folder: Path) -> float:
    rng = np.random.default_rng(0)
    answers = np.arange(900, dtype=np.int64) % 2
    rows: Rows = rng.normal(size=(900, 2)) + 3.0 * answers[:, None]
    source, stream = next(TimeSplit(1).split(rows))
    model = DriftClassifier("linear", window=50, policy="always", alignment="standardize", random_state=1)
    model.fit(rows[source], answers[source], sample_weight=np.ones(len(source)))
    score: float = stream_score(model, rows[stream], answers[stream])
    watched = Watched(model, (rows[source], answers[source]))
    for chunk in chunks(rows[stream], 77):
        watched.follow(chunk)
    model.flush().save(folder / "model.safetensors")
    again = DriftClassifier.load(folder / "model.safetensors")
    assert again.classes_.tolist() == [0, 1]
    assert watched.answer(rows[:3]) and watched.healthy(rows[stream])
    return score


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        print(main(Path(place)))
'''


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """mypy at its strictest, which reads numpy once."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")

    def check(path):
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, path.name]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)

    return check


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "service.py"
    path.write_text(textwrap.dedent(SCRIPT).lstrip())
    return path


def test_the_script_runs(script):
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.8


def test_mypy_strict_has_nothing_to_say(script, mypy):
    done = mypy(script)
    assert done.returncode == 0, done.stdout


def test_pyright_strict_has_nothing_to_say(script):
    program = Path(sys.executable).with_name("basedpyright")
    if not program.exists() and shutil.which("pyright") is None:
        pytest.skip("neither pyright nor basedpyright is installed")
    command = str(program) if program.exists() else "pyright"
    (script.parent / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    done = subprocess.run([command, "--pythonpath", sys.executable, script], capture_output=True, text=True, check=False, cwd=script.parent)
    assert done.returncode == 0, done.stdout


def test_a_wrong_name_is_seen_by_mypy(tmp_path, mypy):
    (tmp_path / "wrong.py").write_text('from driftline import DriftClassifier\nDriftClassifier(policy="carefull", tail="cut")\n')
    done = mypy(tmp_path / "wrong.py")
    assert done.stdout.count("arg-type") == 2, done.stdout
