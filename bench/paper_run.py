#!/usr/bin/env python3
"""One seed of source training and gradual self-training on rotating MNIST: driftline against Keras, in one sitting.

    bench/paper_run.py [--rounds 3] [--try]

Both prepare the data (every picture turned by a cubic spline), train the source model for 10 epochs on 5,000 pictures, and
self-train for 10 epochs on each of 21 windows of 2,000, dropping the least confident tenth. Keras does it as the paper did:
`scipy.ndimage.rotate`, `predict` and `fit`. Rounds alternate; the clock of Keras starts after its imports, that of driftline
at the start of the process, which also scores every model along the stream.

Builds the program, makes a virtual environment under target/, installs TensorFlow and SciPy from PyPI into it. MNIST must be in
the cache (`driftline data fetch mnist`). Leave the machine otherwise idle. `--try` runs a fiftieth, to try the script.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "bench-venv"
SIZES = {"source": 5000, "held_out": 1000, "stream": 42000, "target": 2000}
WINDOW, EPOCHS, DROP = 2000, 10, 0.1


def python():
    """The environment's interpreter, made on first use."""
    executable, marker = FOLDER / "bin" / "python", FOLDER / "installed-for-paper-run"
    if not marker.exists():
        if not executable.exists():
            venv.create(FOLDER, with_pip=True)
        subprocess.run([executable, "-m", "pip", "install", "--quiet", "tensorflow", "numpy", "scipy"], check=True)
        marker.touch()
    return executable


def keras_run(mnist, divisor):
    """The run with Keras; prints its times and accuracies as JSON. Called in the environment."""
    import keras
    import numpy as np
    from scipy import ndimage

    layers = keras.layers
    sizes = {name: size // divisor for name, size in SIZES.items()}
    window, epochs = WINDOW // divisor, EPOCHS if divisor == 1 else 2
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)

    start = time.perf_counter()
    read = lambda name, header: np.fromfile(Path(mnist) / name, dtype=np.uint8)[header:]
    images = read("train-images-idx3-ubyte", 16).reshape(-1, 28, 28) / np.float32(255)
    labels = read("train-labels-idx1-ubyte", 8)
    order = generator.permutation(len(images))
    images, labels = images[order], labels[order]

    def part(name, angles):
        nonlocal images, labels
        count = sizes[name]
        turned = [ndimage.rotate(image, angle, reshape=False) for image, angle in zip(images[:count], angles)]
        result = np.array(turned, dtype=np.float32)[..., None], labels[:count]
        images, labels = images[count:], labels[count:]
        return result

    near, far = lambda n: generator.uniform(0, 5, n), lambda n: generator.uniform(55, 60, n)
    source = part("source", near(sizes["source"]))
    held_out = part("held_out", near(sizes["held_out"]))
    stream, _ = part("stream", 5 + 55 * np.arange(sizes["stream"]) / sizes["stream"])
    target = part("target", far(sizes["target"]))
    prepared = time.perf_counter()

    convolutions = [layers.Conv2D(32, 5, 2, padding="same", activation="relu") for _ in range(3)]
    rest = [layers.Dropout(0.5), layers.BatchNormalization(), layers.Flatten(), layers.Dense(10, activation="softmax")]
    model = keras.Sequential([keras.Input((28, 28, 1)), *convolutions, *rest])
    compile_model = lambda: model.compile(
        optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    compile_model()
    model.fit(*source, epochs=epochs, verbose=0)
    trained = time.perf_counter()
    scores = {"held_out_source": model.evaluate(*held_out, verbose=0)[1], "source": model.evaluate(*target, verbose=0)[1]}

    again = time.perf_counter()
    # A fresh optimiser, then one that is carried from window to window.
    compile_model()
    for first in range(0, len(stream) - window + 1, window):
        pictures = stream[first : first + window]
        probabilities = model.predict(pictures, verbose=0)
        confidence = probabilities.max(axis=1) - probabilities.min(axis=1)
        kept = confidence >= np.quantile(confidence, DROP)
        model.fit(pictures[kept], probabilities[kept].argmax(axis=1), epochs=epochs, verbose=0)
    end = time.perf_counter()
    scores["gradual"] = model.evaluate(*target, verbose=0)[1]
    seconds = {"data": prepared - start, "source": trained - prepared, "gradual": end - again}
    print(json.dumps({"seconds": sum(seconds.values()), "parts": seconds, "scores": scores}))


def driftline_run(program, trial_only):
    """The same with our program, as a user would call it."""
    with tempfile.TemporaryDirectory() as out:
        choice = ["--dataset", "Rot MNIST", "--method", "Gradual ST", "--seeds", "0", "--quiet", "--json", "--out", out]
        command = [program, "reproduce", "--table", "1", "--budget", "1h", *choice]
        if trial_only:
            command = [program, "run", ROOT / "experiments" / "table1-rot-mnist.toml", "--scale", "smoke", *choice]
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        folder = Path(out) if trial_only else Path(out) / "table1-rot-mnist"
        outcome = json.loads((folder / "trials.jsonl").read_text())["outcome"]
        scores = {
            "held_out_source": outcome["held_out_source"],
            "source": outcome["stages"][0]["target"],
            "gradual": outcome["accuracy"],
        }
        return {"seconds": seconds, "scores": scores}


def mnist_folder(program):
    described = subprocess.run([program, "data", "describe", "mnist", "--json"], check=True, capture_output=True)
    described = json.loads(described.stdout)
    if not described["stored"]:
        sys.exit("MNIST is not in the cache: run `driftline data fetch mnist`")
    return described["folder"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--try", dest="trial_only", action="store_true", help="a fiftieth of everything, one round")
    parser.add_argument("--program", type=Path, help="use this program instead of building it")
    parser.add_argument("--keras", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.keras:
        return keras_run(arguments.keras[0], int(arguments.keras[1]))

    program = arguments.program
    if program is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "driftline-cli"], cwd=ROOT, check=True)
        program = ROOT / "target" / "release" / "driftline"
    interpreter, mnist = python(), mnist_folder(program)
    divisor, rounds = ("50", 1) if arguments.trial_only else ("1", arguments.rounds)
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    print(f"load before: {os.getloadavg()[0]:.2f}; {os.cpu_count()} cores; {rounds} rounds\n")
    print("| round | | seconds | held-out source | source on target | gradual |")
    print("|---|---|---|---|---|---|")
    runs = {"Keras": [], "driftline": []}
    for number in range(1, rounds + 1):
        done = subprocess.run(
            [interpreter, __file__, "--keras", mnist, divisor], env=quiet, check=True, capture_output=True, text=True
        )
        runs["Keras"].append(json.loads(done.stdout.strip().splitlines()[-1]))
        runs["driftline"].append(driftline_run(program, arguments.trial_only))
        for name, results in runs.items():
            scores = " | ".join(f"{100 * score:.1f}" for score in results[-1]["scores"].values())
            parts = results[-1].get("parts", {})
            parts = ", ".join(f"{part} {seconds:.1f}" for part, seconds in parts.items())
            parts = f" ({parts})" if parts else ""
            print(f"| {number} | {name} | {results[-1]['seconds']:.1f}{parts} | {scores} |", flush=True)
    median = {name: statistics.median(run["seconds"] for run in results) for name, results in runs.items()}
    print(f"\nmedians: Keras {median['Keras']:.1f} s, driftline {median['driftline']:.1f} s", end="")
    print(f", ratio {median['Keras'] / median['driftline']:.2f}; load after: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
