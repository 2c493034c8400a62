#!/usr/bin/env python3
"""Loads `driftline serve` and the same model behind FastAPI and onnxruntime, in one sitting: requests per second and p99.

    python3 bench/serve.py                       makes a virtual environment under target/ and needs wrk, oha or autocannon
    python3 bench/serve.py --seconds 20 --requests 1000000 --client wrk

A linear model of 20 columns, 32 rows a request, JSON in and out, 16 connections. Both servers have two workers on two cores, which
they share with the client. With --requests, driftline alone is then asked so often, and its memory is printed along the way.
Then 1,000 requests each that are malformed, too large and too slow, while good ones are timed. Run it on a machine that does
nothing else.
"""

import argparse
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, BATCH, CONNECTIONS = 20, 32, 16
NAMES = [f"c{at}" for at in range(COLUMNS)]

APPLICATION = '''
import numpy, onnxruntime
from fastapi import FastAPI
from pydantic import BaseModel
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession("model.onnx", options)
names = [one.name for one in session.get_inputs()]
app = FastAPI()
class Rows(BaseModel):
    columns: dict[str, list[float]]
@app.post("/predict")
async def predict(rows: Rows):
    columns = [numpy.asarray(values, dtype=numpy.float32) for values in rows.columns.values()]
    out = session.run(None, {names[0]: numpy.stack(columns, axis=1)})
    return {"outputs": [one.tolist() for one in out]}
'''


def main():
    arguments = parse()
    python = environment(arguments.venv)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run = make_run(arguments.program, folder)
        subprocess.run([arguments.program, "export", run, "--onnx", folder / "model.onnx", "--quiet"], check=True)
        (folder / "app.py").write_text(APPLICATION)
        (folder / "body.json").write_text(body())
        rates = {}
        for name, command, port in servers(arguments.program, python, run):
            server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait(port, folder)
                load(arguments, folder, port, 3)
                rate, p99 = load(arguments, folder, port, arguments.seconds)
                rates[name] = rate
                print(f"{name}: {rate:.0f} requests of {BATCH} rows per second, p99 {p99:.2f} ms", flush=True)
                if name == "driftline":
                    abuse(port, folder)
                    if arguments.requests:
                        soak(arguments, folder, port, server.pid)
            finally:
                server.terminate()
                server.wait()
        print(f"driftline answers {rates['driftline'] / rates['FastAPI']:.1f} times as many")


def make_run(program, folder):
    draw = random.Random(0)

    def row(side, moved):
        return ",".join(f"{side * 0.5 + moved + draw.gauss(0, 1):.4f}" for _ in NAMES)

    with (folder / "source.csv").open("w") as file:
        file.write(",".join(NAMES) + ",label\n")
        file.writelines(f"{row(1 if at % 2 else -1, 0)},{'b' if at % 2 else 'a'}\n" for at in range(2000))
    with (folder / "stream.csv").open("w") as file:
        file.write(",".join(NAMES) + "\n")
        file.writelines(row(1 if at % 2 else -1, at / 4000) + "\n" for at in range(2000))
    run = folder / "run"
    subprocess.run([program, "adapt", "--source", folder / "source.csv", "--label", "label", "--model", "linear", "--no-scaling",
                    "--stream", folder / "stream.csv", "--window", "200", "--fail-on", "never", "--out", run, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    return run


def servers(program, python, run):
    yield "driftline", [program, "serve", run, "--port", "8791", "--threads", "2"], 8791
    yield "FastAPI", [python, "-m", "uvicorn", "app:app", "--port", "8792", "--workers", "2", "--log-level", "critical"], 8792


def body():
    draw = random.Random(1)
    return json.dumps({"columns": {name: [round(draw.gauss(0, 1), 4) for _ in range(BATCH)] for name in NAMES}})


def ask(port, data, timeout=20):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/predict", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.status


def wait(port, folder):
    data = (folder / "body.json").read_bytes()
    for _ in range(200):
        try:
            if ask(port, data) == 200:
                return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nobody answers on port {port}")


def load(arguments, folder, port, seconds, requests=None):
    """Requests per second and p99 in milliseconds, as the client tells them."""
    address = f"http://127.0.0.1:{port}/predict"
    client = arguments.client
    if Path(client).name == "wrk":
        return by_wrk(client, folder, address, seconds, requests)
    if Path(client).name.startswith("autocannon"):
        amount = ["-a", str(requests)] if requests else ["-d", str(seconds)]
        command = [client, "-j", "-c", str(CONNECTIONS), *amount, "-m", "POST", "-H", "content-type=application/json",
                   "-i", folder / "body.json", address]
        told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        if told["non2xx"] or told["errors"]:
            sys.exit(f"{told['non2xx']} answers were no good, {told['errors']} did not come")
        return told["requests"]["total"] / told["duration"], told["latency"]["p99"]
    amount = ["-n", str(requests)] if requests else ["-z", f"{seconds}s"]
    command = [client, "--no-tui", "--output-format", "json", "-c", str(CONNECTIONS), *amount, "-m", "POST",
               "-T", "application/json", "-D", folder / "body.json", address]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return told["summary"]["requestsPerSec"], 1000 * told["latencyPercentiles"]["p99"]


def by_wrk(client, folder, address, seconds, requests):
    """wrk knows no number of requests: it goes on in turns of ten seconds until there were enough."""
    script = folder / "post.lua"
    script.write_text('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
                      f'wrk.body = io.open("{folder / "body.json"}"):read("*a")\n')
    asked, rate, p99 = 0, 0.0, 0.0
    while asked < (requests or 1):
        command = [client, "-t", "1", "-c", str(CONNECTIONS), "-d", f"{10 if requests else seconds}s", "--latency", "-s", script, address]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        if "Non-2xx" in told or "Socket errors" in told:
            sys.exit(told)
        asked += int(re.search(r"(\d+) requests in", told)[1])
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1])
        amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", told).groups()
        p99 = float(amount) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
    return rate, p99


def memory(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def soak(arguments, folder, port, process):
    before = memory(process)
    for part in range(4):
        load(arguments, folder, port, 0, arguments.requests // 4)
        print(f"after {(part + 1) * (arguments.requests // 4)} requests: {memory(process):.1f} MB (before: {before:.1f} MB)", flush=True)


def abuse(port, folder):
    """1,000 requests of each kind; good ones go on meanwhile."""
    good, slowest, stop = (folder / "body.json").read_bytes(), [0.0], threading.Event()

    def timed():
        while not stop.is_set():
            begun = time.perf_counter()
            assert ask(port, good) == 200
            slowest[0] = max(slowest[0], time.perf_counter() - begun)

    watcher = threading.Thread(target=timed)
    watcher.start()
    refused = {"malformed": 0, "oversized": 0, "slow": 0}
    for at in range(1000):
        try:
            ask(port, b'{"columns": {"c0": [' + bytes([at % 256]) * (at % 50))
        except urllib.error.HTTPError as error:
            refused["malformed"] += error.code == 400
    large = socket_head(port, (17 << 20))
    for _ in range(1000):
        with socket.create_connection(("127.0.0.1", port)) as one:
            one.sendall(large)
            refused["oversized"] += one.recv(64).startswith(b"HTTP/1.1 413")
    slow = []
    for _ in range(1000):
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Le")
        slow.append(one)
        if len(slow) == 500:
            for one in slow:
                one.close()
                refused["slow"] += 1
            slow = []
    stop.set()
    watcher.join()
    print(f"{refused} requests that are no good; the slowest good one beside them took {1000 * slowest[0]:.1f} ms", flush=True)


def socket_head(port, length):
    return f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n".encode()


def environment(folder):
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "onnxruntime", "fastapi", "uvicorn[standard]"], check=True)
    return python


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target" / "release" / "driftline")
    parser.add_argument("--venv", type=Path, default=ROOT / "target" / "bench-serve-venv")
    parser.add_argument("--client", default=next(filter(None, map(shutil.which, ("wrk", "oha", "autocannon"))), "wrk"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
