#!/usr/bin/env python3
"""Drills of `driftline serve --follow`: killed under load, with a full disk and with a torn log; its load beside that without; hostile
clients.

    python3 bench/follow.py kills --kills 200          kill -9 under load
    python3 bench/follow.py full --kills 50            the same on a small tmpfs that is filled over and over; needs root
    python3 bench/follow.py torn --kills 50            the same with half a record behind the log
    python3 bench/follow.py load --rounds 5            requests a second and p99, interleaved; needs wrk
    python3 bench/follow.py soak --requests 1000000    memory along the way; needs wrk
    python3 bench/follow.py hostile                    10,000 requests that are no good

After the kills every row that was acknowledged must be in the log once, and windows, versions and chains must have the bytes that
`driftline follow` makes of the same rows in one go. Exit code 1 if anything is otherwise.
"""

import argparse
import http.client
import json
import math
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import serve as plain  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
WINDOW, BATCH, CLIENTS = 500, 8, 4
# Seconds between two requests of a client: a row a millisecond in all, so that the windows of hundreds of kills are adapted to in minutes.
PAUSE = 0.03
# A tmpfs with room for the run and little more.
DISK = 64 << 20


# --- a run, and rows of three classes that turn

def row(draw, at):
    angle = 2 * math.pi * (at % 3) / 3 + at / 20_000
    return {"id": f"r{at}", "x": round(math.cos(angle) + draw.gauss(0, 0.3), 4), "y": round(math.sin(angle) + draw.gauss(0, 0.3), 4)}


def make_run(program, folder):
    draw = random.Random(0)
    for name, rows, begin in (("source.csv", 400, 0), ("stream.csv", 2 * WINDOW, 0)):
        lines = [row(draw, at + begin) for at in range(rows)]
        text = "".join(f"{one['id']},{one['x']},{one['y']},{'abc'[at % 3]}\n" for at, one in enumerate(lines))
        (folder / name).write_text("id,x,y,label\n" + text)
    subprocess.run([program, "adapt", "--source", "source.csv", "--label", "label", "--id", "id", "--stream", "stream.csv", "--window",
                    str(WINDOW), "--model", "linear", "--labels-per-window", "4", "--fail-on", "never", "--out", "run", "--quiet"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)


class Server:
    """The program, following `run` in `folder`."""

    def __init__(self, program, folder, *more):
        self.process = subprocess.Popen([program, "serve", "run", "--follow", "--port", "0", "--quiet", *more], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the server did not start: " + self.process.stderr.read())
        self.port = int(line.strip().rstrip("/").rsplit(":", 1)[1])

    def follow(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/health")
        return json.load(connection.getresponse())["follow"]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        self.process.wait()


class Clients:
    """Each asks about the next rows, over and over; what nobody has answered for is asked again, by whoever is next."""

    def __init__(self):
        self.draw, self.lock = random.Random(1), threading.Lock()
        self.rows, self.again, self.acknowledged, self.answers, self.unlogged = [], [], set(), 0, 0

    def next(self):
        with self.lock:
            if self.again:
                return self.again.pop()
            first = len(self.rows)
            self.rows += [row(self.draw, first + at) for at in range(BATCH)]
            return self.rows[first:]

    def run(self, port, stop):
        connection = None
        while not stop.is_set():
            rows = self.next()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request("POST", "/predict", json.dumps({"rows": rows}), {"Content-Type": "application/json"})
                answer = json.load(connection.getresponse())
            except (OSError, http.client.HTTPException, ValueError):
                connection = None
                with self.lock:
                    self.again.append(rows)
                time.sleep(0.01)
                continue
            with self.lock:
                self.answers += 1
                if answer["logged"] + answer.get("duplicates", 0) == len(rows):
                    self.acknowledged.update(one["id"] for one in rows)
                else:
                    # Answered, and said not to be logged.
                    assert answer["not_logged"], answer
                    self.unlogged += 1
                    self.again.append(rows)
            time.sleep(PAUSE)


def under_load(server, clients, seconds, meanwhile=None):
    stop = threading.Event()
    threads = [threading.Thread(target=clients.run, args=(server.port, stop)) for _ in range(CLIENTS)]
    for one in threads:
        one.start()
    if meanwhile:
        meanwhile(seconds)
    else:
        time.sleep(seconds)
    server.kill()
    stop.set()
    for one in threads:
        one.join()


# --- what must hold in the end

def logged(run):
    """The ids in the tables of windows and in the log behind them, in their order."""
    tables = sorted((int(path.stem.split("-")[0]), path) for path in (run / "rows").glob("*.csv"))
    done, ids = 0, []
    for first, path in tables:
        assert first == done + 1, f"a table is missing before {path}"
        lines = path.read_text().splitlines()
        at = lines[0].split(",").index("id")
        ids += [line.split(",")[at] for line in lines[1:]]
        done += len(lines) - 1
    for path in sorted((run / "log").glob("*.log")):
        bytes_, at = path.read_bytes(), None
        at = bytes_.index(b"\n") + 1
        while at < len(bytes_):
            length = int(bytes_[at:at + 8], 16)
            body = bytes_[at + 26:at + 26 + length]
            at += 26 + length
            head = json.loads(body[:body.index(b"\n")])
            for place, id_ in enumerate(head.get("rows", {}).get("ids", [])):
                if head["rows"]["first"] + place > done:
                    done += 1
                    ids.append(id_)
    return ids


def contents(run):
    found = {}
    for name in ("checkpoints", "chains"):
        found |= {f"{name}/{path.name}": path.read_bytes() for path in (run / name).glob("*")}
    for line in (run / "windows.jsonl").read_text().splitlines():
        window = json.loads(line)
        found[f"window {window['window']}"] = line
    return found


def judge(program, folder, clients):
    """Ends the run, makes it again offline, and compares."""
    subprocess.run([program, "follow", "run"], cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    run = folder / "run"
    ids = logged(run)
    lost, doubled = clients.acknowledged - set(ids), len(ids) - len(set(ids))
    live = contents(run)
    # The same place, so that the names in the records are the same.
    shutil.move(run, folder / "live")
    shutil.copytree(folder / "before", run)
    rows = {one["id"]: one for one in clients.rows}
    text = "".join(json.dumps(rows[id_]) + "\n" for id_ in ids)
    subprocess.run([program, "follow", "run"], cwd=folder, check=True, input=text, text=True, stdout=subprocess.DEVNULL)
    offline = contents(run)
    differ = sorted(name for name in live.keys() | offline.keys() if live.get(name) != offline.get(name))
    windows = sum(name.startswith("window") for name in live)
    print(f"{len(ids)} rows logged, {len(clients.acknowledged)} acknowledged, {clients.answers} answers, {clients.unlogged} of them not logged; "
          f"lost {len(lost)}, doubled {doubled}; {windows} windows and their versions, {len(differ)} files or lines differ", flush=True)
    if differ:
        print("differ:", differ[:10])
    return not lost and not doubled and not differ


def kills(program, arguments, torn=False):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_run(program, folder)
        shutil.copytree(folder / "run", folder / "before")
        clients, draw, cut = Clients(), random.Random(arguments.seed), 0
        for kill in range(arguments.kills):
            server = Server(program, folder)
            under_load(server, clients, draw.uniform(0.02, 0.6))
            if torn:
                cut += tear(folder / "run", draw)
            if kill % 20 == 19:
                print(f"{kill + 1} kills", flush=True)
        if torn:
            print(f"{cut} times half a record stood behind the log")
        return judge(program, folder, clients)


def tear(run, draw):
    """Half a record behind the newest segment, as a writer leaves it that dies in the middle."""
    segments = sorted((run / "log").glob("*.log"))
    if not segments:
        return 0
    bytes_ = segments[-1].read_bytes()
    begin = bytes_.index(b"\n") + 1
    record = bytes_[begin:]
    if len(record) < 40:
        record = b"00000100 0123456789abcdef\n" + b"x" * 256
    length = 26 + int(record[:8], 16)
    with segments[-1].open("ab") as file:
        file.write(record[:draw.randrange(1, length)])
    return 1


def full(program, arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        disk = folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
            print("skipped: a tmpfs cannot be mounted here (needs root)")
            return True
        try:
            make_run(program, disk)
            shutil.copytree(disk / "run", folder / "before")
            clients, draw = Clients(), random.Random(arguments.seed)
            states = {"stopped": 0, "on": 0}
            for kill in range(arguments.kills):
                # Old tables may go: the limit is far below the disk.
                server = Server(program, disk, "--keep", "100M", "--fsync", ("never", "window", "always")[kill % 3])

                def fill(seconds, server=server):
                    time.sleep(seconds / 3)
                    ballast = disk / "ballast"
                    with ballast.open("wb", buffering=0) as file:
                        try:
                            while file.write(b"\0" * 4096):
                                pass
                        except OSError:
                            pass
                    time.sleep(seconds / 3 + 0.3)
                    states["stopped"] += server.follow()["logging"] != "on"
                    if draw.random() < 0.7:
                        ballast.unlink()
                        end = time.monotonic() + 20
                        while server.follow()["logging"] != "on" and time.monotonic() < end:
                            time.sleep(0.1)
                        states["on"] += server.follow()["logging"] == "on"
                    time.sleep(seconds / 3)

                under_load(server, clients, draw.uniform(0.1, 0.6), fill)
                (disk / "ballast").unlink(missing_ok=True)
                if kill % 10 == 9:
                    print(f"{kill + 1} kills; {states}", flush=True)
                # Windows that the run has are copied away, so that the disk holds out.
                if shutil.disk_usage(disk).free < DISK / 3:
                    break
            print(f"{kill + 1} kills with a full disk: logging had stopped {states['stopped']} times, and was seen to go on {states['on']} times")
            shutil.copytree(disk / "run", folder / "run")
            for table in ("source.csv", "stream.csv"):
                shutil.copy(disk / table, folder)
            return judge(program, folder, clients) and states["stopped"] > 0 and kill + 1 == arguments.kills
        finally:
            subprocess.run(["umount", disk], check=False)


# --- load

def loaded(arguments, folder, command, port, seconds):
    server = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        plain.wait(port, folder)
        plain.load(arguments, folder, port, 2)
        return plain.load(arguments, folder, port, seconds)
    finally:
        server.terminate()
        server.wait()


def load(program, arguments):
    """In turns: without --follow, with it but no window that is full, with windows of 500, and FastAPI."""
    python = None if arguments.without_fastapi else plain.environment(arguments.venv)
    kinds = {
        "without --follow": [],
        "logging": ["--follow", "--keep", "40G", "--window", str(10 ** 9)],
        "logging and adapting": ["--follow", "--keep", "40G", "--window", "500"],
        "logging and adapting, --fsync always": ["--follow", "--keep", "40G", "--window", "500", "--fsync", "always"],
    }
    found = {name: [] for name in [*kinds, *(["FastAPI"] if python else [])]}
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as name:
        folder = Path(name)
        run = plain.make_run(program, folder)
        shutil.copytree(run, folder / "before")
        if python:
            subprocess.run([program, "export", run, "--onnx", folder / "model.onnx", "--quiet"], check=True)
        (folder / "app.py").write_text(plain.APPLICATION)
        (folder / "body.json").write_text(plain.body())
        for _ in range(arguments.rounds):
            for kind, flags in kinds.items():
                shutil.rmtree(run)
                shutil.copytree(folder / "before", run)
                command = [program, "serve", run, "--port", "8791", "--threads", "2", *flags]
                found[kind].append(loaded(arguments, folder, command, 8791, arguments.seconds))
            fast = python and [python, "-m", "uvicorn", "app:app", "--port", "8792", "--workers", "2", "--log-level", "critical"]
            if fast:
                found["FastAPI"].append(loaded(arguments, folder, fast, 8792, arguments.seconds))
            print({kind: [(round(rate), round(p99, 2)) for rate, p99 in all_] for kind, all_ in found.items()}, flush=True)
    middle = {kind: (statistics.median(rate for rate, _ in all_), statistics.median(p99 for _, p99 in all_)) for kind, all_ in found.items()}
    for kind, (rate, p99) in middle.items():
        print(f"{kind}: {rate:.0f} requests of {plain.BATCH} rows a second, p99 {p99:.2f} ms")
    bare, logging = middle["without --follow"], middle["logging"]
    adapting = middle["logging and adapting"]
    fast = f"{adapting[0] / middle['FastAPI'][0]:.1f} times FastAPI (3 asked)" if python else "FastAPI was not measured"
    print(f"logging: {bare[0] / logging[0]:.2f} times fewer requests, p99 {logging[1] / bare[1]:.2f} times (1.3 allowed); with adapting "
          f"{bare[0] / adapting[0]:.2f} and {adapting[1] / bare[1]:.2f}; adapting costs {100 * (1 - adapting[0] / logging[0]):.0f} % of throughput "
          f"(20 allowed); {fast}")
    return True


KEYED = '''wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = io.open("BODY"):read("*a")
local at, own = 0, tostring(os.time()) .. tostring({})
request = function()
  at = at + 1
  wrk.headers["Idempotency-Key"] = own .. at
  return wrk.format()
end
'''


def soak(program, arguments):
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as name:
        folder = Path(name)
        run = plain.make_run(program, folder)
        (folder / "body.json").write_text(plain.body())
        (folder / "keyed.lua").write_text(KEYED.replace("BODY", str(folder / "body.json")))
        command = [program, "serve", run, "--port", "8791", "--threads", "2", "--follow", "--keep", "1G", "--window", "500"]
        server = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            plain.wait(8791, folder)
            asked, marks = 0, []
            while asked < arguments.requests:
                told = subprocess.run([arguments.client, "-t", "1", "-c", str(plain.CONNECTIONS), "-d", "20s", "-s", folder / "keyed.lua",
                                       "http://127.0.0.1:8791/predict"], check=True, capture_output=True, text=True).stdout
                if "Non-2xx" in told or "Socket errors" in told:
                    sys.exit(told)
                asked += int(re.search(r"(\d+) requests in", told)[1])
                marks.append((asked, plain.memory(server.pid)))
                print(f"after {asked} requests: {marks[-1][1]:.1f} MB", flush=True)
        finally:
            server.terminate()
            server.wait()
    half = [memory for asked, memory in marks if asked >= marks[-1][0] / 2]
    print(f"in the second half from {min(half):.1f} to {max(half):.1f} MB")
    return max(half) <= 1.1 * min(half)


# --- hostile clients

def hostile(program, arguments):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_run(program, folder)
        server = Server(program, folder, "--timeout", "2")
        draw, good, stop, slowest = random.Random(2), [], threading.Event(), [0.0]

        def post(body, kind="application/json"):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            connection.request("POST", "/predict", body, {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.read()

        def timed():
            at = 10 ** 6
            while not stop.is_set():
                rows = [row(draw, at + place) for place in range(8)]
                at += 8
                begun = time.perf_counter()
                status, body = post(json.dumps({"rows": rows}))
                slowest[0] = max(slowest[0], time.perf_counter() - begun)
                assert status == 200 and json.loads(body)["logged"] == 8, (status, body)
                good.extend(one["id"] for one in rows)

        watcher = threading.Thread(target=timed)
        watcher.start()
        told = {}

        def count(kind, right):
            told.setdefault(kind, [0, 0])[not right] += 1

        each = arguments.requests_each
        wrong = random.Random(3)
        for at in range(each):
            one = json.dumps({"rows": [row(wrong, 5 * 10 ** 6 + at)]})
            broken = [one[:wrong.randrange(1, len(one))], one.replace('"x":', '"z":'), one.replace('"id":', '"ident":'), "\0" * 50,
                      one.replace('"rows"', '"row"'), re.sub(r'"x": [-0-9.]+', '"x": "word"', one), one + "}", re.sub(r'"x": [-0-9.]+', '"x": 1e999', one)]
            status, _ = post(broken[at % len(broken)].encode())
            count("malformed", status == 400)
        for at in range(each):
            with socket.create_connection(("127.0.0.1", server.port)) as one:
                one.sendall(plain.socket_head(server.port, (16 << 20) + 1 + at))
                count("oversized", one.recv(64).startswith(b"HTTP/1.1 413"))
        # At most 500 at a time: the server takes 1,024 connections, and good ones need some.
        for begin in range(0, each, 500):
            slow = []
            for at in range(begin, min(begin + 500, each)):
                one = socket.create_connection(("127.0.0.1", server.port))
                head = f"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{{\"rows\": [" if at % 2 else "POST /pre"
                one.sendall(head.encode())
                slow.append(one)
            for one in slow:
                one.settimeout(30)
                try:
                    found = one.recv(64)
                except OSError:
                    found = b"never"
                count("slow", found == b"" or found.startswith((b"HTTP/1.1 408", b"HTTP/1.1 400")))
                one.close()
        same = [row(random.Random(4), 7 * 10 ** 6 + place) for place in range(4)]
        first = 0
        for _ in range(each):
            status, body = post(json.dumps({"rows": same}))
            first += json.loads(body)["logged"]
            count("duplicate", status == 200)
        backwards = list(range(8 * 10 ** 6, 8 * 10 ** 6 + each))
        random.Random(5).shuffle(backwards)
        for at in backwards:
            status, _ = post(json.dumps({"rows": [row(random.Random(at), at)]}))
            count("out of order", status == 200)
        stop.set()
        watcher.join()
        server.follow()
        server.end()
        ids = logged(folder / "run")
        expected = set(good) | {one["id"] for one in same} | {f"r{at}" for at in backwards}
        print(f"(as expected, otherwise): {told}; duplicates logged {first} of 4 rows; the slowest of {len(good) // 8} good requests beside them took "
              f"{1000 * slowest[0]:.0f} ms; {len(ids)} rows logged, {len(set(ids) - expected)} of them refused, {len(expected - set(ids))} missing")
        right = all(otherwise == 0 for _, otherwise in told.values())
        return right and first == 4 and sorted(ids) == sorted(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drill", choices=["kills", "full", "torn", "load", "soak", "hostile"])
    parser.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "driftline")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--requests-each", type=int, default=2000)
    parser.add_argument("--client", default=shutil.which("wrk") or "wrk")
    parser.add_argument("--scratch", help="folder with room for the log of the load, about 400 MB a round")
    parser.add_argument("--without-fastapi", action="store_true")
    parser.add_argument("--venv", type=Path, default=ROOT / "target" / "bench-serve-venv")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    drills = {
        "kills": kills, "torn": lambda *own: kills(*own, torn=True), "full": full, "load": load, "soak": soak, "hostile": hostile,
    }
    sys.exit(0 if drills[arguments.drill](program, arguments) else 1)


if __name__ == "__main__":
    main()
