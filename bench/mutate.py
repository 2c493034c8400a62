#!/usr/bin/env python3
"""Damages files of every kind and shows them to the program: whatever it says, it must not panic.

    python3 bench/mutate.py [--driftline target/release/driftline] [--copies 1000] [--seed 0]

Every format that can be read (the tables of the tests, IDX, a folder with a picture), a model file, and a run's manifest and lines.
Exit codes other than 0, 1 and 2, and panics, are findings; exit code 1 if there are any.
"""
import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys
import struct
import tempfile
from concurrent.futures import ThreadPoolExecutor

from onnx import png

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLES = ROOT / "crates/driftline-io/tests/reference/tables"


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        if not data:
            break
        # Half of the damage goes to the first and last bytes, where formats keep their structure.
        edge = min(len(data), 256)
        at = rng.choice([rng.randrange(edge), len(data) - 1 - rng.randrange(edge), rng.randrange(len(data)), rng.randrange(len(data))])
        kind = rng.randrange(6)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)])
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 8)))
        elif kind == 4:
            del data[at:at + rng.randint(1, 8)]
        else:
            data[at:at + 4] = rng.choice([b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\x80", b"9999"])
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--copies", default=1000, type=int)
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--only", help="one kind, such as .csv or png")
    arguments = parser.parse_args()
    program = str(arguments.driftline.resolve())
    findings = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "s.csv").write_text("x,y,label\n" + "".join(f"{i % 7},{i % 3},{'ab'[i % 2]}\n" for i in range(60)))
        run = [program, "adapt", "--source", "s.csv", "--label", "label", "--stream", "s.csv", "--window", "20", "--truth", "label", "--out", "run", "--quiet"]
        subprocess.run(run, cwd=folder, check=True, capture_output=True)
        kinds = collections.defaultdict(list)
        for path in sorted(TABLES.rglob("*")):
            if path.is_file():
                kinds["".join(path.suffixes) or path.name].append(path)
        (folder / "images-idx3-ubyte").write_bytes(struct.pack(">I3I", 0x803, 20, 4, 5) + bytes(range(200)) * 2)
        kinds["idx"].append(folder / "images-idx3-ubyte")
        png(folder / "a.png", [7 * i % 256 for i in range(12 * 9)], 12, 9)
        kinds["png"].append(folder / "a.png")
        kinds["model"].append(folder / "run/checkpoints/window-0001.safetensors")
        kinds["manifest.json"].append(folder / "run/manifest.json")
        kinds["windows.jsonl"].append(folder / "run/windows.jsonl")

        def attempt(job):
            kind, path, number = job
            rng = random.Random(f"{arguments.seed} {kind} {number}")
            place = folder / f"{kind.strip('.')}-{number}"
            place.mkdir()
            data = damaged(path.read_bytes(), rng)
            if kind in ("manifest.json", "windows.jsonl"):
                shutil.copytree(folder / "run", place / "run")
                (place / "run" / path.name).write_bytes(data)
                command = ["inspect", "run"]
            elif path.suffix in (".png", ".jpg", ".jpeg"):
                (place / "pictures").mkdir()
                (place / "pictures" / path.name).write_bytes(data)
                command = ["inspect", "pictures"]
            else:
                (place / path.name).write_bytes(data)
                command = ["inspect", path.name]
            done = subprocess.run([program, *command], cwd=place, capture_output=True)
            if done.returncode not in (0, 1, 2) or b"panicked" in done.stderr:
                findings.append((kind, path.name, number, done.returncode, done.stderr[-300:]))
            shutil.rmtree(place)
            return kind, done.returncode

        jobs = [(kind, paths[number % len(paths)], number) for kind, paths in kinds.items() if arguments.only in (None, kind) for number in range(arguments.copies)]
        codes = collections.Counter()
        with ThreadPoolExecutor(2) as pool:
            for kind, code in pool.map(attempt, jobs):
                codes[kind, code] += 1
    for (kind, code), count in sorted(codes.items()):
        print(f"{kind:22} exit {code}: {count}")
    for finding in findings:
        print("finding:", *finding)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
