#!/usr/bin/env python3
"""Accuracy and log-loss of gradient-boosted trees beside HistGradientBoosting and LightGBM at their defaults, unadapted.

    python3 bench/trees_accuracy.py [--data DIR] [--cache DIR] [--venv DIR] [--onnx]

Streams are trained on their source and scored on the rest; DIR holds `streams/*.csv.gz` and `keystroke/keystroke.csv`
(default `../shared/data` beside the project) and is skipped with a message where it is absent. `--cache` holds elec.csv,
weather.csv and covtype.csv of scikit-multiflow and the employment_MA_*.pq of nannyml, skipped likewise. Tables of scikit-learn are always there. Peers that draw
(scikit-learn holds rows out above 10,000) are averaged over five seeds. `--onnx` runs the exported model in onnxruntime,
which must agree within 1e-6.
"""

import argparse
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from trees import PROGRAM, ROOT, environment  # noqa: E402

STREAMS = "outdoor emg occupancy airquality heart bikes wisdm hotel".split()


def main():
    arguments = parse()
    if not arguments.inside:
        subprocess.run(["cargo", "build", "--release", "-q", "-p", "driftline-models", "--example", "trees"], cwd=ROOT, check=True)
        command = [environment(arguments.venv), __file__, "--inside", *sys.argv[1:]]
        return subprocess.run(command).returncode
    import numpy
    print("| table | driftline | scikit-learn | LightGBM | log-loss | | |\n|---|---|---|---|---|---|---|")
    found, worst = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y, n, categories in tables(arguments):
            own, difference = driftline(Path(folder), x, y, n, categories, arguments.onnx)
            scores = [own, sklearn(x, y, n, categories), lightgbm(x, y, n, categories)]
            worst = max(worst, difference)
            found.append([score[0] for score in scores] + [score[1] for score in scores])
            cells = [f"{score[0]:.2f}" for score in scores] + [f"{score[1]:.3f}" for score in scores]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    mean = numpy.mean(found, axis=0)
    print("| mean | " + " | ".join([f"{value:.2f}" for value in mean[:3]] + [f"{value:.3f}" for value in mean[3:]]) + " |")
    if arguments.onnx:
        print(f"largest difference to onnxruntime: {worst:.1e}")
    return int(worst > 1e-6 or mean[0] < max(mean[1:3]) - 0.3)


def tables(arguments):
    """Name, rows, labels, how many to train on, and which columns are categories."""
    import numpy
    import pandas
    from sklearn import datasets
    data, cache = Path(arguments.data), Path(arguments.cache)
    for name in STREAMS:
        path = data / f"streams/{name}.csv.gz"
        if skip(path):
            continue
        table = pandas.read_csv(path).sort_values("part", kind="stable")  # source comes before stream
        n = int((table["part"] == "source").sum())
        yield name, *coded(table.drop(columns=["part", "label"]), table["label"], n)
    if not skip(path := data / "keystroke/keystroke.csv"):
        table = pandas.read_csv(path)
        yield "keystroke", *coded(table.drop(columns=["session", "user"]), table["user"], int((table["session"] == 1).sum()))
    for name, n in (("elec", 11_328), ("weather", 4_540), ("covtype", 20_000)):
        if not skip(path := cache / f"{name}.csv"):
            table = pandas.read_csv(path)[:120_000]
            yield name, *coded(table.iloc[:, :-1], table.iloc[:, -1], n)
    if not skip(cache / "employment_MA_reference.pq"):
        from auto import census
        files = [cache / f"employment_MA_{part}.pq" for part in ("reference", "analysis", "analysis_target")]
        header, source, stream = census(*files)
        table = pandas.DataFrame(source + stream, columns=header)
        yield "census", *coded(table.iloc[:, :-1], table["label"], len(source))
    makers = {
        "iris": datasets.load_iris, "wine": datasets.load_wine,
        "breast cancer": datasets.load_breast_cancer, "digits": datasets.load_digits,
        "Hastie 10.2": lambda return_X_y: datasets.make_hastie_10_2(9_000, random_state=1),
        "Gaussian quantiles": lambda return_X_y: datasets.make_gaussian_quantiles(n_samples=9_000, n_features=10, n_classes=3, random_state=1),
    }
    drawn = {f"{columns} columns, {classes} classes": (columns, classes) for columns, classes in ((20, 2), (20, 5), (50, 2), (50, 10))}
    for name in [*makers, *drawn]:
        if name in makers:
            x, y = makers[name](return_X_y=True)
            y = numpy.unique(y, return_inverse=True)[1]
        else:
            x, y = datasets.make_classification(9_000, drawn[name][0], n_informative=10, n_classes=drawn[name][1], flip_y=0.05, random_state=1)
        order = numpy.random.default_rng(0).permutation(len(y))
        yield name, x[order].astype("f4"), y[order].astype("u4"), len(y) * 2 // 3, numpy.zeros(x.shape[1], "u4")


def coded(x, y, n):
    """Categories as codes; a category or a class that the source does not have is missing, or wrong whatever is said."""
    import numpy
    classes = {label: at for at, label in enumerate(sorted(y[:n].unique()))}
    columns, categories = [], []
    for name in x:
        is_number = x[name].dtype.kind in "biuf"
        codes = None if is_number else {value: at for at, value in enumerate(sorted(x[name][:n].dropna().unique()))}
        columns.append((x[name] if is_number else x[name].map(codes)).astype("f8").to_numpy())
        categories.append(not is_number)
    labels = y.map(classes).fillna(len(classes)).to_numpy().astype("u4")
    return numpy.array(columns).T.astype("f4"), labels, n, numpy.array(categories, "u4")


def driftline(folder, x, y, n, categories, onnx):
    import numpy
    classes = int(y[:n].max()) + 1
    table, out, model = folder / "table.bin", folder / "out.bin", folder / "model.onnx"
    with open(table, "wb") as file:
        file.write(struct.pack("<4I", n, len(x) - n, x.shape[1], classes))
        for part in (categories, x, y):
            file.write(numpy.ascontiguousarray(part).tobytes())
    answer = subprocess.run([PROGRAM, table, out, "{}", "1", *([model] if onnx else [])], check=True, capture_output=True, text=True)
    assert json.loads(answer.stdout)["rounds"] > 0
    p = numpy.fromfile(out, "f4").reshape(-1, classes)
    difference = 0.0
    if onnx:
        import onnxruntime
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        difference = float(numpy.abs(session.run(None, {"input": x[n:]})[0] - p).max())
    return score(p, y[n:]), difference


def sklearn(x, y, n, categories):
    import numpy
    from sklearn.ensemble import HistGradientBoostingClassifier
    mask = categories.astype(bool) if categories.any() else None
    makers = (HistGradientBoostingClassifier(categorical_features=mask, random_state=seed) for seed in range(5 if n > 10_000 else 1))
    return numpy.mean([score(full(model.fit(x[:n], y[:n]), x[n:]), y[n:]) for model in makers], axis=0)


def lightgbm(x, y, n, categories):
    from lightgbm import LGBMClassifier
    names = [int(at) for at in categories.nonzero()[0]] or "auto"
    return score(full(LGBMClassifier(verbose=-1).fit(x[:n], y[:n], categorical_feature=names), x[n:]), y[n:])


def full(model, x):
    """Probabilities with one column for each class number."""
    import numpy
    p = numpy.zeros((len(x), int(model.classes_.max()) + 1))
    p[:, model.classes_] = model.predict_proba(x)
    return p


def score(p, y):
    import numpy
    known = y < p.shape[1]
    right = p[numpy.arange(len(y))[known], y[known]]
    return 100 * (p.argmax(axis=1) == y).mean(), -numpy.log(numpy.clip(right, 1e-7, 1)).mean()


def skip(path):
    if not path.exists():
        print(f"skipped: {path} is not there", file=sys.stderr)
    return not path.exists()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=ROOT.parent / "shared/data")
    parser.add_argument("--cache", default=ROOT / "target/skmultiflow")
    parser.add_argument("--venv")
    parser.add_argument("--onnx", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
