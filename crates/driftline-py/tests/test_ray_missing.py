"""Ray is no dependency of the package: nothing fails without it but its import, which says how to get it."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules['ray'] = None; {code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_message_says_what_to_install():
    done = run("import driftline.ray")
    assert done.returncode == 1
    assert "ray is not installed: pip install 'driftline[ray]'" in done.stderr
    done = run("import driftline; driftline.ray.fleet")
    assert done.returncode == 1 and "pip install 'driftline[ray]'" in done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import driftline; help(driftline)",
        "from driftline import *; DriftClassifier, estimate, explain",
        "import driftline; assert not hasattr(driftline, 'ray')",
        "import inspect, driftline; inspect.getmembers(driftline)",
    ],
)
def test_everything_else_works_without_it(code):
    done = run(code)
    assert done.returncode == 0, done.stderr
