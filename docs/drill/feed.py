"""`feed.py TABLE FIRST LAST`: sends these rows of a table to the server, 50 at a time, and says what came of each window of 500."""

import csv
import json
import re
import sys
import time
from urllib.request import Request, urlopen

TEXTS = ("time", "machine")


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"http://127.0.0.1:8766{path}", data, {"Content-Type": "application/json"})) as answer:
        return answer.read().decode()


def metric(name):
    return float(re.search(rf"^driftline_{name} (\S+)", ask("/metrics"), re.MULTILINE)[1])


with open(sys.argv[1]) as file:
    rows = [{name: text if name in TEXTS else float(text) for name, text in row.items()} for row in csv.DictReader(file)]
rows = rows[int(sys.argv[2]) - 1 : int(sys.argv[3])]
window = metric("window")
for start in range(0, len(rows), 500):
    answers = [json.loads(ask("/predict", {"rows": rows[at : at + 50]})) for at in range(start, start + 500, 50)]
    window += 1
    # A new version is taken up within a second.
    while metric("window") < window:
        time.sleep(0.1)
    action = re.search(r'driftline_action\{action="([^"]+)"\} 1', ask("/metrics"))[1]
    accuracy = 100 * metric("estimated_accuracy")
    print(f"window {window:.0f}: answered by version {answers[0]['version']}, {accuracy:.0f} % right by estimate afterwards, action {action}")
