"""Ray, Spark and MLflow are no dependencies of the package: nothing fails without them but the import of what needs them, which says how
to get it."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Each door, and what has to be installed for it.
DOORS = {"ray": "ray", "spark": "pyspark", "mlflow": "mlflow"}


def run(code: str) -> subprocess.CompletedProcess[str]:
    without = "; ".join(f"sys.modules[{name!r}] = None" for name in DOORS.values())
    return subprocess.run([sys.executable, "-c", f"import sys; {without}; {code}"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("door", "needed"), DOORS.items())
def test_the_message_says_what_to_install(door, needed):
    done = run(f"import driftline.{door}")
    assert done.returncode == 1
    assert f"{needed} is not installed: pip install 'driftline[{door}]'" in done.stderr
    done = run(f"import driftline; driftline.{door}.anything")
    assert done.returncode == 1 and f"pip install 'driftline[{door}]'" in done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import driftline; help(driftline)",
        "from driftline import *; DriftClassifier, estimate, explain",
        "import driftline; assert not any(hasattr(driftline, door) for door in ('ray', 'spark', 'mlflow'))",
        "import inspect, driftline; inspect.getmembers(driftline)",
    ],
)
def test_everything_else_works_without_them(code):
    done = run(code)
    assert done.returncode == 0, done.stderr
