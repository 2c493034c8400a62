#!/usr/bin/env python3
"""Compares the linear model with PyTorch (one self-training step) and scikit-learn (the exact minimiser), in one sitting.

    python3 bench/linear.py            makes a virtual environment under target/ and installs torch and scikit-learn
    python3 bench/linear.py --venv DIR uses that one

Every figure is the median over processes that take turns; each library gets its best number of threads (1 or all).
Both solvers run at the loosest tolerance at which they come within 1e-6 relative of the smallest objective known (in
double precision). Exit code 1 if a target is missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = [(500, 100), (5_000, 100), (50_000, 100), (5_000, 784)]
WINDOW, FEATURES, EPOCHS, BATCH, L2 = 500, 100, 100, 32, 0.02
TORCH_TARGET, SKLEARN_TARGET, OBJECTIVE_TOLERANCE = 100, 1, 1e-6
TOLERANCES = [1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7]


def main():
    arguments = parse()
    if arguments.worker:
        return WORKERS[arguments.worker](json.loads(arguments.settings))
    python = environment(arguments.venv)
    if Path(sys.executable) != python:
        given = [a for a in sys.argv[1:] if a != "--venv" and a != str(arguments.venv)]
        return subprocess.run([python, __file__, "--venv", python.parent.parent, *given]).returncode
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "-p", "driftline", "--example", "bench_linear"], cwd=ROOT, check=True
    )
    with tempfile.TemporaryDirectory() as folder:
        fine = self_training_step(Path(folder), arguments)
        for n, d in SIZES:
            # scikit-learn's default strength (C = 1), then the paper's.
            for l2 in (1 / n, L2):
                fine &= minimiser(Path(folder), n, d, l2, arguments)
    return 0 if fine else 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, help="a virtual environment with torch and scikit-learn")
    parser.add_argument("--rounds", type=int, default=5, help="processes per library and setting (default 5)")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--settings", help=argparse.SUPPRESS)
    return parser.parse_args()


def environment(given):
    """The interpreter with torch and scikit-learn, installed if need be."""
    if given:
        return given.absolute() / "bin" / "python"
    folder = ROOT / "target" / "bench-venv"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "torch", "scikit-learn", "numpy"], check=True)
    return python


def write_data(folder, n, d):
    """Two overlapping classes whose features have different scales, always the same draw."""
    import numpy as np

    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, n).astype(np.uint8)
    direction = generator.standard_normal(d)
    direction /= np.linalg.norm(direction)
    noise = generator.standard_normal((n, d)) * np.linspace(0.3, 1.0, d)
    inputs = (noise + np.outer(2.0 * labels - 1.0, direction)).astype("<f4")
    inputs.tofile(folder / "inputs")
    labels.tofile(folder / "labels")
    return inputs, labels


def ours(folder, *arguments):
    command = [ROOT / "target/release/examples/bench_linear", arguments[0], folder / "inputs", folder / "labels"]
    return read_json(subprocess.run([*command, *map(str, arguments[1:])], check=True, stdout=subprocess.PIPE))


def theirs(worker, folder, threads, **settings):
    """Runs a worker in a process of its own, because the number of threads is fixed when a library is loaded."""
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
    settings = json.dumps({"folder": str(folder), "threads": threads, **settings})
    command = [sys.executable, __file__, "--worker", worker, "--settings", settings]
    variables = os.environ | {name: str(threads) for name in names}
    return read_json(subprocess.run(command, check=True, stdout=subprocess.PIPE, env=variables))


def read_json(process):
    return json.loads(process.stdout)


def thread_settings():
    return sorted({1, min(2, os.cpu_count()), os.cpu_count()})


def best(rounds):
    """The smallest, over thread settings, of the median over processes of the fastest repeat."""
    medians = {t: statistics.median(min(r["seconds"]) for r in results) for t, results in rounds.items()}
    threads = min(medians, key=medians.get)
    return medians[threads], threads, rounds[threads][-1]


def self_training_step(folder, arguments):
    write_data(folder, 2 * WINDOW, FEATURES)
    mine, other = {1: []}, {t: [] for t in thread_settings()}
    for _ in range(arguments.rounds):
        mine[1].append(ours(folder, "step", FEATURES, L2, EPOCHS, 20))
        for threads in other:
            other[threads].append(theirs("torch", folder, threads))
    (own, _, result), (torch, threads, reference) = best(mine), best(other)
    fine = torch / own >= TORCH_TARGET
    print(f"self-training step, {WINDOW} x {FEATURES}, {EPOCHS} epochs of batches of {BATCH}")
    print(f"  driftline     {1e3 * own:9.3f} ms  {1e6 * own / result['steps']:8.2f} us per gradient step")
    print(f"  PyTorch       {1e3 * torch:9.3f} ms  {1e6 * torch / reference['steps']:8.2f} us ({threads} threads)")
    print(f"  ratio         {torch / own:9.1f}     wanted at least {TORCH_TARGET}: {verdict(fine)}", flush=True)
    return fine


def minimiser(folder, n, d, l2, arguments):
    inputs, labels = write_data(folder, n, d)

    def solve_ours(tolerance, threads, repeats):
        return ours(folder, "solve", d, l2, tolerance, threads, repeats)

    def solve_theirs(tolerance, threads, repeats):
        return theirs("sklearn", folder, threads, features=d, l2=l2, tolerance=tolerance, repeats=repeats)

    solvers = [solve_ours, solve_theirs]
    reached = [
        [objective(solve(tolerance, 1, 1), inputs, labels, l2) for tolerance in TOLERANCES] for solve in solvers
    ]
    least = min(min(values) for values in reached)
    enough = [
        next((t for t, v in zip(TOLERANCES, values) if v <= least * (1 + OBJECTIVE_TOLERANCE)), TOLERANCES[-1])
        for values in reached
    ]
    rounds = [{t: [] for t in thread_settings()} for _ in solvers]
    for _ in range(arguments.rounds):
        for threads in thread_settings():
            for solve, tolerance, results in zip(solvers, enough, rounds):
                results[threads].append(solve(tolerance, threads, 5))
    (own, own_threads, result), (sklearn, threads, reference) = map(best, rounds)
    objectives = [objective(r, inputs, labels, l2) for r in (result, reference)]
    gap = abs(objectives[0] - objectives[1]) / objectives[1]
    fine = sklearn / own > SKLEARN_TARGET and gap <= OBJECTIVE_TOLERANCE
    print(f"minimiser, {n} x {d}, l2 = {l2:g}")
    for name, seconds, used, tolerance, value in [
        ("driftline", own, own_threads, enough[0], objectives[0]),
        ("scikit-learn", sklearn, threads, enough[1], objectives[1]),
    ]:
        print(f"  {name:13} {1e3 * seconds:9.3f} ms  ({used} threads, tolerance {tolerance:g}), objective {value:.12f}")
    print(f"  ratio         {sklearn / own:9.1f}     objectives differ by {gap:.1e}: {verdict(fine)}", flush=True)
    return fine


def verdict(fine):
    return "yes" if fine else "NO"


def objective(solution, inputs, labels, l2):
    """Mean logistic loss + l2/2 |w|^2 in double precision, which is what two classes with weights -w/2 and w/2 pay."""
    import numpy as np

    weights = np.asarray(solution["weights"], dtype=np.float64)
    margins = (2.0 * labels - 1.0) * (inputs.astype(np.float64) @ weights + solution["bias"])
    return np.logaddexp(0.0, -margins).mean() + l2 / 2 * weights @ weights


def read_data(settings, d):
    import numpy as np

    folder = Path(settings["folder"])
    inputs = np.fromfile(folder / "inputs", dtype="<f4").reshape(-1, d)
    return inputs, np.fromfile(folder / "labels", dtype=np.uint8)


def torch_worker(settings):
    """The same step: a teacher labels the window, the surest nine tenths are learned by the same number of updates."""
    import torch

    torch.set_num_threads(settings["threads"])
    torch.manual_seed(0)
    inputs, labels = read_data(settings, FEATURES)
    inputs, labels = torch.from_numpy(inputs), torch.from_numpy(labels).long()
    model = torch.nn.Linear(FEATURES, 2)
    torch.nn.init.xavier_uniform_(model.weight)
    torch.nn.init.zeros_(model.bias)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True)
    cross_entropy = torch.nn.CrossEntropyLoss()

    def train(inputs, labels):
        steps = 0
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(inputs)).split(BATCH):
                optimizer.zero_grad(set_to_none=True)
                loss = cross_entropy(model(inputs[batch]), labels[batch]) + L2 * model.weight.square().sum()
                loss.backward()
                optimizer.step()
                steps += 1
        return steps

    def self_train(window):
        with torch.no_grad():
            probabilities = torch.softmax(model(window), dim=1)
        confidence = probabilities.amax(1) - probabilities.amin(1)
        kept = confidence >= torch.quantile(confidence, 0.1)
        return train(window[kept], probabilities.argmax(1)[kept])

    train(inputs[:WINDOW], labels[:WINDOW])
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        steps = self_train(inputs[WINDOW:])
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "steps": steps}))


def sklearn_worker(settings):
    from sklearn.linear_model import LogisticRegression

    inputs, labels = read_data(settings, settings["features"])
    c = 1 / (settings["l2"] * len(inputs))
    model = LogisticRegression(C=c, solver="lbfgs", tol=settings["tolerance"], max_iter=10_000)
    seconds = []
    for _ in range(settings["repeats"]):
        begin = time.perf_counter()
        model.fit(inputs, labels)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds, "weights": model.coef_[0].tolist(), "bias": float(model.intercept_[0])}))


WORKERS = {"torch": torch_worker, "sklearn": sklearn_worker}

if __name__ == "__main__":
    sys.exit(main())
