#!/usr/bin/env python3
"""What `auto` chooses on each stream, and how often the chosen model is right there, unadapted (as with `--policy never`).

    python3 bench/auto.py [--driftline target/release/driftline] [--data DIR] [--cache DIR] [--only NAME,...] [--seed N]

Every stream is fitted on its source with `auto` and with each model that `auto` compares, and scored on the rest. The old
default is the linear model, or nearest neighbours for at most four columns. DIR holds `streams/*.csv.gz` and
`keystroke/keystroke.csv` (default `../shared/data` beside the project); `--cache` holds elec.csv, weather.csv and covtype.csv of
scikit-multiflow and the three employment_MA_*.pq of nannyml, which need pyarrow (default `target/skmultiflow`). What is absent is skipped with a message. Missing values are marked.
Exit code 1 if `auto` is more than 0.5 points below the best of its models on average, or less than 2.5 above the old default.
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["linear", "knn", "trees", "mlp"]
STREAMS = "outdoor emg occupancy airquality heart bikes wisdm hotel".split()
SOURCES = {"elec": 11_328, "weather": 4_540, "covtype": 20_000}
MOST_ROWS = 120_000
FEW_COLUMNS = 4


def main():
    arguments = parse()
    print("| stream | auto | chose | linear | knn | trees | mlp | best | old default | seconds for auto |\n|---|---|---|---|---|---|---|---|---|---|")
    totals = []
    with tempfile.TemporaryDirectory() as folder:
        for name, header, source, stream in tables(arguments):
            paths = [Path(folder) / f"{part}.csv" for part in ("source", "stream")]
            for path, rows in zip(paths, (source, stream)):
                with open(path, "w", newline="") as file:
                    csv.writer(file).writerows([header, *rows])
            own = {model: served(arguments, Path(folder), model, *paths, stream) for model in ["auto", *MODELS]}
            accuracy = {model: found[0] for model, found in own.items()}
            best = max(accuracy[model] for model in MODELS)
            old = accuracy["knn" if len(header) - 1 <= FEW_COLUMNS else "linear"]
            totals.append((accuracy["auto"], best, old))
            cells = [accuracy["auto"], own["auto"][1], *(accuracy[model] for model in MODELS), best, old, own["auto"][2]]
            print(f"| {name} | " + " | ".join(f"{cell:.1f}" if isinstance(cell, float) else cell for cell in cells) + " |", flush=True)
    mean = [sum(column) / len(totals) for column in zip(*totals)]
    print("| mean | {:.2f} | | | | | | {:.2f} | {:.2f} | |".format(*mean))
    return int(mean[0] < mean[1] - 0.5 or mean[0] < mean[2] + 2.5)


def served(arguments, folder, model, source, stream, rows):
    """Accuracy on the stream in percent, the kind of model, and how long fitting took."""
    import time
    file, out = folder / "model.safetensors", folder / "out.csv"
    start = time.monotonic()
    fit = [arguments.driftline, "fit", "--source", source, "--label", "label", "--model", model, "--impute=mark",
           "--seed", str(arguments.seed), "--out", file, "--force", "--json", "-q"]
    fitted = json.loads(subprocess.run(fit, check=True, capture_output=True, text=True).stdout)
    seconds = time.monotonic() - start
    predict = [arguments.driftline, "predict", file, "--input", stream, "--impute", "--out", out, "--force", "-q"]
    subprocess.run(predict, check=True, capture_output=True)
    with open(out, newline="") as found:
        classes = [row["class"] for row in csv.DictReader(found)]
    right = sum(found == row[-1] for found, row in zip(classes, rows))
    return 100 * right / len(rows), fitted["model"]["model"], seconds


def tables(arguments):
    """Name, header with `label` last, rows of the source, rows of the stream."""
    data, cache = Path(arguments.data), Path(arguments.cache)
    for name in STREAMS:
        if wanted(arguments, name, path := data / f"streams/{name}.csv.gz"):
            with gzip.open(path, "rt", newline="") as file:
                header, *rows = csv.reader(file)
            parts = [[row[1:] for row in rows if row[0] == part] for part in ("source", "stream")]
            yield name, header[1:], *parts
    if wanted(arguments, "keystroke", path := data / "keystroke/keystroke.csv"):
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        session, user = header.index("session"), header.index("user")
        kept = [at for at in range(len(header)) if at not in (session, user)]
        cut = lambda row: [row[at] for at in kept] + [row[user]]
        parts = [[cut(row) for row in rows if (row[session] == "1") is first] for first in (True, False)]
        yield "keystroke", [header[at] for at in kept] + ["label"], *parts
    for name, n in SOURCES.items():
        if wanted(arguments, name, path := cache / f"{name}.csv"):
            with open(path, newline="") as file:
                header, *rows = csv.reader(file)
            rows = rows[:MOST_ROWS]
            yield name, header[:-1] + ["label"], rows[:n], rows[n:]
    files = [cache / f"employment_MA_{part}.pq" for part in ("reference", "analysis", "analysis_target")]
    if wanted(arguments, "census", files[0]):
        yield "census", *census(*files)


def census(reference, analysis, target):
    """2015, and every other row of 2016 to 2018; the last column is the label."""
    from pyarrow import parquet
    first, later, answers = map(parquet.read_table, (reference, analysis, target))
    names = [name for name in first.column_names if name not in ("id", "year", "prediction", "predicted_probability", "employed")]
    rows = lambda table, labels: list(zip(*(table[name].to_pylist() for name in names), map(str, labels["employed"].to_pylist())))
    return names + ["label"], rows(first, first), rows(later, answers)[::2]


def wanted(arguments, name, path):
    if arguments.only and name not in arguments.only.split(","):
        return False
    if not path.exists():
        print(f"skipped: {path} is not there", file=sys.stderr)
    return path.exists()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline")
    parser.add_argument("--data", default=ROOT.parent / "shared/data")
    parser.add_argument("--cache", default=ROOT / "target/skmultiflow")
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
