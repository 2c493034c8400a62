#!/usr/bin/env python3
"""Compares `driftline adapt` with the same steps in pandas and scikit-learn, whole processes, in one sitting.

    python3 bench/stream.py                    makes data and a virtual environment under target/, and runs both from CSV and Parquet
    python3 bench/stream.py --data DIR --venv DIR --rounds 5 --decimals 6

The stream has 1,000,000 rows of 50 numbers in five Gaussian classes that drift, the labelled source 20,000; windows have
10,000 rows. Both read the source, standardise it, choose the penalty of a linear model by cross-validation, validate it on
rows held out, then per window: predict, drop the least confident tenth, refit from where they stand, predict again, write
the predictions as CSV. driftline also checks and hashes every row first, scores the source model beside, and keeps a
checkpoint per window. scikit-learn gets its best number of threads, tried in the first round; both have two cores.
Exit code 1 if a target is missed. Run it on a machine that does nothing else.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS, SOURCE_ROWS, FEATURES, CLASSES, WINDOW, CORES = 1_000_000, 20_000, 50, 5, 10_000, 2
TARGETS = {"csv": 4, "parquet": 5}
MOST_MEGABYTES = 200


def main():
    arguments = parse()
    if arguments.worker:
        return worker(arguments.source, arguments.worker, arguments.out)
    python = environment(arguments.venv)
    if arguments.make:
        return make(arguments.data, arguments.decimals)
    data = arguments.data or ROOT / "target" / "bench-stream"
    subprocess.run([python, __file__, "--make", "--data", data, "--decimals", str(arguments.decimals)], check=True)
    program = arguments.program or built()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    fine = True
    for kind in arguments.kinds:
        fine &= compare(kind, data, python, program, arguments.rounds)
    return 0 if fine else 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the folder of the data, made if it is not there")
    parser.add_argument("--venv", type=Path, help="a virtual environment with pandas, pyarrow and scikit-learn")
    parser.add_argument("--program", type=Path, help="a driftline that is built already")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each (default 3)")
    parser.add_argument("--decimals", type=int, default=17, help="round the numbers (default: as they are)")
    parser.add_argument("--kinds", nargs="+", default=["csv", "parquet"], choices=["csv", "parquet"])
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def environment(given):
    """The interpreter with the libraries, installed if need be."""
    if given:
        return given.absolute() / "bin" / "python"
    folder = ROOT / "target" / "bench-stream-venv"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = ["pandas", "pyarrow", "scikit-learn", "numpy"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def built():
    subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "driftline-cli"], cwd=ROOT, check=True)
    return ROOT / "target/release/driftline"


def make(folder, decimals):
    """Writes source and stream, always the same draw, unless they are there."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "made.json"
    what = {"rows": ROWS, "source": SOURCE_ROWS, "features": FEATURES, "classes": CLASSES, "decimals": decimals}
    if done.exists() and json.loads(done.read_text()) == what:
        return 0
    generator = np.random.default_rng(0)
    names = [f"x{i}" for i in range(FEATURES)]
    centres, drift = (generator.normal(size=(CLASSES, FEATURES)) for _ in range(2))
    scales = np.exp(generator.normal(size=FEATURES))

    def draw(n, begin, end):
        labels = generator.integers(CLASSES, size=n)
        times = np.linspace(begin, end, n)[:, None]
        angle = times * np.pi / 2
        means = np.cos(angle) * centres[labels] + np.sin(angle) * drift[labels]
        values = (0.6 * means + generator.normal(size=(n, FEATURES))) * scales
        return labels, values if decimals > 16 else values.round(decimals)

    labels, values = draw(SOURCE_ROWS, 0, 0)
    source = pa.table([*values.T, pa.array([f"class{label}" for label in labels])], names=[*names, "label"])
    pa.csv.write_csv(source, folder / "source.csv")
    pa.parquet.write_table(source, folder / "source.parquet")
    step = 100_000
    schema = pa.schema([(name, pa.float64()) for name in names])
    with (
        pa.csv.CSVWriter(folder / "stream.csv", schema) as text,
        pa.parquet.ParquetWriter(folder / "stream.parquet", schema) as columns,
    ):
        # Row groups of a million rows, as pyarrow and pandas write a table of this size.
        parts = []
        for first in range(0, ROWS, step):
            _, values = draw(step, first / ROWS, (first + step) / ROWS)
            parts.append(pa.table(list(values.T), names=names))
            text.write_table(parts[-1])
        columns.write_table(pa.concat_tables(parts), row_group_size=1 << 20)
    done.write_text(json.dumps(what))
    return 0


def measured(command, threads=None):
    """Runs a process to its end: its seconds, imports included, and its peak of resident memory in megabytes."""
    variables = dict(os.environ)
    if threads:
        names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
        variables |= {name: str(threads) for name in names}
    begin = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"{command[0]} failed: {errors.decode()}")
    return taken, usage.ru_maxrss / 1024


def compare(kind, data, python, program, rounds):
    source, stream = data / f"source.{kind}", data / f"stream.{kind}"
    best, mine, theirs = None, [], []
    with tempfile.TemporaryDirectory(dir=data) as folder:
        run, out = Path(folder) / "run", Path(folder) / "out"

        def ours():
            command = [program, "adapt", "--source", source, "--label", "label", "--stream", stream]
            result = measured([*command, "--window", WINDOW, "--out", run])
            shutil.rmtree(run)
            return result

        def script(threads):
            result = measured([python, __file__, "--worker", stream, "--source", source, "--out", out], threads)
            shutil.rmtree(out)
            return result

        for _ in range(rounds):
            mine.append(ours())
            if best is None:
                tried = {threads: script(threads) for threads in (1, CORES)}
                best = min(tried, key=lambda threads: tried[threads][0])
                theirs.append(tried[best])
            else:
                theirs.append(script(best))
    own, other = (statistics.median(seconds for seconds, _ in results) for results in (mine, theirs))
    own_peak, other_peak = (max(peak for _, peak in results) for results in (mine, theirs))
    print(f"{kind}: {ROWS} x {FEATURES}, {stream.stat().st_size / 1e6:.0f} MB, windows of {WINDOW}, median of {rounds}")
    for name, seconds, peak, results in [
        ("driftline adapt", own, own_peak, mine),
        (f"pandas + scikit-learn ({best} threads)", other, other_peak, theirs),
    ]:
        low, high = min(results)[0], max(results)[0]
        print(f"  {name:34} {seconds:7.2f} s ({low:.2f} to {high:.2f}), at most {peak:.0f} MB resident")
    fast, small = other / own >= TARGETS[kind], own_peak <= MOST_MEGABYTES
    print(f"  ratio {other / own:.2f}, wanted at least {TARGETS[kind]}: {verdict(fast)}; ", end="")
    print(f"memory, wanted at most {MOST_MEGABYTES} MB: {verdict(small)}", flush=True)
    return fast and small


def verdict(fine):
    return "yes" if fine else "NO"


def worker(source, stream, out):
    """The same steps with pandas and scikit-learn."""
    import numpy as np
    import pandas as pd
    from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler

    out.mkdir(parents=True)
    table = pd.read_csv(source) if source.suffix == ".csv" else pd.read_parquet(source)
    labels = table.pop("label").to_numpy(dtype=str)
    names = table.columns
    scaler = StandardScaler().fit(table.to_numpy())
    inputs = scaler.transform(table.to_numpy())
    generator = np.random.default_rng(0)
    # Mean loss + lambda |W|^2 is scikit-learn's objective at C = 1 / (2 lambda n).
    penalties = 10.0 ** (-np.arange(13) / 2)
    some = np.sort(generator.permutation(len(inputs))[:10_000])
    search = LogisticRegressionCV(
        Cs=np.sort(1 / (2 * penalties * len(some) * 4 / 5)), cv=5, scoring="neg_log_loss", max_iter=5000,
        refit=False, use_legacy_attributes=False, l1_ratios=(0,),
    ).fit(inputs[some], labels[some])
    penalty = 1 / (2 * float(np.ravel(search.C_)[0]) * len(some) * 4 / 5)
    held_out = np.arange(len(inputs)) % 5 == 0

    def model_for(n):
        return LogisticRegression(C=1 / (2 * penalty * n), max_iter=5000, warm_start=True)

    model_for((~held_out).sum()).fit(inputs[~held_out], labels[~held_out]).score(inputs[held_out], labels[held_out])
    model = model_for(len(inputs)).fit(inputs, labels)
    row = 0
    for number, chunk in enumerate(chunks(stream), 1):
        inputs = scaler.transform(chunk[names].to_numpy())
        before = model.predict_proba(inputs)
        confidence = before.max(1) - before.min(1)
        kept = confidence >= np.quantile(confidence, 0.1)
        model.set_params(C=1 / (2 * penalty * kept.sum()))
        model.fit(inputs[kept], model.classes_[before[kept].argmax(1)])
        after = model.predict_proba(inputs)
        predictions = pd.DataFrame(after.astype("float32"), columns=[f"p_{name}" for name in model.classes_])
        predictions.insert(0, "class", model.classes_[after.argmax(1)])
        predictions.insert(0, "row", np.arange(row + 1, row + 1 + len(chunk)))
        predictions.insert(0, "file", str(stream))
        predictions.to_csv(out / f"window-{number:04}.csv", index=False)
        row += len(chunk)
    return 0


def chunks(stream):
    """The stream in tables of one window each."""
    import pandas as pd

    if stream.suffix == ".csv":
        yield from pd.read_csv(stream, chunksize=WINDOW)
        return
    import pyarrow.parquet

    for batch in pyarrow.parquet.ParquetFile(stream).iter_batches(batch_size=WINDOW):
        yield batch.to_pandas()


if __name__ == "__main__":
    sys.exit(main())
