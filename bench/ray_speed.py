#!/usr/bin/env python3
"""What Ray costs and gains on this machine. `bench/ray_drill.py` runs it where the package and Ray are installed.

    python bench/ray_speed.py speed [--streams 400] [--rounds 3] [--policy always]  # one worker against two, and what a task costs
    python bench/ray_speed.py trials [--seeds 250] [--scale smoke]  # a thousand trials of Table 1's Gaussian row against `driftline run`

`speed`: streams of 20 windows of 200 rows and 20 columns, a linear model, guarded, as in `bench/fleet.py`, a file each. One cluster
with one processor and one with two, in turns; medians. Every fleet is compared with the program's. What was measured is written
to `target/ray-times.json` for `bench/ray_simulate.py`, with a hundred streams or more. Run it on a machine that does nothing else.
"""

import argparse
import json
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ray

import driftline.ray
from driftline.ray import _fleet

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "crates/driftline-py/tests")]
from fleet import COLUMNS, NAMES, ROWS, WINDOWS, rows, write_source  # noqa: E402
from fleets import expect_same  # noqa: E402

HOW = {"label": "label", "model": "linear", "window": ROWS, "policy": "guarded"}


def main():
    arguments = parse()
    HOW["policy"] = arguments.policy
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"speed": speed, "trials": trials}[arguments.what](arguments)


def speed(arguments):
    for name in ("local", "data"):
        Path(name).mkdir()
    write_source(Path("data/source.csv"))
    draw = random.Random(2)
    for at in range(arguments.streams):
        lines = rows(draw, [draw.gauss(0, 0.3) for _ in range(COLUMNS)], WINDOWS * ROWS)
        Path(f"data/s{at}.csv").write_text("\n".join([",".join(NAMES), *lines]) + "\n")
    os.symlink("../data", "local/data")
    command = [arguments.program, "fleet", "--source", "data/source.csv", "--label", "label", "--model", "linear", "--stream",
               "data/s[0-9]*.csv", "--window", str(ROWS), "--policy", arguments.policy, "--out", "fleet", "--quiet"]
    begun = time.perf_counter()
    subprocess.run(command, cwd="local", stdout=subprocess.DEVNULL, check=False)
    print(f"the program, all cores: {time.perf_counter() - begun:.1f} s", flush=True)
    took = {1: [], 2: []}
    for round in range(arguments.rounds):
        for processors in (1, 2):
            result, seconds = on_ray(processors, f"round-{round}-{processors}")
            took[processors].append(seconds)
            print(f"Ray, {processors} worker(s): {seconds:.1f} s, {len(result.task_seconds)} tasks", flush=True)
    if arguments.rounds:
        one, two = statistics.median(took[1]), statistics.median(took[2])
        print(f"medians: {one:.1f} s and {two:.1f} s, {one / two:.2f} times as fast with two; all with the program's bytes")
    if arguments.streams >= 100:
        costs(arguments)


def on_ray(processors, name, **other):
    """A fleet on a cluster that is warm; it must be the program's."""
    Path(name).mkdir()
    os.symlink("../data", f"{name}/data")
    os.chdir(name)
    ray.init(num_cpus=processors, include_dashboard=False, logging_level=logging.ERROR)
    ray.get([warm.remote() for _ in range(4 * processors)])
    begun = time.perf_counter()
    result = driftline.ray.fleet("data/source.csv", stream="data/s[0-9]*.csv", out="fleet", **HOW, **other)
    seconds = time.perf_counter() - begun
    ray.shutdown()
    expect_same(Path("fleet"), Path("../local/fleet"))
    os.chdir("..")
    return result, seconds


@ray.remote
def warm():
    import driftline.ray  # noqa: F401

    time.sleep(0.2)


@ray.remote
def nothing(piece):
    return piece


def costs(arguments):
    """What a task takes beyond its streams: on its machine, and at the process that gives work out."""
    stores, once = [], _fleet.add

    def timed(*what):
        begun = time.perf_counter()
        found = once(*what)
        stores.append(time.perf_counter() - begun)
        return found

    _fleet.add = timed
    many = 50
    result, _ = on_ray(1, "many", streams_per_task=many)
    stored_many = statistics.median(stores[: arguments.streams // many])
    stores.clear()
    result, _ = on_ray(1, "single", streams_per_task=1)
    _fleet.add = once
    streams = list(result.stream_seconds.values())
    each = (stored_many - statistics.median(stores)) / (many - 1)
    inside = statistics.median(result.task_seconds) - statistics.median(streams)
    size = Path("single/fleet/packs/streams.pack").stat().st_size / len(streams)
    ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR)
    piece = bytes(int(size))
    ray.get([nothing.remote(piece) for _ in range(100)])
    begun = time.perf_counter()
    ray.get([nothing.remote(piece) for _ in range(1000)])
    through = (time.perf_counter() - begun) / 1000
    ray.shutdown()
    times = {"streams": streams, "inside": inside, "through": through, "bytes": size}
    times |= {"store": max(0.0, statistics.median(stores) - each), "store each": max(0.0, each)}
    shown = {name: f"{1000 * value:.2f} ms" for name, value in times.items() if name not in ("streams", "bytes")}
    print(f"a stream: {1000 * statistics.median(streams):.1f} ms (median), {size / 1024:.1f} kB; a task: {shown}")
    (ROOT / "target/ray-times.json").write_text(json.dumps(times))


def trials(arguments):
    spec = ROOT / "experiments/table1-gaussian.toml"
    seeds = list(range(arguments.seeds))
    command = [arguments.program, "run", spec, "--scale", arguments.scale, "--seeds", ",".join(map(str, seeds)), "--out", "local", "--quiet"]
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    here = time.perf_counter() - begun
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR)
    begun = time.perf_counter()
    results = driftline.ray.experiment(spec, folder="ray", seeds=seeds, scale=arguments.scale)
    there = time.perf_counter() - begun
    ray.shutdown()
    for name in ("trials.jsonl", "manifest.json"):
        assert Path("ray", name).read_bytes() == Path("local", name).read_bytes(), name
    print(f"{len(results)} trials, scale {arguments.scale}: {here:.1f} s by the program, {there:.1f} s through Ray, byte for byte the same")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "trials"])
    parser.add_argument("--program", type=Path, default=ROOT / "target/debug/driftline")
    parser.add_argument("--streams", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--policy", default="guarded")
    parser.add_argument("--seeds", type=int, default=250)
    parser.add_argument("--scale", choices=["full", "smoke"], default="full")
    return parser.parse_args()


if __name__ == "__main__":
    main()
