#!/usr/bin/env python3
"""The archive of drifting streams by the defaults of `adapt --window 150`, and how fast: through `adapt` and through the arrays' door.

    python3 bench/archive.py [STREAM ...] [--data DIR] [--labelled 50|5%] [--arrays] [--driftline target/release/driftline]

Every row is scored by the version before its window (`accuracy_before`). With 50 labels the score is the share of rows, with 5 % the mean
of 100 batches. Without --data it looks into ../shared/data/archive. --arrays also runs the example `bench_arrays`, which must have been built
(`cargo build --release --example bench_arrays`). Exit code 1 if the mean over all 14 is below 92, or one stream is more than a point
below the unadapted model.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STREAMS = "1CDT 1CHT 1CSurr 2CDT 2CHT 4CE1CF 4CR 4CRE-V1 4CRE-V2 5CVT FG_2C_2D GEARS_2C_2D MG_2C_2D UG_2C_2D".split()
LEAST = {"50": 92, "5%": 92}


def batches(windows, rows, accuracy, n=100):
    """The mean of n batches: a window's right answers count evenly over its rows."""
    seen, sums, counts = 0, [0.0] * n, [0] * n
    for window in windows:
        size = window["rows"]
        for row in range(seen, seen + size):
            sums[row * n // rows] += window[accuracy]
            counts[row * n // rows] += 1
        seen += size
    return sum(s / c for s, c in zip(sums, counts)) / n


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("streams", nargs="*", default=STREAMS)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / "../shared/data/archive")
    parser.add_argument("--labelled", choices=LEAST, default="50")
    parser.add_argument("--arrays", action="store_true")
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        print("skipped: no archive; give its folder with --data")
        sys.exit(0)
    scores, behind = [], 0.0
    for stream in arguments.streams:
        lines = gzip.open(arguments.data / f"{stream}.csv.gz", "rt").read().splitlines()
        head, rows = lines[0], lines[1:]
        labelled = 50 if arguments.labelled == "50" else round(0.05 * len(rows))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, part in [("all.csv", rows), ("source.csv", rows[:labelled]), ("stream.csv", rows[labelled:])]:
                (folder / file).write_text("\n".join([head, *part]) + "\n")
            start = time.time()
            subprocess.run([arguments.driftline.resolve(), "adapt", "--source", "source.csv", "--label", "label", "--stream", "stream.csv", "--truth", "label",
                            "--window", "150", "--out", "run", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL).returncode in (0, 3) or sys.exit("adapt failed")
            seconds = time.time() - start
            windows = [json.loads(line) for line in open(folder / "run/windows.jsonl")]
            n = sum(w["rows"] for w in windows)

            def scored(accuracy):
                share = sum(w["rows"] * w[accuracy] for w in windows) / n
                return 100 * (share if arguments.labelled == "50" else batches(windows, n, accuracy))

            score, unadapted = scored("accuracy_before"), scored("accuracy_unadapted")
            scores.append(score)
            behind = max(behind, unadapted - score)
            text = f"{stream:12} {score:6.1f} %  unadapted {unadapted:6.1f} %  {n:7} rows  adapt {seconds:5.2f} s"
            if arguments.arrays:
                example = arguments.driftline.resolve().parent / "examples/bench_arrays"
                found = json.loads(subprocess.run([example, folder / "all.csv", str(labelled)], check=True, capture_output=True).stdout)
                text += f"  arrays {found['seconds']:5.2f} s ({100 * found['right'] / found['rows']:.1f} %)"
            print(text, flush=True)
    mean = sum(scores) / len(scores)
    print(f"mean {mean:.1f}")
    sys.exit(0 if arguments.streams != STREAMS or (mean >= LEAST[arguments.labelled] and behind <= 1) else 1)


if __name__ == "__main__":
    main()
