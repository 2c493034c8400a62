#!/usr/bin/env python3
"""What the guard costs on tables: `adapt --policy guarded` against `--policy always`, window by window.

    python3 bench/guard.py                     windows of 200, 1,000, 5,000 and 10,000 rows of 20 columns
    python3 bench/guard.py --rows 5000 --program target/release/driftline

Two Gaussian classes whose columns drift each in its own direction; a linear model. The time of a window is what a run of 24 windows takes
longer than one of 4, by the clock, so that reading the source, training on it and starting cancel; the least of three runs. Needs nothing but Python.
Run it on a machine that does nothing else.
"""

import argparse
import random
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, SOURCE, FEW, MANY, REPEATS = 20, 5000, 4, 24, 3
NAMES = [f"c{at}" for at in range(COLUMNS)]


def main():
    arguments = parse()
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write(folder / "source.csv", SOURCE, 0, 0.0, True)
            for windows in (FEW, MANY):
                write(folder / f"{windows}.csv", windows * rows, 1, windows / MANY, False)
            plain, guarded = (per_window(arguments.program, folder, rows, policy) for policy in ("always", "guarded"))
            print(f"{rows} rows: always {1000 * plain:.1f} ms a window, guarded {1000 * guarded:.1f} ms: "
                  f"{1000 * (guarded - plain):+.1f} ms, {guarded / plain:.2f} times", flush=True)


def per_window(program, folder, rows, policy):
    least = []
    for windows in (FEW, MANY):
        times = []
        for repeat in range(REPEATS):
            command = [program, "adapt", "--source", folder / "source.csv", "--label", "label", "--model", "linear", "--stream",
                       folder / f"{windows}.csv", "--window", str(rows), "--policy", policy, "--fail-on", "never",
                       "--out", folder / f"{policy}-{windows}-{repeat}", "--quiet"]
            begun = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - begun)
        least.append(min(times))
    return (least[1] - least[0]) / (MANY - FEW)


def write(path, count, seed, part, labelled):
    draw = random.Random(seed)
    directions = [draw.gauss(0, 0.3) for _ in NAMES]
    with path.open("w", buffering=1 << 20) as file:
        file.write(",".join(NAMES) + (",label" if labelled else "") + "\n")
        for row in range(count):
            side = draw.choice((-1, 1))
            moved = 2 * part * row / count if not labelled else 0
            values = ",".join(f"{side * 0.5 + moved * by + draw.gauss(0, 1):.3f}" for by in directions)
            file.write(values + (f",{'b' if side > 0 else 'a'}" if labelled else "") + "\n")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 5000, 10000])
    parser.add_argument("--program", default=ROOT / "target" / "release" / "driftline")
    return parser.parse_args()


if __name__ == "__main__":
    main()
