#!/usr/bin/env python3
"""What the guard costs: `adapt --policy guarded` against `--policy always`, window by window.

    python3 bench/guard.py                     tables: windows of 200, 1,000, 5,000 and 10,000 rows of 20 columns
    python3 bench/guard.py --rows 5000 --program target/release/driftline
    python3 bench/guard.py --digits            a network on turning digits (`driftline data fetch mnist` first)

Tables: one of the streams of `bench/fleet.py`, with more rows; a linear model. The time of a window is what a run of 24 windows takes
longer than one of the first 4 of them, so that reading the source, training on it and starting cancel. Digits: what a run takes
longer than one that never learns, the model having been trained before. The least of three runs each, by the clock and in processor time of all
threads together, which tells more on a machine that does other things as well. Needs nothing but Python and Linux.
"""

import argparse
import random
import tempfile
from pathlib import Path

from fleet import COLUMNS, NAMES, ROOT, measured, rows, write_source

FEW, MANY, REPEATS = 4, 24, 3


def main():
    arguments = parse()
    if arguments.digits:
        return digits(arguments.program)
    for size in arguments.rows:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            write_source(folder / "source.csv")
            draw = random.Random(1)
            stream = list(rows(draw, [draw.gauss(0, 0.3) for _ in range(COLUMNS)], MANY * size))
            for windows in (FEW, MANY):
                (folder / f"{windows}.csv").write_text("\n".join([",".join(NAMES), *stream[: windows * size]]) + "\n")
            plain, guarded = (per_window(arguments.program, folder, size, policy) for policy in ("always", "guarded"))
            report(f"{size} rows", plain, guarded)


def report(what, plain, guarded):
    for kind, always, judged in zip(("clock", "processors"), plain, guarded):
        print(f"{what}, {kind}: always {1000 * always:.1f} ms a window, guarded {1000 * judged:.1f} ms: "
              f"{1000 * (judged - always):+.1f} ms, {judged / always:.2f} times", flush=True)


def least(runs):
    """The least time by the clock, and of processors."""
    return [min(times) for times in zip(*runs)]


def digits(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        measured([program, "data", "export", "mnist", folder / "digits", "--quiet"])
        measured([program, "fit", "--source", folder / "digits/source", "--label", "label", "--quiet", "--out", folder / "m.safetensors"])
        windows = []

        def took(policy):
            def once(repeat):
                out = folder / f"{policy}-{repeat}"
                command = [program, "adapt", "--model", folder / "m.safetensors", "--stream", folder / "digits/stream", "--policy", policy,
                           "--fail-on", "never", "--quiet", "--out", out]
                seconds = measured(command)[1:3]
                windows.append(sum(1 for _ in open(out / "windows.jsonl")))
                return seconds

            return least(map(once, range(REPEATS)))

        never, plain, guarded = map(took, ("never", "always", "guarded"))
        report(f"digits, {windows[-1]} windows", *([(own - idle) / windows[-1] for own, idle in zip(times, never)] for times in (plain, guarded)))


def per_window(program, folder, size, policy):
    def took(windows):
        command = [program, "adapt", "--source", folder / "source.csv", "--label", "label", "--model", "linear", "--stream",
                   folder / f"{windows}.csv", "--window", size, "--policy", policy, "--fail-on", "never", "--quiet", "--out"]
        return least(measured([*command, folder / f"{policy}-{windows}-{repeat}"])[1:3] for repeat in range(REPEATS))

    return [(many - few) / (MANY - FEW) for many, few in zip(took(MANY), took(FEW))]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 5000, 10000])
    parser.add_argument("--digits", action="store_true")
    parser.add_argument("--program", default=ROOT / "target" / "release" / "driftline")
    return parser.parse_args()


if __name__ == "__main__":
    main()
