"""The network's classical baselines beside PyTorch: batch-norm adaptation, entropy minimisation, gradient reversal.

Both sides train the MLP of `--model mlp` on a labelled source and take one step on a window that has moved; the table shows
the mean accuracy on that window over several seeds, and the difference. They start from different random numbers, so the
means differ by chance; more than one point is a failure (exit code 1).

    python3 bench/network_baselines.py --program target/release/driftline [--seeds 8]

Needs numpy and PyTorch.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch

FEATURES, CLASSES, EPOCHS = 8, 3, 10

SETTINGS = """
curriculum.gradual = {{ windows = 1 }}
scaling = false
training = {{ epochs = {epochs}, batch-size = 32 }}
model.network = {{ architecture = "mlp"{steps} }}
[self-training]
labels = "hard"
confidence = "spread"
filter.drop = 0.0
start = "teacher"
optimizer-state = "fresh"
{replay}
"""

METHODS = {
    "none": None,
    "batch-norm adaptation": ("statistics", ', steps = "statistics"', ""),
    "entropy minimisation": ("entropy", ', steps = "entropy"', ""),
    "gradient reversal": ("reversal", ", steps.reversal.weight = 0.3", "replay = 1.0"),
}


def draw(n, moved, generator):
    """Three classes; a moved window is stretched and shifted, column by column."""
    centres = 2.6 * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) @ np.eye(3, FEATURES)
    labels = generator.integers(CLASSES, size=n)
    values = centres[labels] + generator.normal(size=(n, FEATURES))
    if moved:
        values = values * np.linspace(0.8, 1.6, FEATURES) + np.linspace(-0.8, 0.8, FEATURES)
    return values.astype(np.float32), labels


def csv(path, values, labels):
    head = ",".join(f"x{i}" for i in range(FEATURES)) + ",label"
    rows = (",".join(map(repr, map(float, row))) + f",k{label}" for row, label in zip(values, labels))
    path.write_text("\n".join([head, *rows]) + "\n")


def ours(program, folder, name, seed):
    method = METHODS[name]
    _, steps, replay = method or ("", "", "")
    settings = folder / "settings.toml"
    settings.write_text(SETTINGS.format(epochs=EPOCHS, steps=steps, replay=replay))
    run = folder / f"run-{name.replace(' ', '-')}-{seed}"
    command = [program, "adapt", "--source", folder / "source.csv", "--label", "label", "--stream", folder / "window.csv",
               "--truth", "label", "--settings", settings, "--seed", str(seed), "--out", run]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    line = json.loads((run / "windows.jsonl").read_text().splitlines()[0])
    return 100 * line["accuracy_before" if method is None else "accuracy_after"]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(FEATURES, 32), torch.nn.Linear(32, 32)
        self.dropout, self.norm = torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(32, eps=1e-3, momentum=0.01)
        self.last = torch.nn.Linear(32, CLASSES)
        for layer in (self.first, self.second, self.last):
            torch.nn.init.xavier_uniform_(layer.weight)
            torch.nn.init.zeros_(layer.bias)

    def features(self, x):
        return self.norm(self.dropout(torch.relu(self.second(torch.relu(self.first(x))))))

    def forward(self, x):
        return self.last(self.features(x))


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-3, eps=1e-7)


def batches(n, epochs):
    for _ in range(epochs):
        yield from torch.split(torch.randperm(n), 32)


def learn(net, x, y):
    optimizer = adam(net.parameters())
    net.train()
    for rows in batches(len(x), EPOCHS):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
        optimizer.step()


def statistics(net, window):
    """Momentum none: PyTorch's own cumulative average over batches."""
    net.train()
    net.norm.reset_running_stats()
    net.norm.momentum = None
    with torch.no_grad():
        for rows in batches(len(window), 1):
            net(window[rows])
    net.norm.momentum = 0.01


def entropy(net, window):
    statistics(net, window)
    optimizer = adam(net.norm.parameters())
    for rows in batches(len(window), EPOCHS):
        optimizer.zero_grad()
        log = torch.log_softmax(net(window[rows]), 1)
        (-(log.exp() * log).sum(1).mean()).backward()
        optimizer.step()


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(context, x, weight):
        context.weight = weight
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return -context.weight * gradient, None


def reversal(net, window, x, y, weight=0.3):
    head = torch.nn.Linear(32, 1)
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.zeros_(head.bias)
    optimizer = adam([*net.parameters(), *head.parameters()])
    both = torch.cat([window, x])
    share = len(both) / len(x)
    net.train()
    for rows in batches(len(both), EPOCHS):
        optimizer.zero_grad()
        features = net.features(both[rows])
        source = rows >= len(window)
        domain = head(Reversed.apply(features, weight)).squeeze(1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(domain, source.float())
        if source.any():
            scores, labels = net.last(features[source]), y[rows[source] - len(window)]
            loss = loss + share * torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / len(rows)
        loss.backward()
        optimizer.step()


def theirs(name, seed, source, window):
    torch.manual_seed(seed)
    x, y = torch.tensor(source[0]), torch.tensor(source[1])
    moved, answers = torch.tensor(window[0]), torch.tensor(window[1])
    net = Net()
    learn(net, x, y)
    kind = METHODS[name] and METHODS[name][0]
    if kind == "statistics":
        statistics(net, moved)
    elif kind == "entropy":
        entropy(net, moved)
    elif kind == "reversal":
        reversal(net, moved, x, y)
    net.eval()
    with torch.no_grad():
        return 100 * (net(moved).argmax(1) == answers).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/driftline")
    parser.add_argument("--seeds", type=int, default=8)
    options = parser.parse_args()
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    source, window = draw(2000, False, generator), draw(4000, True, generator)
    failed = False
    print("| method | driftline | PyTorch | difference |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        csv(folder / "source.csv", *source)
        csv(folder / "window.csv", *window)
        program = pathlib.Path(options.program).resolve()
        for name in METHODS:
            own = np.array([ours(program, folder, name, seed) for seed in range(options.seeds)])
            other = np.array([theirs(name, seed, source, window) for seed in range(options.seeds)])
            apart = own.mean() - other.mean()
            failed |= abs(apart) > 1
            spread = [f"{a.mean():.2f} ± {a.std(ddof=1) / len(a) ** 0.5:.2f}" for a in (own, other)]
            print(f"| {name} | {spread[0]} | {spread[1]} | {apart:+.2f} |", flush=True)
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
