#!/usr/bin/env python3
"""Times `driftline fleet` on streams that are drawn: cost per stream, memory, and how both grow.

    python3 bench/fleet.py                                   1,000, 3,000 and 10,000 streams
    python3 bench/fleet.py --streams 300 1000 --policy always --program target/release/driftline

Every stream has 20 windows of 200 rows and 20 columns; two Gaussian classes drift, each stream in a direction of its own. All
rows are in one CSV file with the column `sensor`, and take turns. A linear model, guarded unless told otherwise. Prints the time
and the largest memory of every size, the slope (seconds per 1,000 streams) and how far the line is from what was measured. What
the arithmetic alone takes is measured by `adapt` on one stream: the cost of a window in the middle of a long stream, 20 times.
Needs nothing but Python. Run it on a machine that does nothing else.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WINDOWS, ROWS, COLUMNS, CORES = 20, 200, 20, 2
NAMES = [f"c{at}" for at in range(COLUMNS)]


def main():
    arguments = parse()
    sizes, results = arguments.streams, []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = Path(folder)
        write_source(folder / "source.csv")
        # One long stream and one twice as long: their difference is windows and nothing else.
        per_window = marginal(arguments, folder)
        print(f"arithmetic, reading and writing of one window in a long run: {1000 * per_window:.2f} ms", flush=True)
        for size in sizes:
            stream = folder / "stream.csv"
            write_streams(stream, size)
            out = folder / f"fleet-{size}"
            command = [arguments.program, "fleet", "--source", folder / "source.csv", "--label", "label", "--model", "linear",
                       "--stream", stream, "--by", "sensor", "--window", str(ROWS), "--policy", arguments.policy,
                       "--threads", str(CORES), "--reports", "0", "--out", out, "--json", "--quiet"]
            begun = time.perf_counter()
            told, memory = measured(command)
            took = time.perf_counter() - begun
            stored = sum(path.stat().st_size for path in (out / "packs").iterdir())
            beyond = 1000 * (took * CORES / size - WINDOWS * per_window)
            results.append((size, took))
            print(f"{size} streams: {took:.1f} s, {memory:.0f} MB, {stored / size / 1024:.1f} kB stored per stream, "
                  f"{told['done']} done, {told['failed']} failed, {told['held']} held; "
                  f"{1000 * took * CORES / size:.1f} ms of a core per stream, {beyond:+.1f} ms beyond its windows", flush=True)
    if len(results) > 1:
        (first, slow), (last, slower) = results[0], results[-1]
        slope = (slower - slow) / (last - first)
        off = max(abs(slow + slope * (size - first) - took) / took for size, took in results)
        print(f"slope: {1000 * slope:.2f} s per 1,000 streams; no size is further than {100 * off:.1f} % from the line")


def marginal(arguments, folder):
    """Seconds for one window more, on one core."""
    times = []
    for windows in (40, 120):
        path = folder / f"long-{windows}.csv"
        with path.open("w") as file:
            file.write(",".join(NAMES) + "\n")
            for row in rows(random.Random(1), [0.5 / COLUMNS] * COLUMNS, windows * ROWS):
                file.write(row + "\n")
        command = [arguments.program, "adapt", "--source", folder / "source.csv", "--label", "label", "--model", "linear",
                   "--stream", path, "--window", str(ROWS), "--policy", arguments.policy, "--threads", "1",
                   "--fail-on", "never", "--out", folder / f"run-{windows}", "--quiet"]
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
    return (times[1] - times[0]) / 80


def rows(draw, direction, count):
    for row in range(count):
        side = 1 if row % 2 else -1
        moved = 2 * row / count
        yield ",".join(f"{side * 0.5 + moved * by + draw.gauss(0, 1):.3f}" for by in direction)


def write_source(path):
    draw = random.Random(0)
    with path.open("w") as file:
        file.write(",".join(NAMES) + ",label\n")
        for at, row in enumerate(rows(draw, [0] * COLUMNS, 2000)):
            file.write(f"{row},{'b' if at % 2 else 'a'}\n")


def write_streams(path, streams):
    """Rows of all streams take turns. A few hundred different streams are drawn; the others repeat them."""
    draw = random.Random(2)
    different = min(streams, 200)
    directions = [[draw.gauss(0, 0.3) for _ in range(COLUMNS)] for _ in range(different)]
    sources = [list(rows(draw, direction, WINDOWS * ROWS)) for direction in directions]
    with path.open("w", buffering=1 << 22) as file:
        file.write("sensor," + ",".join(NAMES) + "\n")
        for row in range(WINDOWS * ROWS):
            file.writelines(f"s{stream},{sources[stream % different][row]}\n" for stream in range(streams))


def measured(command):
    """What the command prints, and its largest memory in megabytes."""
    code = ("import json, resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE); "
            "print(json.dumps([done.stdout.decode(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode]))")
    done = subprocess.run([sys.executable, "-c", code, *map(str, command)], check=True, capture_output=True)
    text, kilobytes, status = json.loads(done.stdout)
    if status not in (0, 3):
        sys.exit(f"ended with {status}: {done.stderr.decode()}")
    return json.loads(text), kilobytes / 1024


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, nargs="+", default=[1000, 3000, 10000])
    parser.add_argument("--policy", default="guarded")
    parser.add_argument("--folder", help="where the data go for a while [default: the temporary folder]")
    parser.add_argument("--program", default=ROOT / "target" / "release" / "driftline")
    return parser.parse_args()


if __name__ == "__main__":
    main()
