"""Sends the true classes of the rows of window 9 that the run asks about; the window is the last 500 rows of the stream."""

import csv
import json
from urllib.request import Request, urlopen

SERVER = "http://127.0.0.1:8766/labels"

with open("plant/stream.csv") as file:
    truth = [row["status"] for row in csv.DictReader(file)][3500:]
with urlopen(SERVER) as answer:
    asked = [row for row in json.load(answer)["open"] if row["window"] == 9]
labels = [{"window": 9, "window_row": row["window_row"], "label": truth[row["window_row"] - 1]} for row in asked]
body = json.dumps({"labels": labels}).encode()
with urlopen(Request(SERVER, body, {"Content-Type": "application/json"})) as answer:
    taken = json.load(answer)["labels"]
print(f"{len(labels)} labels sent, {taken} taken")
