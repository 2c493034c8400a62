#!/usr/bin/env python3
"""Writes dashboard.json, which Grafana imports: one panel for each question that somebody on call has.

    python3 deploy/make_dashboard.py            writes deploy/dashboard.json
    python3 deploy/make_dashboard.py --check    fails if it is not what is there
"""

import json
import sys
from pathlib import Path

PLACE = Path(__file__).with_name("dashboard.json")
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
SELECTED = '{instance=~"$instance"}'

# Title, unit, kind, and the queries with their legends.
PANELS = [
    ("What is to be done", "short", "stat", [(f"driftline_action{SELECTED} > 0", "{{action}}")]),
    ("Version in use", "none", "stat", [(f"driftline_version{SELECTED}", "version")]),
    ("Logging, adapting", "bool_on_off", "stat", [(f"driftline_logging{SELECTED}", "logging"), (f"driftline_adapting{SELECTED}", "adapting")]),
    ("Rows that wait for a label", "short", "stat", [(f"driftline_labels_wanted{SELECTED}", "rows")]),
    ("Accuracy of the newest window", "percentunit", "timeseries", [
        (f"driftline_estimated_accuracy{SELECTED}", "estimated"),
        (f"driftline_estimated_accuracy_low{SELECTED}", "estimated, low"),
        (f"driftline_estimated_accuracy_high{SELECTED}", "estimated, high"),
        (f"driftline_served_accuracy{SELECTED}", "served, by labels")]),
    ("Drift, and how much can be followed", "short", "timeseries", [
        (f"driftline_drift_size{SELECTED}", "from the window before"), (f"driftline_drift_limit{SELECTED}", "limit")]),
    ("Windows and swaps", "short", "timeseries", [
        (f"increase(driftline_windows_total{SELECTED}[1h])", "windows an hour"),
        (f"increase(driftline_windows_held_total{SELECTED}[1h])", "held"),
        (f"increase(driftline_swaps_total{SELECTED}[1h])", "swaps")]),
    ("Rows in the log", "short", "timeseries", [
        (f"rate(driftline_rows_logged_total{SELECTED}[5m])", "logged a second"),
        (f"rate(driftline_rows_duplicate_total{SELECTED}[5m])", "duplicates"),
        (f"rate(driftline_rows_not_logged_total{SELECTED}[5m])", "not logged")]),
    ("Lag", "short", "timeseries", [(f"driftline_lag_rows{SELECTED}", "rows that no version has seen")]),
    ("Size of the log", "bytes", "timeseries", [(f"driftline_log_bytes{SELECTED}", "log")]),
    ("Requests", "reqps", "timeseries", [(f"rate(driftline_requests_total{SELECTED}[5m])", "{{status}}")]),
    ("Time of an answer", "s", "timeseries", [
        (f"histogram_quantile(0.5, rate(driftline_request_seconds_bucket{SELECTED}[5m]))", "median"),
        (f"histogram_quantile(0.99, rate(driftline_request_seconds_bucket{SELECTED}[5m]))", "99 %")]),
]


def dashboard():
    panels, at, y = [], 0, 0
    for number, (title, unit, kind, queries) in enumerate(PANELS, 1):
        width, height = (6, 4) if kind == "stat" else (12, 8)
        if at + width > 24:
            at, y = 0, y + panels[-1]["gridPos"]["h"]
        targets = [{"datasource": SOURCE, "expr": query, "legendFormat": legend, "refId": chr(ord("A") + place)}
                   for place, (query, legend) in enumerate(queries)]
        panels.append({"id": number, "title": title, "type": kind, "datasource": SOURCE, "targets": targets,
                       "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
                       "gridPos": {"x": at, "y": y, "w": width, "h": height}})
        at += width
    choices = [
        {"name": "datasource", "type": "datasource", "query": "prometheus"},
        {"name": "instance", "type": "query", "datasource": SOURCE, "query": "label_values(driftline_streams, instance)",
         "refresh": 2, "multi": True, "includeAll": True, "allValue": ".*"}]
    return {"title": "driftline", "uid": "driftline", "schemaVersion": 39, "editable": True, "refresh": "30s", "tags": ["driftline"],
            "time": {"from": "now-24h", "to": "now"}, "timezone": "browser", "templating": {"list": choices}, "panels": panels}


def main():
    text = json.dumps(dashboard(), indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PLACE.read_text() == text else f"{PLACE} is not what {Path(__file__).name} makes")
    PLACE.write_text(text)


if __name__ == "__main__":
    main()
