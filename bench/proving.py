#!/usr/bin/env python3
"""Sums up what the proving ground has written: python3 bench/proving.py FILE.jsonl[.gz] [...]

Three tables. The policy, for each budget of labels, all models and each: *lose* counts streams whose mean served accuracy (or balanced
accuracy) is more than so many points below the unadapted model's; *kept* is the gain on streams where the best single candidate gains 3
points or more, as a share of that candidate's; *covered* pools windows; *bad* is the share of windows with an interval narrower than 20
points and an estimate off by more than 15. The same of rules that always do one thing. And how far estimates of the unadapted model's
accuracy are off: means over streams, apart for those that fall by 5 points or more.
"""

import gzip
import json
import sys

FALL, BIG, POINT = 0.05, 0.03, 0.01
NARROW, FAR = 0.2, 0.15
USUAL = ["calibrated confidence", "ATC", "DoC", "importance-weighted", "PAPE", "SLD (BCTS)"]


def main():
    opened = lambda path: gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    trials = [json.loads(line) for path in sys.argv[1:] for line in opened(path)]
    budgets = sorted({trial["labels"] for trial in trials})
    models = ["all", *sorted({trial["model"] for trial in trials})]
    some = lambda labels, model: [trial for trial in trials if trial["labels"] == labels and model in ("all", trial["model"])]
    groups = [(labels, model, some(labels, model)) for labels in budgets for model in models if some(labels, model)]
    table(["labels", "model", "streams", "lose > 1", "> 5", "balanced > 1", "> 5", "gain", "kept (streams)", "covered", "streams ≥ 75 %",
           "mean width", "median", "bad", "served covered"], [[str(labels), model, *policy(own)] for labels, model, own in groups])
    once = [own for own in groups if own[0] == budgets[0]]
    table(["model", "rule", "streams", "lose > 1", "> 5", "gain", "kept (streams)"], [[model, *rule] for _, model, own in once for rule in rules(own)])
    heads = [f"{name}, {which}" for which in ("fallen", "others") for name in ["streams", "scenarios", *USUAL]]
    table(["labels", "model", *heads], [[str(labels), model, *errors(own)] for labels, model, own in groups])


def table(head, rows):
    print("\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n")


def share(values, below):
    return f"{100 * mean([value < -below for value in values]):.1f} %"


def kept(trials, gains):
    best = [max(accuracy for _, accuracy in trial["candidates"]) - trial["unadapted"] for trial in trials]
    big = [(gain, most) for gain, most in zip(gains, best) if most >= BIG]
    return f"{100 * sum(gain for gain, _ in big) / sum(most for _, most in big):.0f} % ({len(big)})" if big else "–"


def policy(trials):
    gains = [trial["served"] - trial["unadapted"] for trial in trials]
    balanced = [trial["balanced_served"] - trial["balanced_unadapted"] for trial in trials]
    windows = [[one[0] for one in trial["estimates"]] for trial in trials]
    served = [one[1] for trial in trials for one in trial["estimates"]]
    pooled = [one for some in windows for one in some]
    widths = sorted(one["high"] - one["low"] for one in pooled)
    bad = [one["high"] - one["low"] < NARROW and error(one) > FAR for one in pooled]
    per_stream = [mean([covers(one) for one in some]) for some in windows]
    return [str(len(trials)), share(gains, POINT), share(gains, 5 * POINT), share(balanced, POINT), share(balanced, 5 * POINT),
            f"{100 * mean(gains):+.2f}", kept(trials, gains), f"{100 * mean([covers(one) for one in pooled]):.1f} %",
            f"{100 * mean([own >= 0.75 for own in per_stream]):.1f} %", f"{100 * mean(widths):.1f}", f"{100 * widths[len(widths) // 2]:.1f}",
            f"{100 * mean(bad):.2f} %", f"{100 * mean([covers(one) for one in served]):.1f} %"]


def rules(trials):
    """What would have come of always holding, and of always deploying one candidate, where every stream has it."""
    names = [name for name, _ in trials[0]["candidates"] if all(name in dict(trial["candidates"]) for trial in trials)]
    for name in ["hold", *names]:
        gains = [dict(trial["candidates"]).get(name, trial["unadapted"]) - trial["unadapted"] for trial in trials]
        yield [f"always {name}", str(len(trials)), share(gains, POINT), share(gains, 5 * POINT), f"{100 * mean(gains):+.2f}", kept(trials, gains)]


def errors(trials):
    fallen = [trial["held_out"] - trial["unadapted"] >= FALL for trial in trials]
    for which in (True, False):
        some = [trial for trial, own in zip(trials, fallen) if own is which]
        own = [mean([error(one[0]) for one in trial["estimates"]]) for trial in some]
        usual = [[apart(trial, at) for trial in some] for at in range(len(USUAL))]
        yield from [str(len(some)), *(points(values) for values in [own, *usual])]


def apart(trial, at):
    """How far a usual estimate is off; none where it was not made, as in files of before it was."""
    pairs = zip(trial["usual"], trial["estimates"])
    pairs = [(values[at], one[0]["truth"]) for values, one in pairs if len(values) > at and values[at] is not None]
    return mean([abs(value - truth) for value, truth in pairs]) if pairs else None


def points(values):
    known = [value for value in values if value is not None]
    return f"{100 * mean(known):.1f}" if known else "–"


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def covers(one):
    return one["low"] <= one["truth"] <= one["high"]


def error(one):
    return abs(one["estimate"] - one["truth"])


if __name__ == "__main__":
    main()
