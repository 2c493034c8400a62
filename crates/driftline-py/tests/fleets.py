"""Fleets for the tests on a cluster: data, the program beside them, and what a store holds."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("DRIFTLINE", "")
COLUMNS = ["a", "b", "c", "d"]
COMMON = {"label": "label", "model": "linear", "window": 50, "policy": "always"}


def rows(draw: random.Random, count: int, moved: float) -> list[str]:
    """Two classes that move together."""
    found = []
    for row in range(count):
        side = 1.5 if row % 2 else -1.5
        found.append(",".join(f"{side + moved * row / count + draw.gauss(0, 1):.3f}" for _ in COLUMNS))
    return found


def write(place: Path, streams: int, windows: int = 4, long: str | None = None) -> None:
    """`data/source.csv`, and a file for each stream; the one called `long` has fifty times the windows."""
    (place / "data/streams").mkdir(parents=True)
    lines = rows(random.Random(0), 400, 0.0)
    text = [f"{row},{'xy'[at % 2]}" for at, row in enumerate(lines)]
    (place / "data/source.csv").write_text("\n".join([",".join(COLUMNS) + ",label", *text]) + "\n")
    for at in range(streams):
        draw = random.Random(at + 1)
        count = windows * 50 * (50 if f"s{at}" == long else 1)
        lines = rows(draw, count, draw.uniform(0.2, 1.5))
        (place / f"data/streams/s{at}.csv").write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")


def join(place: Path) -> None:
    """All streams in one table whose keys take turns, and a source with the key as well."""
    paths = sorted((place / "data/streams").iterdir())
    streams = {path.stem: path.read_text().splitlines()[1:] for path in paths}
    longest = max(map(len, streams.values()))
    lines = [f"{key},{own[row]}" for row in range(longest) for key, own in streams.items() if row < len(own)]
    (place / "data/all.csv").write_text("\n".join(["key," + ",".join(COLUMNS), *lines]) + "\n")
    head, *source = (place / "data/source.csv").read_text().splitlines()
    lines = [f"{key},{row}" for key in streams for row in source[: 100 + len(key)]]
    (place / "data/each.csv").write_text("\n".join([f"key,{head}", *lines]) + "\n")


def desk(place: Path, name: str) -> Path:
    """A working directory of its own with the data in it, so that commands are the same to the letter."""
    folder = place / name
    folder.mkdir()
    (folder / "data").symlink_to(place / "data")
    return folder


def program(cwd: Path, *what: str, codes: tuple[int, ...] = (0, 3)) -> str:
    done = subprocess.run([PROGRAM, *what, "--quiet"], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode in codes, done.stderr
    return done.stdout


def local(place: Path, *what: str, codes: tuple[int, ...] = (0, 3)) -> Path:
    """What the program makes of it."""
    cwd = desk(place, "local")
    program(cwd, "fleet", *what, "--out", "fleet", codes=codes)
    return cwd / "fleet"


FILES = ["--source", "data/source.csv", "--label", "label", "--model", "linear", "--stream", "data/streams/*.csv"]
HOW = ["--window", "50", "--policy", "always"]


def records(fleet: Path) -> dict[str, list[tuple[bytes, bytes]]]:
    """Head and body of whatever the packs hold, by stream; failures are left out where the stream was done later."""
    found: dict[str, list[tuple[bytes, bytes]]] = {}
    for pack in sorted((fleet / "packs").glob("*.pack")):
        contents, at = pack.read_bytes(), 0
        while at < len(contents):
            assert contents[at : at + 4] == b"DLF1"
            head, body = struct.unpack_from("<IQ", contents, at + 4)
            start = at + 48
            at = start + head + body
            text = contents[start : start + head]
            found.setdefault(json.loads(text)["row"]["key"], []).append((text, contents[start + head : at]))
    for key, own in found.items():
        if any(json.loads(head)["done"] for head, _ in own):
            found[key] = [one for one in own if json.loads(one[0])["identity"]]
    return found


def expect_same(found: Path, expected: Path) -> None:
    """The same fleet to the last byte: nothing lost, nothing twice."""
    for name in ("manifest.json", "source.safetensors", "streams.json"):
        if (expected / name).exists() or (found / name).exists():
            assert (found / name).read_bytes() == (expected / name).read_bytes(), name
    assert records(found) == records(expected)


def rows_of(fleet: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((fleet / "streams.json").read_text())["rows"]
    return rows
