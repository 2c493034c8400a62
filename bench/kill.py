#!/usr/bin/env python3
"""Kills `driftline adapt` at random moments, resumes it, and compares the run with one that was left alone.

    python3 bench/kill.py [--driftline target/release/driftline] [--kills 50] [--seed 0] [--model linear|mlp]

Every file must be the same to the last byte. Exit code 1 if any is not.
"""
import argparse
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def table(path, rows, start, seed):
    """Three classes on a turning circle."""
    rng = random.Random(seed)
    lines = ["x,y,z,label"]
    for row in range(rows):
        angle = 2 * math.pi * (row % 3) / 3 + start * row / rows
        lines.append(f"{math.cos(angle) + rng.gauss(0, .3):.4f},{math.sin(angle) + rng.gauss(0, .3):.4f},{rng.gauss(0, 1):.4f},{'abc'[row % 3]}")
    path.write_text("\n".join(lines) + "\n")


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--kills", default=50, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--model", default="mlp")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table(folder / "source.csv", 600, 0.0, 1)
        table(folder / "stream.csv", 12_000, 1.5, 2)

        def command(out):
            return [arguments.driftline.resolve(), "adapt", "--source", "source.csv", "--label", "label", "--stream", "stream.csv",
                    "--answers", "label", "--model", arguments.model, "--out", out, "--quiet"]

        def finish():
            subprocess.run(command("run"), cwd=folder, check=True, capture_output=True)

        began = time.monotonic()
        finish()
        whole_time = time.monotonic() - began
        whole = contents(folder / "run")
        killed = differ = 0
        while killed < arguments.kills:
            shutil.rmtree(folder / "run")
            # Up to three kills before the run may end: also a resumed run can be killed.
            for _ in range(rng.randint(1, 3)):
                child = subprocess.Popen(command("run"), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(rng.uniform(0, whole_time))
                if child.poll() is None:
                    child.kill()
                    killed += 1
                child.wait()
            finish()
            found = contents(folder / "run")
            if found != whole:
                differ += 1
                print("differs:", sorted(name for name in found.keys() | whole.keys() if found.get(name) != whole.get(name)))
        print(f"{killed} kills, {len(whole)} files, {differ} runs that differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
