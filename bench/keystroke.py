#!/usr/bin/env python3
"""Adapts to the keystroke data with the defaults and says by how much it helps in the last two windows.

    python3 bench/keystroke.py [--data keystroke.csv] [--driftline target/release/driftline]

Source: session 1. Stream: sessions 2 to 8 in order. The feature columns and the user only. Without --data it looks into the
cache (`driftline data fetch keystroke --from DIR`) and into ../shared/data/keystroke. Exit code 1 below 15 points.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def found(given):
    places = [given] if given else [pathlib.Path.home() / ".cache/driftline/keystroke/keystroke.csv", ROOT / "../shared/data/keystroke/keystroke.csv"]
    for place in places:
        if place.is_file():
            return place
    print("skipped: no keystroke.csv; give it with --data")
    sys.exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--seeds", default=1, type=int)
    arguments = parser.parse_args()
    rows = list(csv.DictReader(open(found(arguments.data))))
    columns = [name for name in rows[0] if name != "session"]
    gains = []
    for seed in range(arguments.seeds):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, chosen in [("source.csv", lambda s: s == 1), ("stream.csv", lambda s: s > 1)]:
                with open(folder / file, "w", newline="") as out:
                    writer = csv.DictWriter(out, columns, extrasaction="ignore")
                    writer.writeheader()
                    writer.writerows(row for row in rows if chosen(int(row["session"])))
            subprocess.run([arguments.driftline.resolve(), "adapt", "--source", "source.csv", "--label", "user", "--stream", "stream.csv",
                            "--window", "200", "--truth", "user", "--seed", str(seed), "--out", "run", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            windows = [json.loads(line) for line in open(folder / "run/windows.jsonl")]
            gain = sum(w["accuracy_after"] - w["accuracy_unadapted"] for w in windows[-2:]) / 2
            gains.append(gain)
            print(f"seed {seed}: " + ", ".join(f"{w['accuracy_unadapted']:.3f} → {w['accuracy_after']:.3f}" for w in windows))
            print(f"  last two windows: {100 * gain:+.1f} points")
    sys.exit(0 if min(gains) >= 0.15 else 1)


if __name__ == "__main__":
    main()
