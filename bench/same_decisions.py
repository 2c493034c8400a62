#!/usr/bin/env python3
"""Do two builds of the program decide alike? Guarded runs along four streams, window by window.

    python3 bench/same_decisions.py OLD NEW                      two programs; exit code 1 where anything differs
    python3 bench/same_decisions.py OLD NEW --data FOLDER --only emg

Compares every field of `windows.jsonl` that both have, decisions and accuracies among them, and names the fields that only one has.
Checksums and notes are left out. `--data` holds keystroke/keystroke.csv, streams/{emg,outdoor}.csv.gz and archive/2CDT.csv.gz.
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# name: (file, label, column and value that make a row one of the source, rows in a window)
STREAMS = {
    "keystroke": ("keystroke/keystroke.csv", "user", ("session", "1"), 200),
    "emg": ("streams/emg.csv.gz", "label", ("part", "source"), 500),
    "outdoor": ("streams/outdoor.csv.gz", "label", ("part", "source"), 200),
    "2CDT": ("archive/2CDT.csv.gz", "label", 800, 150),
}
LEFT_OUT = {"files", "inputs", "notes", "first", "last"}


def main():
    arguments = parse()
    differ = False
    for name in arguments.only or STREAMS:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            label, window = write(arguments.data, name, folder)
            old, new = (run(program.resolve(), folder, label, window, out) for out, program in (("old", arguments.old), ("new", arguments.new)))
            differ |= not compare(name, old, new)
    sys.exit(1 if differ else 0)


def write(data, name, folder):
    """Cuts the file into source.csv and stream.csv, without the column that says which."""
    file, label, source, window = STREAMS[name]
    opened = gzip.open if file.endswith(".gz") else open
    with opened(data / file, "rt", newline="") as lines:
        head, *rows = csv.reader(lines)
    if isinstance(source, int):
        parts = rows[:source], rows[source:]
        kept = range(len(head))
    else:
        at = head.index(source[0])
        kept = [column for column in range(len(head)) if column != at]
        parts = [row for row in rows if row[at] == source[1]], [row for row in rows if row[at] != source[1]]
    for file, rows in zip(("source.csv", "stream.csv"), parts):
        with open(folder / file, "w", newline="") as out:
            csv.writer(out).writerows([row[column] for column in kept] for row in [head, *rows])
    return label, window


def run(program, folder, label, window, out):
    # `--answers` is understood by all versions.
    words = f"adapt --source source.csv --label {label} --stream stream.csv --answers {label} --window {window} --policy guarded --fail-on never --quiet"
    subprocess.run([program, *words.split(), "--out", out], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return [json.loads(line) for line in (folder / out / "windows.jsonl").read_text().splitlines()]


def compare(name, old, new):
    fields = [set().union(*rows) - LEFT_OUT for rows in (old, new)]
    both = sorted(fields[0] & fields[1])
    unlike = {field: sum(a.get(field) != b.get(field) for a, b in zip(old, new)) for field in both}
    unlike = {field: windows for field, windows in unlike.items() if windows}
    same = not unlike and len(old) == len(new)
    decided = {kind: sum(row["decision"] == kind for row in new) for kind in ("deploy", "hold", "roll-back")}
    accuracy = sum(row["accuracy_after"] for row in new) / len(new)
    print(f"{name}: {len(old)} and {len(new)} windows, {decided}, mean accuracy {100 * accuracy:.2f} %: " + (f"{len(both)} fields the same" if same else f"DIFFER {unlike}"))
    for which, only in (("old", fields[0] - fields[1]), ("new", fields[1] - fields[0])):
        if only:
            print(f"  only in the {which}: {', '.join(sorted(only))}")
    return same


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", choices=STREAMS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
