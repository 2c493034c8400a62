#!/usr/bin/env python3
"""What the guard gains on real streams by the defaults of `adapt`, with and without labels, and whether its intervals cover.

    python3 bench/guard_streams.py [--driftline target/release/driftline] [--data DIR] [--cache DIR] [--only NAME,...]
                                   [--labels 0,10] [--model auto] [--learn]

With --learn a candidate learns from the labels as well.

The streams are those of bench/auto.py. A window is served by the version that stood before it. Exit code 1 if a stream without
labels loses more than a point.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from auto import ROOT, tables

WINDOWS = {"outdoor": 200, "emg": 300, "occupancy": 1440, "airquality": 500, "heart": 100, "bikes": 720, "wisdm": 200, "hotel": 1000,
           "keystroke": 200, "elec": 2000, "weather": 730, "covtype": 10_000}
OTHERS = 2000
# The usual estimates, and what a window's findings call them.
USUAL = {"calibrated confidence": "calibrated", "ATC": "threshold", "DoC": "difference", "importance-weighted": "importance",
         "PAPE": "recalibrated", "SLD (BCTS)": "shares"}


def main():
    arguments = parse()
    print("| stream | labels | unadapted | served | difference | balanced | held-out | intervals cover | width | off by | " + " | ".join(USUAL) + " |")
    print("|---" * (10 + len(USUAL)) + "|")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, header, source, stream in tables(arguments):
            paths = [Path(folder) / f"{part}.csv" for part in ("source", "stream")]
            for path, rows in zip(paths, (source, stream)):
                with open(path, "w", newline="") as file:
                    csv.writer(file).writerows([header, *rows])
            for labels in arguments.labels.split(","):
                windows = adapted(arguments, Path(folder) / f"{name}-{labels}", name, labels, *paths)
                found = figures(windows)
                if labels == "0":
                    worst = min(worst, found[2])
                print(f"| {name} | {labels} | " + " | ".join(f"{value:.1f}" for value in found) + " |", flush=True)
    return int(worst < -1.0)


def adapted(arguments, out, name, labels, source, stream):
    """The lines of windows.jsonl that have answers."""
    command = [arguments.driftline, "adapt", "--source", source, "--label", "label", "--stream", stream, "--truth", "label", "--impute=mark",
               "--window", str(WINDOWS.get(name, OTHERS)), "--model", arguments.model, "--labels-per-window", labels, "--fail-on", "never",
               "--seed", str(arguments.seed), "--out", out, "-q"]
    command += ["--learn"] if arguments.learn and labels != "0" else []
    subprocess.run(command, check=True, capture_output=True)
    with open(out / "windows.jsonl") as file:
        return [line for line in map(json.loads, file) if line.get("scored") and line.get("estimate_unadapted")]


def figures(windows):
    """In points: unadapted, served, their difference and its balanced form, held-out, intervals, and how far estimates are off."""
    mean = lambda values: 100 * sum(values) / max(1, len(values))
    truth = [line["accuracy_unadapted"] for line in windows]
    served = [line["accuracy_before"] for line in windows]
    balanced = [recall(line, "recall_before") - recall(line, "recall_unadapted") for line in windows]
    own = [line["estimate_unadapted"] for line in windows]
    usual = [[(line["findings"]["baselines"].get(name), true) for line, true in zip(windows, truth)] for name in USUAL.values()]
    cover = [one["low"] <= true <= one["high"] for one, true in zip(own, truth)]
    return [mean(truth), mean(served), mean(served) - mean(truth), mean(balanced), mean([line["findings"]["held_out"] for line in windows]),
            mean(cover), mean([one["high"] - one["low"] for one in own]), mean([abs(one["accuracy"] - true) for one, true in zip(own, truth)]),
            *(mean([abs(value - true) for value, true in own if value is not None]) for own in usual)]


def recall(line, which):
    known = [one[which] for one in line["classes"] if one["rows"] and one.get(which) is not None]
    return sum(known) / max(1, len(known))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline")
    parser.add_argument("--data", default=ROOT.parent / "shared/data")
    parser.add_argument("--cache", default=ROOT / "target/skmultiflow")
    parser.add_argument("--only")
    parser.add_argument("--labels", default="0,10")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--learn", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
