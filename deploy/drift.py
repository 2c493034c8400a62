#!/usr/bin/env python3
"""A run that drifts, a server that follows it, and a Prometheus that scrapes the server: an alert fires, and every metric that the
dashboard and the alerts name is there.

    python3 deploy/drift.py target/debug/driftline        needs `prometheus` and `promtool` on the PATH
"""

import json
import math
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
WINDOW = 100
# How long anything may take on a busy machine, in seconds.
PATIENCE = 120


def rows(count, angle, seed):
    draw = random.Random(seed)
    for at in range(count):
        turned = angle + 2 * math.pi * (at % 3) / 3
        yield [round(math.cos(turned) + draw.gauss(0, 0.25), 4), round(math.sin(turned) + draw.gauss(0, 0.25), 4), "abc"[at % 3]]


def table(path, rows):
    path.write_text("x,y,label\n" + "".join(f"{x},{y},{label}\n" for x, y, label in rows))


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
        return answer.read().decode()


def until(what, happened):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            found = happened()
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.3)
    sys.exit(f"{what} did not come")


def predict(port, rows):
    body = json.dumps({"rows": [{"x": x, "y": y} for x, y, _ in rows]}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/predict", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert json.load(answer)["logged"] == len(rows)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def named():
    """Every metric that the dashboard and the alerts name."""
    text = (HERE / "dashboard.json").read_text() + (HERE / "alerts.yml").read_text()
    return {name.removesuffix("_bucket") for name in re.findall(r"driftline_[a-z_]+", text)}


def main():
    program = sys.argv[1]
    started = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        table(folder / "source.csv", rows(300, 0, 1))
        table(folder / "stream.csv", rows(2 * WINDOW, 0.05, 2))
        subprocess.run([program, "adapt", "--source", "source.csv", "--label", "label", "--stream", "stream.csv", "--model", "linear",
                        "--window", str(WINDOW), "--labels-per-window", "5", "--fail-on", "never", "--out", "run", "--quiet"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        try:
            server = subprocess.Popen([program, "serve", "run", "--follow", "--port", "0", "--quiet"], cwd=folder, stdout=subprocess.PIPE, text=True)
            started.append(server)
            port = int(server.stdout.readline().rsplit(":", 1)[1].strip("/\n"))
            scraper = free_port()
            (folder / "alerts.yml").write_text((HERE / "alerts.yml").read_text())
            (folder / "prometheus.yml").write_text(
                "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\n"
                f"scrape_configs: [{{job_name: driftline, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]\n")
            started.append(subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
                                             f"--web.listen-address=127.0.0.1:{scraper}"],
                                            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

            def firing():
                alerts = json.loads(get(scraper, "/api/v1/alerts"))["data"]["alerts"]
                return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}

            def scraped(query):
                found = json.loads(get(scraper, "/api/v1/query?query=" + query))["data"]["result"]
                return found and float(found[0]["value"][1])

            # The stream jumps: the classes have turned by a third of a circle, and nobody can tell which is which.
            predict(port, list(rows(WINDOW, 0.1, 3)))
            until("a window", lambda: (scraped("driftline_windows_total") or 0) >= 1)
            for seed in (4, 5):
                predict(port, list(rows(WINDOW, 1.2, seed)))
            until("the other windows", lambda: (scraped("driftline_windows_total") or 0) >= 3)
            fired = until("an alert", lambda: firing() & {"DriftlineDrift", "DriftlineWantsLabels"})
            print(f"after a jump Prometheus fires {', '.join(sorted(fired))}")
            exposed = set(re.findall(r"# TYPE (driftline_[a-z_]+)", get(port, "/metrics")))
            # Without labels nobody can say how accurate the served version was.
            lacking = named() - exposed - {"driftline_served_accuracy", "driftline_drift_limit"}
            if lacking:
                sys.exit(f"the server tells nothing of {', '.join(sorted(lacking))}")
            told = subprocess.run(["promtool", "check", "metrics"], input=get(port, "/metrics"), text=True, capture_output=True)
            if told.returncode:
                sys.exit(told.stdout + told.stderr)
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


if __name__ == "__main__":
    main()
