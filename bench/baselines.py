#!/usr/bin/env python3
"""Sets the classical baselines and the alignments beside twins written with numpy, scikit-learn and POT, on the same rows.

    python3 bench/baselines.py             makes a virtual environment under target/ and installs numpy, scipy, scikit-learn, POT
    python3 bench/baselines.py --venv DIR  uses that one
    ... --driftline target/release/driftline

Each data set is one source and one window. Both sides standardise by the source and clip (±4, ±8), both train softmax
regression with the same penalty to its minimum, and both are scored on the window. Exit code 1 if a pair is further apart than
1 point. Data sets of the cache that are not there are left out.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
L2 = 0.01
DIMENSIONS = 2
METHODS = {
    "source": ('curriculum = "source-only"', "source"),
    "realign": ('alignment.standardize = { shrinkage-rows = 0 }\nlabeler = "none"', "realign"),
    "quantiles": ('alignment.quantiles = { shrinkage-rows = 0 }\nlabeler = "none"', "quantiles"),
    "importance weighting": ('labeler.importance = { l2 = 0.01, most = 20 }', "importance"),
    "correlation alignment": ('labeler.moved-source = { by = "correlation", ridge = 1 }', "coral"),
    "subspace alignment": (f'alignment.subspace = {{ dimensions = {DIMENSIONS} }}\nlabeler.moved-source = {{ by = "subspace", dimensions = {DIMENSIONS} }}', "subspace"),
    "optimal transport": ('labeler.moved-source = { by = "transport", blur = 0.05, rows = 1000 }', "transport"),
    "label shift, confusion": ('labeler.label-shift = { by = "confusion" }', "confusion"),
    "label shift, EM": ('labeler.label-shift = { by = "em" }', "em"),
}


def environment(given):
    if given:
        return pathlib.Path(given) / "bin/python"
    folder = ROOT / "target/bench-baselines"
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy", "scipy", "scikit-learn", "POT"], check=True)
    return python


# ---- data: a source and a window each, at most 1,000 rows a side, so that transport needs no draw
def gaussians(np, kind):
    rng = np.random.default_rng(0)

    def draw(n, centre, turn, share):
        y = (rng.random(n) < share).astype(int)
        x = rng.normal(size=(n, 4)) * [1.0, 0.6, 1.0, 1.0] + np.outer(2 * y - 1, [1.2, 0.3, 0.0, 0.0])
        c, s = np.cos(turn), np.sin(turn)
        x[:, :2] = x[:, :2] @ np.array([[c, s], [-s, c]])
        return x + centre, y

    moved = {"turned": (0.0, 0.5, 0.5), "shifted": (1.0, 0.0, 0.5), "other shares": (0.0, 0.0, 0.15)}[kind]
    return (*draw(1000, 0.0, 0.0, 0.5), *draw(1000, *moved))


def table(np, name, file, label, source, window):
    path = pathlib.Path.home() / ".cache/driftline" / name / file
    if not path.is_file():
        return None
    rows = list(csv.DictReader(open(path)))
    columns = [c for c in rows[0] if c not in (label, "session")]
    classes = sorted({r[label] for r in rows})
    a, b = [r for i, r in enumerate(rows) if source(i, r)][:1000], [r for i, r in enumerate(rows) if window(i, r)][:1000]
    x = lambda part: np.array([[float(r[c]) for c in columns] for r in part])
    y = lambda part: np.array([classes.index(r[label]) for r in part])
    return x(a), y(a), x(b), y(b)


def data(np):
    for kind in ("turned", "shifted", "other shares"):
        yield f"Gaussians, {kind}", gaussians(np, kind)
    for name, loaded in [
        ("keystroke, session 4", table(np, "keystroke", "keystroke.csv", "user", lambda i, r: r["session"] == "1", lambda i, r: r["session"] == "4")),
        ("weather, 20 years on", table(np, "weather", "weather.csv", "target", lambda i, r: i < 1000, lambda i, r: 9000 <= i < 10000)),
        ("Elec2, 400 days on", table(np, "elec2", "elec.csv", "target", lambda i, r: i < 1000, lambda i, r: 20000 <= i < 21000)),
    ]:
        if loaded is not None:
            yield name, loaded


# ---- the twins
def twins(np, S, y, X, answers):
    import ot
    import scipy.linalg
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LogisticRegression

    live = np.array([np.mean(S[:, j] != np.median(S[:, j])) >= 0.02 for j in range(S.shape[1])])
    mean, scale = S[:, live].mean(0), S[:, live].std(0)
    S, X = np.clip((S[:, live] - mean) / scale, -4, 4), np.clip((X[:, live] - mean) / scale, -8, 8)
    k = y.max() + 1

    def fit(A, b, weights=None, l2=L2):
        weights = np.ones(len(A)) if weights is None else weights / weights.mean()
        classes = len(np.unique(b))
        # mean loss + λΣW²: two classes share one vector, v = w₁ − w₀, with λ/2·v².
        strength = 1 / (l2 * len(A)) if classes == 2 else 1 / (2 * l2 * len(A))
        return LogisticRegression(C=strength, tol=1e-8, max_iter=5000).fit(A, b, weights)

    def score(model, V):
        return (model.predict(V) == answers).mean()

    plain = fit(S, y)
    own = lambda A, to: np.clip((A - A.mean(0)) / np.maximum(A.std(0), 0.05 * to.std(0)), -4, 4) * to.std(0) + to.mean(0)
    found = {"source": score(plain, X), "realign": score(plain, own(X, S))}

    knots = np.linspace(0, 1, 33)
    moved = np.empty_like(X)
    for j in range(X.shape[1]):
        at, to = np.quantile(X[:, j], knots), np.quantile(S[:, j], knots)
        single = np.unique(at)
        moved[:, j] = np.interp(X[:, j], single, [to[at == v].mean() for v in single])
    found["quantiles"] = score(plain, moved)

    both, side = np.r_[S, X], np.r_[np.zeros(len(S)), np.ones(len(X))]
    p = fit(both, side, l2=0.01).predict_proba(S)
    ratio = p[:, 1] / p[:, 0]
    found["importance"] = score(fit(S, y, np.minimum(ratio / ratio.mean(), 20)), X)

    root = lambda M: np.real(scipy.linalg.sqrtm(M))
    Cs, Ct = (np.cov(A.T, bias=True) + np.eye(A.shape[1]) for A in (S, X))
    found["coral"] = score(fit((S - S.mean(0)) @ np.linalg.inv(root(Cs)) @ root(Ct) + X.mean(0), y), X)

    Ps, Pt = PCA(DIMENSIONS).fit(S).components_.T, PCA(DIMENSIONS).fit(X).components_.T
    found["subspace"] = score(fit((S - S.mean(0)) @ Ps @ (Ps.T @ Pt), y), (X - X.mean(0)) @ Pt)

    M = ot.dist(S, X)
    P = ot.sinkhorn(np.full(len(S), 1 / len(S)), np.full(len(X), 1 / len(X)), M, 0.05 * M.mean(), numItermax=2000, stopThr=1e-9)
    found["transport"] = score(fit(P @ X / P.sum(1, keepdims=True), y), X)

    prior = np.bincount(y, minlength=k) / len(y)
    told, seen = plain.predict(S), plain.predict(X)
    C = np.array([[np.mean((told == i) & (y == j)) for j in range(k)] for i in range(k)])
    w = np.maximum(np.linalg.lstsq(C, np.bincount(seen, minlength=k) / len(seen), rcond=None)[0], 0)
    found["confusion"] = score(fit(S, y, w[y]), X)
    q, p = prior.copy(), plain.predict_proba(X)
    for _ in range(1000):
        r = p * (q / prior)
        q = (r / r.sum(1, keepdims=True)).mean(0)
    found["em"] = score(fit(S, y, (q / prior)[y]), X)
    return found


# ---- ours, through the program
def ours(program, settings, S, y, X, answers):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, A, b in [("source.csv", S, y), ("stream.csv", X, answers)]:
            with open(folder / file, "w", newline="") as out:
                writer = csv.writer(out)
                writer.writerow([*(f"x{j}" for j in range(A.shape[1])), "class"])
                writer.writerows([*map(repr, map(float, row)), f"c{label}"] for row, label in zip(A, b))
        text = settings + f"\n[model.linear]\nl2 = {L2}\nfull-batch = {{ tolerance = 1e-6, max-iterations = 5000 }}\n"
        (folder / "settings.toml").write_text(text)
        subprocess.run([program, "adapt", "--source", "source.csv", "--label", "class", "--stream", "stream.csv", "--windows", "1", "--truth", "class",
                        "--settings", "settings.toml", "--policy", "always", "--out", "run", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return json.loads(open(folder / "run/windows.jsonl").readline())["accuracy_after"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv")
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    arguments = parser.parse_args()
    python = environment(arguments.venv)
    if pathlib.Path(sys.executable) != python.absolute() and not arguments.venv == sys.prefix:
        given = ["--driftline", arguments.driftline.resolve(), "--venv", python.parent.parent.absolute()]
        sys.exit(subprocess.run([python, __file__, *given]).returncode)
    import numpy as np

    worst = 0.0
    print(f"{'data':24} {'method':24} {'ours %':>7} {'twin %':>7} {'apart':>6}")
    for name, parts in data(np):
        other = twins(np, *parts)
        for method, (settings, key) in METHODS.items():
            own = ours(arguments.driftline.resolve(), settings, *parts)
            apart = 100 * (own - other[key])
            worst = max(worst, abs(apart))
            print(f"{name:24} {method:24} {100 * own:7.1f} {100 * other[key]:7.1f} {apart:+6.1f}", flush=True)
    print(f"furthest apart: {worst:.1f} points")
    sys.exit(0 if worst <= 1.0 else 1)


if __name__ == "__main__":
    main()
