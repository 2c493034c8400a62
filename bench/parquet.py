#!/usr/bin/env python3
"""Compares reading a Parquet file with `pandas.read_parquet(f).to_numpy("float32")`, in one sitting.

    python3 bench/parquet.py FILE      for example OUT/covertype.parquet of bench/covertype_parquet.py
    python3 bench/parquet.py FILE --venv DIR --rounds 9

Both read all columns, which must be numbers, into one array of 32-bit floats, row after row; processes take turns, the
file is in memory (each reads it once before), each figure is the median. The sums of all values must agree. Exit code 1
if reading takes longer than pandas does. Run it on a machine that does nothing else.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from covertype_parquet import environment

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--venv", type=Path, help="a virtual environment with pandas and pyarrow")
    parser.add_argument("--rounds", type=int, default=7, help="processes per reader (default 7)")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments.file)
    python = environment(arguments.venv)
    example = ["cargo", "build", "--release", "--quiet", "-p", "driftline", "--example", "read_table"]
    subprocess.run(example, cwd=ROOT, check=True)
    commands = {
        "driftline": [ROOT / "target/release/examples/read_table", arguments.file, "2"],
        "pandas": [python, __file__, arguments.file, "--worker"],
    }
    seconds = {name: [] for name in commands}
    for _ in range(arguments.rounds):
        sums = {}
        for name, command in commands.items():
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            last = json.loads(lines[-1])
            seconds[name].append(last["seconds"])
            sums[name] = last["sum"]
        assert abs(sums["driftline"] - sums["pandas"]) <= 1e-6 * abs(sums["pandas"]) + 1e-6, sums
    median = {name: statistics.median(values) for name, values in seconds.items()}
    for name, value in median.items():
        print(f"{name:10} {value:.3f} s  (from {min(seconds[name]):.3f} to {max(seconds[name]):.3f})")
    ratio = median["pandas"] / median["driftline"]
    print(f"pandas takes {ratio:.2f} times as long")
    return 0 if ratio >= 1 else 1


def worker(file):
    """Reads twice in one process, as the example does; the second time counts."""
    import time

    import pandas

    for _ in range(2):
        start = time.perf_counter()
        array = pandas.read_parquet(file).to_numpy("float32")
        taken = time.perf_counter() - start
        print(json.dumps({"seconds": taken, "sum": float(array.sum(dtype="float64"))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
