"""What rehearsals are worth (docs/record-later.md): Spearman's rank correlation of methods' accuracy in the searches on portraits with their
mean accuracy on the target, from committed trials. Trains nothing, needs nothing but Python; a search that has not been run is skipped.

    python3 bench/rehearsal_ranks.py
"""

import json
import pathlib
import statistics

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
# What a method of a search is called where it was scored on the target.
ON_TARGET = {
    "Source": ("table1-portraits", "Source"),
    "Target ST": ("table1-portraits", "Target ST"),
    "Gradual ST": ("table1-portraits", "Gradual ST"),
    "no filter": ("table4-portraits", "Gradual ST"),
    "smaller windows": ("table5-portraits", "Gradual ST"),
    "windows of 1000": ("table5-portraits", "Gradual ST"),
    "Realign": ("baselines-portraits", "Realign"),
    "Cautious": ("baselines-portraits", "Cautious"),
    "Batch-norm adaptation": ("baselines-portraits", "Batch-norm adaptation"),
    "Entropy minimisation": ("baselines-portraits", "Entropy minimisation"),
    "Label shift, EM": ("baselines-portraits", "Label shift, EM"),
    "augmented, source replay, mixing 0.3": ("record-portraits", "augmented, source replay, mixing 0.3"),
    "the same four, source replay, mixing 0.3": ("record-portraits", "augmented, source replay, mixing 0.3"),
    "sharpness-aware, source replay": ("beyond-portraits", "sharpness-aware, source replay"),
}
# In the order in which they were run: there and back, then the three looks of docs/record.md and docs/record-later.md.
SEARCHES = ["beyond-search-portraits", "record-search-portraits", "record-second-search-portraits", "record-third-search-portraits"]


def trials(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def mean_on_target(experiment, method):
    found = trials(RESULTS / experiment / "trials.jsonl")
    return 100 * statistics.mean(t["outcome"]["accuracy"] for t in found if t["method"] == method)


def ranks(values):
    """From 1; equal values share the mean of their ranks."""
    below = [sum(other < value for other in values) for value in values]
    alike = [sum(other == value for other in values) for value in values]
    return [low + (same + 1) / 2 for low, same in zip(below, alike)]


def spearman(a, b):
    return statistics.correlation(ranks(a), ranks(b))


def search(name):
    path = RESULTS / "archive" / name / "trials.jsonl"
    if not path.exists():
        print(f"\n{name}: skipped, it has not been run\n")
        return
    rehearsed, rehearsals = {}, []
    for trial in trials(path):
        data, method = trial["dataset"], trial["method"]
        rehearsed.setdefault(method, {}).setdefault(data, []).append(100 * trial["outcome"]["accuracy"])
        if data not in rehearsals:
            rehearsals.append(data)
    known = {
        method: {data: statistics.mean(values) for data, values in each.items()}
        for method, each in rehearsed.items()
        if len(each) == len(rehearsals) and method in ON_TARGET
    }
    target = [mean_on_target(*ON_TARGET[method]) for method in known]
    print(f"\n{name}\n\n| method | {' | '.join(rehearsals)} | mean | target |")
    print("|---" * (len(rehearsals) + 3) + "|")
    for (method, each), on_target in zip(known.items(), target):
        cells = [each[data] for data in rehearsals]
        cells += [statistics.mean(cells), on_target]
        print(f"| {method} | {' | '.join(f'{cell:.1f}' for cell in cells)} |")
    print(f"\nRank correlation with the target over {len(known)} methods:")
    for data in rehearsals:
        print(f"- {data}: {spearman([each[data] for each in known.values()], target):+.2f}")
    means = [statistics.mean(each[data] for data in rehearsals) for each in known.values()]
    print(f"- mean of {len(rehearsals)}: {spearman(means, target):+.2f}")


if __name__ == "__main__":
    for name in SEARCHES:
        search(name)
