#!/usr/bin/env python3
"""Prints a run as a small table: windows.py RUN. A line for each window: estimated and true accuracy as served, unadapted, decision."""
import json
import pathlib
import sys

percent = lambda share: "-" if share is None else f"{100 * share:.1f}"
print("window  estimated (90 %)      true  unadapted  decision")
for line in (pathlib.Path(sys.argv[1]) / "windows.jsonl").read_text().splitlines():
    window = json.loads(line)
    if not window["window"]:
        continue
    before = window.get("estimate_before") or {}
    value = percent(before.get("accuracy"))
    low, high = (percent(before.get(key)) for key in ("low", "high"))
    decision = f"{window['candidate']} deployed" if window.get("candidate") else window["decision"]
    true, unadapted = percent(window.get("accuracy_before")), percent(window.get("accuracy_unadapted"))
    print(f"{window['window']:6}  {value:>5} ({low:>5} to {high:>5})  {true:>5}  {unadapted:>9}  {decision}")
