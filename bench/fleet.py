#!/usr/bin/env python3
"""Times `driftline fleet` on streams that are drawn: cost per stream, memory, and how both grow.

    python3 bench/fleet.py                                   1,000, 3,000 and 10,000 streams
    python3 bench/fleet.py --streams 300 1000 --policy always --program target/release/driftline

Every stream has 20 windows of 200 rows and 20 columns; two Gaussian classes drift, each stream in a direction of its own. All
rows are in one CSV file with the column `sensor`, and take turns. A linear model, guarded unless told otherwise. Prints the time,
the processor time and the largest memory of every size, the slope (processor seconds per 1,000 streams) and how far the line is from
what was measured. What the arithmetic alone takes is measured by `adapt` on some of the same streams: processor time for 20 windows
less that for one window, which has source, start and end in it. Needs nothing but Python and Linux. Times of the clock want a machine that does nothing else.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WINDOWS, ROWS, COLUMNS, CORES, ALONE = 20, 200, 20, 2, 10
NAMES = [f"c{at}" for at in range(COLUMNS)]


def main():
    arguments = parse()
    results = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = Path(folder)
        write_source(folder / "source.csv")
        alone = arithmetic(arguments, folder)
        print(f"`adapt` on {ALONE} of the streams, one thread: {1000 * alone:.0f} ms of a core for the 20 windows", flush=True)
        for size in arguments.streams:
            stream = folder / "stream.csv"
            write_streams(stream, size)
            out = folder / f"fleet-{size}"
            command = [arguments.program, "fleet", "--source", folder / "source.csv", "--label", "label", "--model", "linear",
                       "--stream", stream, "--by", "sensor", "--window", str(ROWS), "--policy", arguments.policy,
                       "--threads", str(CORES), "--reports", "0", "--out", out, "--json", "--quiet"]
            text, took, cpu, memory = measured(command)
            told = json.loads(text)
            stored = sum(path.stat().st_size for path in (out / "packs").iterdir())
            results.append((size, cpu))
            print(f"{size} streams: {took:.1f} s, {cpu:.1f} s of processors, {memory:.0f} MB, {stored / size / 1024:.1f} kB stored per "
                  f"stream, {told['done']} done, {told['failed']} failed, {told['held']} held; {1000 * cpu / size:.1f} ms of a core per "
                  f"stream, {1000 * (cpu / size - alone):+.1f} ms beyond `adapt`'s windows", flush=True)
            shutil.rmtree(out)
    if len(results) > 1:
        (first, slow), (last, slower) = results[0], results[-1]
        slope = (slower - slow) / (last - first)
        off = max(abs(slow + slope * (size - first) - cpu) / cpu for size, cpu in results)
        print(f"slope: {1000 * slope:.2f} s of processors per 1,000 streams; no size is further than {100 * off:.1f} % from the line")


def arithmetic(arguments, folder):
    """Processor seconds for the windows of one stream, on one thread."""
    spent = 0.0
    for stream, own in enumerate(streams(ALONE)):
        for windows, sign in ((WINDOWS, 1), (1, -1)):
            path = folder / f"alone-{windows}.csv"
            path.write_text(",".join(NAMES) + "\n" + "\n".join(own[: windows * ROWS]) + "\n")
            command = [arguments.program, "adapt", "--source", folder / "source.csv", "--label", "label", "--model", "linear",
                       "--stream", path, "--window", str(ROWS), "--policy", arguments.policy, "--threads", "1",
                       "--fail-on", "never", "--out", folder / f"run-{stream}-{windows}", "--quiet"]
            spent += sign * measured(command)[2]
    return spent / ALONE * WINDOWS / (WINDOWS - 1)


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


def streams(count):
    """The rows of so many different streams, one stream after another."""
    draw = random.Random(2)
    for _ in range(count):
        direction = [draw.gauss(0, 0.3) for _ in range(COLUMNS)]
        yield list(rows(draw, direction, WINDOWS * ROWS))


def write_streams(path, count):
    """Rows of all streams take turns. A few hundred different streams are drawn; the others repeat them."""
    different = list(streams(min(count, 200)))
    with path.open("w", buffering=1 << 22) as file:
        file.write("sensor," + ",".join(NAMES) + "\n")
        for row in range(WINDOWS * ROWS):
            file.writelines(f"s{stream},{different[stream % len(different)][row]}\n" for stream in range(count))


def measured(command):
    """What the command prints, its seconds by the clock and of processors, and its largest memory in megabytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as faults:
        begun = time.perf_counter()
        child = subprocess.Popen(list(map(str, command)), stdout=out, stderr=faults)
        largest, ended = 0, (0, 0, None)
        while ended[0] == 0:
            time.sleep(0.005)
            # What the kernel says at the end includes the process that it was forked from.
            found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{child.pid}/status").read_text())
            largest = max(largest, int(found[1]) if found else 0)
            ended = os.wait4(child.pid, os.WNOHANG)
        took = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(ended[1])
        if child.returncode not in (0, 3):
            faults.seek(0)
            sys.exit(f"ended with {child.returncode}: {faults.read().decode()}")
        out.seek(0)
        return out.read().decode(), took, ended[2].ru_utime + ended[2].ru_stime, largest / 1024


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, nargs="+", default=[1000, 3000, 10000])
    parser.add_argument("--policy", default="guarded")
    parser.add_argument("--folder", help="where the data go for a while [default: the temporary folder]")
    parser.add_argument("--program", default=ROOT / "target" / "release" / "driftline")
    return parser.parse_args()


if __name__ == "__main__":
    main()
