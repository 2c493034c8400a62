"""What the Python package costs: time against the program, memory, and time against scikit-learn's own self-training.

    python bench/python_overhead.py PROGRAM [WINDOWS]

PROGRAM is the release build of the program. Needs the package, pyarrow and scikit-learn. Prints one line for each figure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WINDOW, WIDTH = 10_000, 50
WINDOWS = int(sys.argv[2]) if len(sys.argv) > 2 else 100


def rows(n: int, moved: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    X = rng.normal(size=(n, WIDTH)).astype(np.float32)
    X[:, :10] += np.where(y[:, None] == 1, 0.6, -0.6).astype(np.float32)
    X += np.float32(moved)
    return X, y


def stream(windows: int) -> np.ndarray:
    return np.concatenate([rows(WINDOW, 0.01 * at, at + 1)[0] for at in range(windows)])


CHILD = """
import json, re, sys, time
from pathlib import Path
import numpy as np
sys.path.insert(0, {here!r})
from driftline import DriftClassifier
X, y = np.load({place!r} + "/X.npy"), np.load({place!r} + "/y.npy")
stream = np.load({place!r} + "/stream.npy")[: {windows} * {window}]
def memory(what):
    return int(re.search(what + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
model = DriftClassifier(model="linear", window={window}, policy="always")
Path("/proc/self/clear_refs").write_text("5")  # forgets the largest memory so far
before = memory("VmRSS")
start = time.perf_counter()
model.fit(X, y)
fitted = time.perf_counter()
model.adapt(stream)
done = time.perf_counter()
print(json.dumps(dict(fit=fitted - start, adapt=done - fitted, peak=memory("VmHWM") - before)))
"""


def child(place: str, windows: int) -> dict[str, float]:
    code = CHILD.format(here=str(Path(__file__).parent), place=place, windows=windows, window=WINDOW)
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(found.stdout)


def program(place: str, name: str, what: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.argv[1], *what, "--quiet"], check=True, cwd=place, stdout=subprocess.DEVNULL)
    took = time.perf_counter() - start
    print(f"program, {name}: {took:.2f} s")
    return took


def by_hand(X: np.ndarray, y: np.ndarray, windows: list[np.ndarray]) -> float:
    """The same steps with scikit-learn: scale, fit, then label every window, drop the least sure tenth, fit again."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    start = time.perf_counter()
    scaler = StandardScaler().fit(X)
    model = LogisticRegression(max_iter=1000).fit(scaler.transform(X), y)
    for window in windows:
        scaled = scaler.transform(window)
        shares = model.predict_proba(scaled)
        sure = shares.max(axis=1)
        kept = sure >= np.quantile(sure, 0.1)
        guessed = model.classes_[shares.argmax(axis=1)]
        model = LogisticRegression(max_iter=1000).fit(scaled[kept], guessed[kept])
        for other in (window,):
            model.predict_proba(scaler.transform(other))
    return time.perf_counter() - start


def self_training(X: np.ndarray, y: np.ndarray, windows: list[np.ndarray]) -> float:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.semi_supervised import SelfTrainingClassifier

    start = time.perf_counter()
    known, labels = X, y
    for window in windows:
        both = np.concatenate([known, window])
        unknown = np.concatenate([labels, np.full(len(window), -1)])
        model = make_pipeline(StandardScaler(), SelfTrainingClassifier(LogisticRegression(max_iter=1000)))
        model.fit(both, unknown)
        known, labels = window, model.predict(window)
    return time.perf_counter() - start


def main() -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as place:
        X, y = rows(WINDOW, 0.0, 0)
        along = stream(WINDOWS)
        for name, array in (("X", X), ("y", y), ("stream", along)):
            np.save(f"{place}/{name}.npy", array)
        names = [f"c{at}" for at in range(WIDTH)]
        columns = {name: X[:, at] for at, name in enumerate(names)}
        pq.write_table(pa.table({**columns, "label": y}), f"{place}/source.parquet")
        pq.write_table(pa.table({name: along[:, at] for at, name in enumerate(names)}), f"{place}/stream.parquet")

        short, own = child(place, 2), child(place, WINDOWS)
        took = own["fit"] + own["adapt"]
        print(f"package: fit {own['fit']:.2f} s, {WINDOWS} windows {own['adapt']:.2f} s, together {took:.2f} s")
        more = own["peak"] - short["peak"]
        print(f"package: memory beyond the inputs {own['peak']:.1f} MB; {more:+.1f} MB more than for 2 windows "
              f"(a window is {WINDOW * WIDTH * 4 / 2**20:.1f} MB)")
        what = ["adapt", "--source", "source.parquet", "--label", "label", "--stream", "stream.parquet"]
        what += ["--model", "linear", "--window", str(WINDOW), "--policy", "always", "--out", "run"]
        whole = program(place, "fit and adapt, with its reading and a run folder", what)
        # `never` reads and encodes the same files twice, as `always` does, and trains on the source only.
        reading = program(place, "reading alone", ["inspect", "stream.parquet"])
        print(f"package / program without reading: {took / (whole - reading):.2f}")

        every = [along[at * WINDOW : (at + 1) * WINDOW] for at in range(WINDOWS)]
        hand = by_hand(X, y, every)
        print(f"{WINDOWS} windows: package {took:.2f} s, scikit-learn by hand {hand:.2f} s ({hand / took:.1f}×)")
        few = every[:20]
        part = child(place, len(few))
        own, library = part["fit"] + part["adapt"], self_training(X, y, few)
        print(f"{len(few)} windows: package {own:.2f} s, SelfTrainingClassifier {library:.2f} s ({library / own:.1f}×)")
    print(f"{os.cpu_count()} cores")


main()
