#!/usr/bin/env python3
"""Training with two threads on a machine that others use too.

    python3 bench/load.py [--driftline target/release/driftline] [--rounds 5]

Two kinds of work: the paper's conv net (a whole `driftline adapt` over images) and a small network (over a table). Each is run
with one thread and with two; with two also beside a busy process, and under a quota of 1.5 cores (a cgroup of its own; skipped
where none can be made). Rounds alternate; the table has medians and their ratio to two threads alone. The wanted ratios: at most
1.8 beside a busy process and under the quota; the small network with two threads at most 1.1 times as long as with one.
"""
import argparse
import contextlib
import os
import pathlib
import statistics
import struct
import random
import subprocess
import sys
import tempfile
import time

from kill import ROOT, table

CGROUPS = [("/sys/fs/cgroup", "cpu.max", "150000 100000"), ("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "150000")]


def images(path, rows, seed):
    """Bright bars in noise as IDX files: images and labels."""
    rng = random.Random(seed)
    pixels, labels = bytearray(), bytearray()
    for row in range(rows):
        label = row % 10
        labels.append(label)
        for y in range(28):
            bar = 200 if y // 3 == label else 0
            pixels += bytes(min(255, bar + rng.randrange(56)) for _ in range(28))
    path.with_name(path.name + "-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, rows, 28, 28) + pixels)
    path.with_name(path.name + "-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, rows) + labels)


@contextlib.contextmanager
def quota():
    """A cgroup with 1.5 cores, or None."""
    for root, name, value in CGROUPS:
        group = pathlib.Path(root) / "driftline-bench"
        try:
            group.mkdir()
            if not (group / name).exists():
                raise OSError("no controller")
            (group / name).write_text(value)
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
            continue
        yield group
        group.rmdir()
        return
    yield None


def seconds(command, folder, group=None):
    enter = (lambda: (group / "cgroup.procs").write_text(str(os.getpid()))) if group else None
    began = time.monotonic()
    subprocess.run(command, cwd=folder, check=True, capture_output=True, preexec_fn=enter)
    return time.monotonic() - began


def beside_busy(command, folder):
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        return seconds(command, folder)
    finally:
        busy.kill()
        busy.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--rounds", default=5, type=int)
    arguments = parser.parse_args()
    program = arguments.driftline.resolve()
    with tempfile.TemporaryDirectory() as name, quota() as group:
        folder = pathlib.Path(name)
        table(folder / "source.csv", 600, 0.0, 1)
        table(folder / "stream.csv", 12_000, 1.5, 2)
        images(folder / "source", 1000, 1)
        images(folder / "stream", 2000, 2)
        work = {
            "small network": ["--source", "source.csv", "--label", "label", "--stream", "stream.csv", "--model", "mlp"],
            "conv net": ["--source", "source-images-idx3-ubyte", "--label", "label", "--stream", "stream-images-idx3-ubyte", "--epochs", "3"],
        }
        conditions = {
            "one thread": lambda command: seconds(command + ["--threads", "1"], folder),
            "two threads": lambda command: seconds(command + ["--threads", "2"], folder),
            "beside a busy process": lambda command: beside_busy(command + ["--threads", "2"], folder),
        }
        if group:
            conditions["quota of 1.5 cores"] = lambda command: seconds(command + ["--threads", "2"], folder, group)
        else:
            print("no cgroup can be made here: the quota is skipped")
        for kind, data in work.items():
            times = {condition: [] for condition in conditions}
            for _ in range(arguments.rounds):
                for condition, run in conditions.items():
                    times[condition].append(run([program, "adapt", *data, "--out", "run", "--force", "--quiet"]))
            alone = statistics.median(times["two threads"])
            for condition, all_times in times.items():
                median = statistics.median(all_times)
                print(f"{kind:14} {condition:22} {median:7.2f} s  {median / alone:5.2f}")


if __name__ == "__main__":
    main()
