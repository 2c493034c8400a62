#!/usr/bin/env python3
"""Sums up what the proving ground has written: python3 bench/proving.py FILE.jsonl[.gz] [...]

One row for each budget of labels, for all models and for each. *Lose* counts streams whose mean served accuracy (or balanced accuracy)
is more than so many points below the unadapted model's. *Kept* is the gain on streams where the best single candidate gains 3 points or
more, as a share of that candidate's. *Covered* pools windows; *bad* is the share of windows with an interval narrower than 20
points and an estimate off by more than 15. Errors are means over streams, apart for those that fall by 5 points or more.
"""

import gzip
import json
import sys

FALL, BIG, POINT = 0.05, 0.03, 0.01
NARROW, FAR = 0.2, 0.15


def main():
    opened = lambda path: gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    trials = [json.loads(line) for path in sys.argv[1:] for line in opened(path)]
    head = ["labels", "model", "streams", "lose > 1", "> 5", "balanced > 1", "> 5", "gain", "kept (streams)", "covered", "streams ≥ 75 %",
            "mean width", "median", "bad", "served covered", "error, fallen (streams)", "calibrated", "ATC", "error, others", "calibrated", "ATC"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for labels in sorted({trial["labels"] for trial in trials}):
        for model in ["all", *sorted({trial["model"] for trial in trials})]:
            some = [trial for trial in trials if trial["labels"] == labels and model in ("all", trial["model"])]
            if some:
                print("| " + " | ".join([str(labels), model, *figures(some)]) + " |")


def figures(trials):
    share = lambda values, below: f"{100 * mean([value < -below for value in values]):.1f} %"
    gains = [trial["served"] - trial["unadapted"] for trial in trials]
    balanced = [trial["balanced_served"] - trial["balanced_unadapted"] for trial in trials]
    best = [max(accuracy for _, accuracy in trial["candidates"]) - trial["unadapted"] for trial in trials]
    big = [(gain, most) for gain, most in zip(gains, best) if most >= BIG]
    kept = f"{100 * sum(gain for gain, _ in big) / sum(most for _, most in big):.0f} %" if big else "–"
    windows = [[one[0] for one in trial["estimates"]] for trial in trials]
    served = [one[1] for trial in trials for one in trial["estimates"]]
    pooled = [one for some in windows for one in some]
    widths = sorted(one["high"] - one["low"] for one in pooled)
    bad = [one["high"] - one["low"] < NARROW and error(one) > FAR for one in pooled]
    per_stream = [mean([covers(one) for one in some]) for some in windows]
    fallen = [trial["held_out"] - trial["unadapted"] >= FALL for trial in trials]
    cells = [str(len(trials)), share(gains, POINT), share(gains, 5 * POINT), share(balanced, POINT), share(balanced, 5 * POINT),
             f"{100 * mean(gains):+.2f}", f"{kept} ({len(big)})", f"{100 * mean([covers(one) for one in pooled]):.1f} %",
             f"{100 * mean([own >= 0.75 for own in per_stream]):.1f} %", f"{100 * mean(widths):.1f}", f"{100 * widths[len(widths) // 2]:.1f}",
             f"{100 * mean(bad):.2f} %", f"{100 * mean([covers(one) for one in served]):.1f} %"]
    for which in (True, False):
        some = [trial for trial, own in zip(trials, fallen) if own is which]
        own = [mean([error(one[0]) for one in trial["estimates"]]) for trial in some]
        usual = [[mean([abs(values[at] - one[0]["truth"]) for values, one in zip(trial["usual"], trial["estimates"])]) for trial in some] for at in (0, 1)]
        count = f" ({len(some)})" if which else ""
        cells += [f"{100 * mean(own):.1f}{count}", *(f"{100 * mean(values):.1f}" for values in usual)] if some else ["–"] * 3
    return cells


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def covers(one):
    return one["low"] <= one["truth"] <= one["high"]


def error(one):
    return abs(one["estimate"] - one["truth"])


if __name__ == "__main__":
    main()
