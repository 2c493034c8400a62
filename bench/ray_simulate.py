#!/usr/bin/env python3
"""A fleet on a hundred machines, simulated with what `bench/ray_speed.py speed` has measured on one.

    python3 bench/ray_simulate.py [--machines 100] [--cores 8] [--streams 1000000] [--losses 0 5] [--slower 25]

Every stream takes a time drawn from those measured; a task takes that of its streams and what a task was measured to take more.
One process gives tasks out and stores what comes back, one after another: it takes the measured time for each task, and the time that
the packs need through its network. Tasks are cut as `driftline.ray` cuts them, so many are in flight, and whoever is free takes the
next. With losses, machines disappear at random moments and do not come back; their tasks begin anew. What it leaves out: reading from
S3, other users, machines of different speed. Needs nothing but Python.
"""

import argparse
import heapq
import json
import random
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    arguments = parse()
    times = json.loads(arguments.times.read_text())
    times["streams"] = [arguments.slower * seconds for seconds in times["streams"]]
    print(f"{arguments.streams} streams, {arguments.cores} cores a machine, {arguments.gigabits:g} Gbit/s at the process that stores")
    for machines in sorted({1, 10, arguments.machines}):
        for losses in arguments.losses if machines == arguments.machines else [0]:
            cores = machines * arguments.cores
            took, work, tasks, again = simulate(arguments, times, machines, losses)
            print(f"{machines:4} machines, {losses} lost: {took:8.1f} s, {tasks} tasks, {again} begun anew, "
                  f"{100 * work / (took * cores):.0f} % of all cores at streams", flush=True)


def simulate(arguments, times, machines, losses):
    draw = random.Random(0)
    cores = machines * arguments.cores
    count = min(64, max(1, -(-arguments.streams // (8 * cores))))
    sizes = [count] * (arguments.streams // count) + [rest for rest in [arguments.streams % count] if rest]
    work, queue = 0.0, deque()
    for size in sizes:
        streams = sum(draw.choices(times["streams"], k=size))
        work += streams
        queue.append((streams + times["inside"], size))
    network = arguments.gigabits * 1e9 / 8
    # (when, number, what, machine or task)
    events, numbers = [], iter(range(1 << 60))

    def at(when, what, of):
        heapq.heappush(events, (when, next(numbers), what, of))

    for machine in draw.sample(range(machines), losses):
        at(draw.uniform(0, work / cores), "lost", machine)
    driver = 0.0
    for _ in range(min(2 * cores, len(queue))):
        driver += times["through"]
        at(driver, "submitted", queue.popleft())
    idle = deque(machine for _ in range(arguments.cores) for machine in range(machines))
    ready, working, dead = deque(), {}, set()
    left, again, now = len(sizes), 0, 0.0
    while left:
        now, number, what, of = heapq.heappop(events)
        if what == "submitted":
            ready.append(of)
        elif what == "lost":
            dead.add(of)
            for key in [key for key, (machine, _) in working.items() if machine == of]:
                at(now + arguments.noticed, "submitted", working.pop(key)[1])
                again += 1
        elif what == "end" and of in working:
            machine, (_, size) = working.pop(of)
            idle.append(machine)
            left -= 1
            # One process takes what comes, stores it and gives out the next, one after another.
            driver = max(driver, now) + times["through"] + times["store"] + size * (times["store each"] + times["bytes"] / network)
            if queue:
                at(driver, "submitted", queue.popleft())
        while ready and idle:
            machine = idle.popleft()
            if machine not in dead:
                task = ready.popleft()
                working[number := next(numbers)] = (machine, task)
                at(now + task[0], "end", number)
    return max(now, driver), work, len(sizes), again


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--streams", type=int, default=1_000_000)
    parser.add_argument("--losses", type=int, nargs="+", default=[0, 5])
    parser.add_argument("--gigabits", type=float, default=1.0)
    parser.add_argument("--slower", type=float, default=1.0, help="streams that take so many times as long, as guarded ones do")
    parser.add_argument("--noticed", type=float, default=30.0, help="seconds until Ray notices that a machine is lost")
    parser.add_argument("--times", type=Path, default=ROOT / "target/ray-times.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
