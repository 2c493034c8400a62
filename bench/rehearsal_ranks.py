"""What a rehearsal is worth (docs/record.md): Spearman's rank correlation of methods' accuracy in the rehearsals of the third look at
portraits with their mean accuracy on the target, from committed trials. Trains nothing, needs nothing but Python.

    python bench/rehearsal_ranks.py
"""

import json
import pathlib
import statistics

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "results"
SEARCH = RESULTS / "archive" / "record-third-search-portraits" / "trials.jsonl"
# What a method of the search is called where it was scored on the target.
ON_TARGET = {
    "Source": ("table1-portraits", "Source"),
    "Target ST": ("table1-portraits", "Target ST"),
    "Gradual ST": ("table1-portraits", "Gradual ST"),
    "no filter": ("table4-portraits", "Gradual ST"),
    "smaller windows": ("table5-portraits", "Gradual ST"),
    "Realign": ("baselines-portraits", "Realign"),
    "Cautious": ("baselines-portraits", "Cautious"),
    "Batch-norm adaptation": ("baselines-portraits", "Batch-norm adaptation"),
    "Entropy minimisation": ("baselines-portraits", "Entropy minimisation"),
    "Label shift, EM": ("baselines-portraits", "Label shift, EM"),
    "augmented, source replay, mixing 0.3": ("record-portraits", "augmented, source replay, mixing 0.3"),
    "sharpness-aware, source replay": ("beyond-portraits", "sharpness-aware, source replay"),
}


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


def main():
    if not SEARCH.exists():
        raise SystemExit(f"skipped: the search has not been run ({SEARCH.parent / 'experiment.toml'})")
    rehearsed, held_out, rehearsals = {}, {}, []
    for trial in trials(SEARCH):
        outcome, data, method = trial["outcome"], trial["dataset"], trial["method"]
        rehearsed.setdefault(method, {}).setdefault(data, []).append(100 * outcome["accuracy"])
        held_out.setdefault(method, []).append(100 * outcome["held_out_source"])
        if data not in rehearsals:
            rehearsals.append(data)
    score = {
        method: {data: statistics.mean(values) for data, values in each.items()}
        for method, each in rehearsed.items()
        if len(each) == len(rehearsals)
    }
    known = {method: mean_on_target(*ON_TARGET[method]) for method in score if method in ON_TARGET}
    print(f"| method | {' | '.join(rehearsals)} | mean | held-out source | on the target, seeds 0 on |")
    print("|---" * (len(rehearsals) + 4) + "|")
    for method, each in score.items():
        cells = [each[data] for data in rehearsals]
        cells += [statistics.mean(cells), statistics.mean(held_out[method])]
        target = f"{known[method]:.1f}" if method in known else "–"
        print(f"| {method} | {' | '.join(f'{cell:.1f}' for cell in cells)} | {target} |")
    print(f"\nSpearman's rank correlation with the target over {len(known)} methods:")
    target = list(known.values())
    for data in rehearsals:
        print(f"- {data}: {spearman([score[m][data] for m in known], target):+.2f}")
    means = [statistics.mean(score[m][data] for data in rehearsals) for m in known]
    print(f"- mean of {len(rehearsals)}: {spearman(means, target):+.2f}")


if __name__ == "__main__":
    main()
