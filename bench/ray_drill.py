#!/usr/bin/env python3
"""Fleets and experiments on Ray: the failure drill, and what is measured of it.

    python3 bench/ray_drill.py                     # everything
    python3 bench/ray_drill.py --only tests -k killed
    python3 bench/ray_drill.py --only speed trials --venv DIR

Makes a virtual environment under `target/`, builds the wheel and installs it with Ray and moto from PyPI; `--venv DIR` uses one that
has them. The tests are `crates/driftline-py/tests/test_ray*.py`: workers killed at random moments, a node lost, a full disk, work
delivered twice, damaged and slow streams, files in S3, frames. The measurements are those of `bench/ray_speed.py`. The program is built as the
tests build it. Two raylets and a small file system need root; what cannot be done is skipped and says why.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "crates/driftline-py"
NEEDED = ["moto[server]", "boto3", "pytest", "tqdm", "pandas", "polars", "ray[data]"]


def main():
    arguments = parse()
    program = arguments.program or built()
    python = arguments.venv / "bin/python" if arguments.venv else environment()
    # Ray must not look for a cluster of somebody else's, nor call home.
    settings = {**os.environ, "DRIFTLINE": str(program), "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    settings.pop("RAY_ADDRESS", None)
    code = 0
    if "tests" in arguments.only:
        tests = [PACKAGE / "tests" / name for name in ("test_ray.py", "test_ray_frames.py", "test_ray_nodes.py")]
        chosen = ["-k", arguments.k] if arguments.k else []
        command = [python, "-m", "pytest", "-p", "no:cacheprovider", "-v", "--durations=0", *chosen, *tests]
        code |= subprocess.run(command, cwd=ROOT / "target", env=settings).returncode
    for what in ("speed", "trials"):
        if what in arguments.only:
            command = [python, ROOT / "bench/ray_speed.py", what, "--program", program, *arguments.more]
            code |= subprocess.run(command, cwd=ROOT / "target", env=settings).returncode
    sys.exit(code)


def built():
    subprocess.run(["cargo", "build", "--workspace", "--locked", "--bin", "driftline"], cwd=ROOT, check=True)
    return ROOT / "target/debug/driftline"


def environment():
    """Python with the package, Ray and moto."""
    folder = ROOT / "target/ray-venv"
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "maturin>=1.9,<2", *NEEDED], check=True)
    wheels = ROOT / "target/ray-wheels"
    build = [folder / "bin/maturin", "build", "--quiet", "--profile", "dev", "--locked", "--interpreter", python, "--out", wheels]
    subprocess.run(build, cwd=PACKAGE, check=True)
    wheel = max(wheels.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    subprocess.run([*pip, f"{wheel}[ray]"], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
    return python


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["tests", "speed", "trials"], default=["tests", "speed", "trials"])
    parser.add_argument("-k", help="only tests whose names match, as in pytest")
    parser.add_argument("--venv", type=Path, help="a virtual environment with the package, Ray and moto")
    parser.add_argument("--program", type=Path, help="the program to compare with [default: built]")
    parser.add_argument("more", nargs="*", help="for ray_speed.py, behind --")
    return parser.parse_args()


if __name__ == "__main__":
    main()
