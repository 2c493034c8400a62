"""The program ``driftline``, which wheels bring along beside the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path


def path() -> Path:
    """Where the program is: beside this Python, or on the search path."""
    name = "driftline" + (".exe" if sys.platform == "win32" else "")
    places = [sysconfig.get_path("scripts"), str(Path(sys.executable).parent)]
    if hasattr(sysconfig, "get_preferred_scheme"):
        places.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    for place in places:
        found = Path(place) / name
        if found.is_file() and os.access(found, os.X_OK):
            return found
    other = shutil.which("driftline")
    if other is None:
        raise FileNotFoundError(
            "the driftline program is not installed: the wheel includes it; without the wheel, `cargo install --path crates/driftline-cli --features full` "
            "builds it"
        )
    return Path(other)


def run(*arguments: str) -> None:
    """Runs the program; what it says in a failure is the error."""
    done = subprocess.run([str(path()), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"driftline {' '.join(arguments)} ended with {done.returncode}")
