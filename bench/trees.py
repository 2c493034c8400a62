#!/usr/bin/env python3
"""Gradient-boosted trees against scikit-learn's HistGradientBoosting and LightGBM: training, predicting and memory.

    python3 bench/trees.py             makes a virtual environment under target/ and installs both
    python3 bench/trees.py --venv DIR  uses that one; --rounds N repeats (3), --sizes 20000x50,2000x500, --classes 2,10

Same rows, 100 rounds without early stopping, two threads; processes take turns and each figure is a median. Times are of
`fit` and of predicting probabilities, measured inside each process; processor time, of all threads together, is what tells on a
machine that is busy with something else. Memory is the peak beyond the rows themselves, in multiples of the binned rows (one
byte for each value).
"""

import argparse
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/examples/trees"
SIZES = "20000x50,200000x50,2000x500"
AHEAD = 10_000


def main():
    arguments = parse()
    if arguments.worker:
        return work(arguments.worker, arguments.table)
    python = environment(arguments.venv)
    build = ["cargo", "build", "--release", "-q", "-p", "driftline-models", "--example", "trees"]
    subprocess.run(build, cwd=ROOT, check=True)
    print(f"median of {arguments.rounds} rounds, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print("| rows × columns, classes | | driftline | scikit-learn | LightGBM | × scikit-learn | × LightGBM |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for classes in map(int, arguments.classes.split(",")):
            for size in arguments.sizes.split(","):
                rows, columns = map(int, size.split("x"))
                table = Path(folder) / "table.bin"
                subprocess.run([python, __file__, "--worker", f"make:{rows}:{columns}:{classes}", "--table", table], check=True)
                compare(python, table, rows, columns, classes, arguments.rounds)


def compare(python, table, rows, columns, classes, rounds):
    found = {name: [] for name in ("driftline", "sklearn", "lightgbm")}
    threads = {**os.environ, "OMP_NUM_THREADS": "2", "RAYON_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"}
    for _ in range(rounds):
        for name, answers in found.items():
            own = [PROGRAM, table, "/dev/null", '{"early-stopping": null}', "1"]
            other = [python, __file__, "--worker", name, "--table", table]
            command = own if name == "driftline" else other
            answers.append(json.loads(subprocess.run(command, env=threads, capture_output=True, check=True, text=True).stdout))
    label = f"{rows:,} × {columns}, {classes}"
    median = lambda name, pick: statistics.median(pick(answer) for answer in found[name])
    lines = [("fit", 1.0, "s", lambda answer: answer["fit"][0]), ("fit, processor", 1.0, "s", lambda answer: answer["cpu"])]
    for at, ahead in enumerate(("1 row", "32 rows", "10,000 rows")):
        lines.append((f"predict {ahead}", 1e3, "ms", lambda answer, at=at: answer["predict"][at]))
    lines.append(("memory", 1 / (rows * columns), "×", lambda answer: answer["memory"]))
    for what, unit, name, pick in lines:
        ours, sklearn, lightgbm = (median(key, pick) for key in found)
        values = " | ".join(f"{value * unit:.3g} {name}" for value in (ours, sklearn, lightgbm))
        print(f"| {label} | {what} | {values} | {sklearn / ours:.1f} | {lightgbm / ours:.1f} |", flush=True)


def work(what, table):
    import numpy
    if what.startswith("make:"):
        from sklearn.datasets import make_classification
        rows, columns, classes = map(int, what.split(":")[1:])
        x, y = make_classification(rows + AHEAD, columns, n_informative=20, n_classes=classes, random_state=0)
        with open(table, "wb") as file:
            file.write(struct.pack("<4I", rows, AHEAD, columns, classes))
            for part in (numpy.zeros(columns, "u4"), x.astype("f4"), y.astype("u4")):
                file.write(numpy.ascontiguousarray(part).tobytes())
        return
    import time
    words = numpy.fromfile(table, "u4")
    rows, ahead, columns, classes = map(int, words[:4])
    x = words[4 + columns : 4 + columns + (rows + ahead) * columns].view("f4").reshape(-1, columns)
    y = words[4 + columns + (rows + ahead) * columns :][:rows].astype("i8")
    if what == "sklearn":
        from sklearn.ensemble import HistGradientBoostingClassifier
        model = HistGradientBoostingClassifier(early_stopping=False)
    else:
        from lightgbm import LGBMClassifier
        model = LGBMClassifier(n_jobs=2, verbose=-1)
    model.fit(x[:500], y[:500])  # modules are loaded before anything is measured
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    before = peak()
    start, processor = time.perf_counter(), time.process_time()
    model.fit(x[:rows], y)
    fit, processor = time.perf_counter() - start, time.process_time() - processor
    memory = peak() - before
    predict = []
    for ahead in (1, 32, AHEAD):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            model.predict_proba(x[rows : rows + ahead])
            times.append(time.perf_counter() - start)
        predict.append(min(times))
    print(json.dumps({"fit": [fit], "cpu": processor, "predict": predict, "memory": max(memory, 1)}))


def peak():
    """The most bytes that this process has had in memory, on Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def environment(folder):
    folder = Path(folder or ROOT / "target/trees-venv")
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        packages = ["scikit-learn", "lightgbm", "pandas", "pyarrow", "onnx", "onnxruntime"]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
    return python


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--classes", default="2,10")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--table", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
