"""Ray is no dependency of the package; whoever asks for it is told how to get it."""

from __future__ import annotations

import subprocess
import sys


def test_the_message_says_what_to_install():
    code = "import sys; sys.modules['ray'] = None; import driftline.ray"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ray is not installed: pip install 'driftline[ray]'" in done.stderr
