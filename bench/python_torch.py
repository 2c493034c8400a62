"""Runs the PyTorch notebook from top to bottom: `python bench/python_torch.py`. Needs the package, PyTorch and nbclient."""

import subprocess
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "crates/driftline-py/notebooks"

try:
    import torch  # noqa: F401
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(0)
command = [sys.executable, str(NOTEBOOKS / "execute.py"), str(NOTEBOOKS / "own-torch-model.ipynb")]
sys.exit(subprocess.run(command, check=False).returncode)
