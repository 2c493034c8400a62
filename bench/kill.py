#!/usr/bin/env python3
"""Kills `adapt`, `step`, `rollback` and `run` at random moments (kill -9), repeats the command, and compares what it leaves with
what it leaves when left alone.

    python3 bench/kill.py [--driftline target/release/driftline] [--kills 1000] [--seed 0] [--model linear|mlp] [--command adapt]…

Every file must be the same to the last byte (of an experiment: of its trials, since times differ). Kills are shared among the
commands. Exit code 1 if anything differs.
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
EXPERIMENT = ROOT / "experiments/table1-gaussian.toml"
COMMANDS = ["adapt", "step", "rollback", "run"]


def table(path, rows, start, seed):
    """Three classes on a turning circle."""
    rng = random.Random(seed)
    lines = ["x,y,z,label"]
    for row in range(rows):
        angle = 2 * math.pi * (row % 3) / 3 + start * row / rows
        lines.append(f"{math.cos(angle) + rng.gauss(0, .3):.4f},{math.sin(angle) + rng.gauss(0, .3):.4f},{rng.gauss(0, 1):.4f},{'abc'[row % 3]}")
    path.write_text("\n".join(lines) + "\n")


def contents(folder):
    """Every file by its name. Locks hold nothing; times and the environment differ from run to run."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in (".lock", "timings.jsonl"):
            found = path.read_bytes()
            # Trials end in the order of the threads.
            files[str(path.relative_to(folder))] = sorted(found.splitlines()) if path.name == "trials.jsonl" else found
    return files


class Place:
    """A folder with data, and the command under trial in it."""

    def __init__(self, folder, program, command, model):
        self.folder, self.out = folder, folder / "run"
        data = ["--source", "source.csv", "--label", "label", "--stream", "stream.csv"]
        # A run that ends held is no failure here.
        held = ["--fail-on", "never"]
        adapt = [program, "adapt", *data, "--truth", "label", "--model", model, "--out", "run", "--quiet", *held]
        self.command = {
            "adapt": adapt,
            "step": [program, "step", "run", "--input", "next.csv", "--quiet", *held],
            "rollback": [program, "rollback", "run", "--to", "3", "--quiet"],
            "run": [program, "run", EXPERIMENT, "--scale", "smoke", "--out", "run", "--quiet"],
        }[command]
        table(folder / "source.csv", 600, 0.0, 1)
        table(folder / "stream.csv", 12_000 if command == "adapt" else 3000, 1.5, 2)
        table(folder / "next.csv", 500, 0.2, 3)
        self.before = None
        if command in ("step", "rollback"):
            subprocess.run(adapt, cwd=folder, check=True, capture_output=True)
            self.before = folder / "before"
            shutil.copytree(self.out, self.before)

    def reset(self):
        shutil.rmtree(self.out, ignore_errors=True)
        if self.before:
            shutil.copytree(self.before, self.out)

    def finish(self):
        subprocess.run(self.command, cwd=self.folder, check=True, capture_output=True)
        return contents(self.out)


def trial(place, kills, rng):
    """Kills and repeats; how many kills there were, and how many times something differed."""
    place.reset()
    began = time.monotonic()
    whole = place.finish()
    whole_time = time.monotonic() - began
    killed = differ = 0
    while killed < kills:
        place.reset()
        # Up to three kills before it may end: also what was resumed can be killed.
        for _ in range(rng.randint(1, 3)):
            child = subprocess.Popen(place.command, cwd=place.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, whole_time))
            if child.poll() is None:
                child.kill()
                killed += 1
            child.wait()
        found = place.finish()
        if found != whole:
            differ += 1
            print("differs:", sorted(name for name in found.keys() | whole.keys() if found.get(name) != whole.get(name)))
    return killed, differ, len(whole)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--kills", default=50, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--model", default="mlp")
    parser.add_argument("--command", action="append", choices=COMMANDS)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    commands = arguments.command or COMMANDS
    failures = 0
    for command in commands:
        with tempfile.TemporaryDirectory() as name:
            place = Place(pathlib.Path(name), arguments.driftline.resolve(), command, arguments.model)
            killed, differ, files = trial(place, -(-arguments.kills // len(commands)), rng)
        print(f"{command}: {killed} kills, {files} files, {differ} times different")
        failures += differ
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
