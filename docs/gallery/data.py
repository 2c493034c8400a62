#!/usr/bin/env python3
"""Draws the data of the gallery: python3 docs/gallery/data.py NAME FOLDER

Each example is a labelled source and a stream, as CSV or as IDX images. Only Python itself is needed, and the same name always
gives the same bytes.
"""
import datetime
import math
import pathlib
import random
import struct
import sys


def table(path, head, rows):
    lines = [",".join(value if isinstance(value, str) else f"{value:.3f}" for value in row) for row in rows]
    path.write_text(",".join(head) + "\n" + "\n".join(lines) + "\n")


def clouds(rng, shares, centres, spread=1.0):
    """One row of a Gaussian class: its inputs and its class, a letter."""
    k = rng.choices(range(len(centres)), shares)[0]
    return [centre + rng.gauss(0, spread) for centre in centres[k]] + ["abc"[k]]


def recalibration(rng, folder):
    """Three sensors; along the stream one of them is shifted by 4 and stretched by a half, a little in every window."""
    head = ["t1", "t2", "t3", "state"]
    def row(drift):
        ok = rng.random() < 0.6
        t1, t2, t3 = rng.gauss(20 if ok else 23, 1.2), rng.gauss(50 if ok else 54, 2), rng.gauss(5, 1)
        return [t1, t2 * (1 + 0.3 * drift) + 6 * drift, t3, "ok" if ok else "worn"]
    table(folder / "source.csv", head, [row(0) for _ in range(800)])
    table(folder / "stream.csv", head, [row(n / 2999) for n in range(3000)])


def seasons(rng, folder):
    """Is the room occupied? Temperature and light follow the season; three months have labels, eighteen months follow."""
    head = ["date", "temperature", "light", "co2", "occupied"]
    def row(n):
        season = math.sin(2 * math.pi * n / (6 * 365))
        busy = rng.random() < 0.5
        date = datetime.datetime(2022, 1, 1) + datetime.timedelta(hours=4 * n)
        inside = 19 + 7 * season + (2.5 if busy else 0) + rng.gauss(0, 1)
        light = 300 + 220 * season + (140 if busy else 0) + rng.gauss(0, 60)
        return [date.isoformat(), inside, light, 520 + (90 if busy else 0) + rng.gauss(0, 60), "yes" if busy else "no"]
    rows = [row(n) for n in range(6 * 640)]
    table(folder / "source.csv", head, rows[:540])
    table(folder / "stream.csv", head, rows[540:])


SIDE = 16


def shape(rng, kind, turn=0.0):
    """A tile of 16 × 16 pixels from 0 to 1 with a bar, a corner or a T, turned by `turn` degrees and moved a little."""
    strokes = [[(-5, 0, 5, 0)], [(-4, -4, -4, 4), (-4, 4, 4, 4)], [(-5, -4, 5, -4), (0, -4, 0, 5)]][kind]
    angle = math.radians(turn + rng.gauss(0, 3))
    c, s = math.cos(angle), math.sin(angle)
    dx, dy, pixels = rng.uniform(-1, 1), rng.uniform(-1, 1), []
    for y in range(SIDE):
        for x in range(SIDE):
            px, py = x - 7.5 - dx, y - 7.5 - dy
            px, py = c * px + s * py, c * py - s * px
            near = min(distance(px, py, *stroke) for stroke in strokes)
            pixels.append(max(0.0, min(1.0, 1.8 - near)))
    return pixels


def distance(x, y, x0, y0, x1, y1):
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    along = max(0, min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length))
    return math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))


def idx(folder, name, tiles, classes):
    bytes_ = bytes(round(255 * max(0.0, min(1.0, pixel))) for tile in tiles for pixel in tile)
    (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, len(tiles), SIDE, SIDE) + bytes_)
    (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, len(tiles)) + bytes(classes))


def camera(rng, folder):
    """Bars, corners and Ts. Along the stream the camera loses contrast, grows brighter and noisier, step by step."""
    def tile(kind, drift):
        noise = 0.05 + 0.15 * drift
        return [0.7 * drift + (1 - 0.85 * drift) * pixel + rng.gauss(0, noise) for pixel in shape(rng, kind)]
    source = [rng.randrange(3) for _ in range(600)]
    stream = [rng.randrange(3) for _ in range(2400)]
    idx(folder, "source", [tile(kind, 0) for kind in source], source)
    idx(folder, "stream", [tile(kind, n / 2399) for n, kind in enumerate(stream)], stream)


def turning(rng, folder):
    """Bars, corners and Ts that turn from 0 to 90 degrees along the stream."""
    def tile(kind, turn):
        return [pixel + rng.gauss(0, 0.05) for pixel in shape(rng, kind, turn)]
    source = [rng.randrange(3) for _ in range(600)]
    stream = [rng.randrange(3) for _ in range(3600)]
    idx(folder, "source", [tile(kind, 0) for kind in source], source)
    idx(folder, "stream", [tile(kind, 90 * n / 3599) for n, kind in enumerate(stream)], stream)


def shift(rng, folder):
    """Two classes that stay where they are; the share of the second goes from 50 to 90 %."""
    centres = [(-1.2, 0, 0, 0, 0), (1.2, 0, 0, 0, 0)]
    rows = lambda n, share: [clouds(rng, [1 - share(i / n), share(i / n)], centres) for i in range(n)]
    head = ["x1", "x2", "x3", "x4", "x5", "class"]
    table(folder / "source.csv", head, rows(1000, lambda s: 0.5))
    table(folder / "stream.csv", head, rows(4000, lambda s: 0.5 + 0.4 * s))


def turned(s, degrees):
    c, si = math.cos(math.radians(degrees * s)), math.sin(math.radians(degrees * s))
    return lambda x, y: (c * x - si * y, si * x + c * y)


def vanishing(rng, folder):
    """Two classes in two columns that turn by 120 degrees; half-way the second becomes rare, down to 2 %."""
    def rows(n, moves):
        for i in range(n):
            s = i / n if moves else 0.0
            share = 0.5 if s < 0.5 else 0.5 - 0.96 * (s - 0.5)
            turn = turned(s, 120)
            yield clouds(rng, [1 - share, share], [turn(-2.5, 0), turn(2.5, 0)])
    table(folder / "source.csv", ["x", "y", "class"], list(rows(600, False)))
    table(folder / "stream.csv", ["x", "y", "class"], list(rows(5000, True)))


def jump(rng, folder):
    """Two classes that stay, and from row 1,600 of the stream on are turned by 120 degrees."""
    def rows(n, at):
        for i in range(n):
            turn = turned(1.0 if i >= at else 0.0, 120)
            yield clouds(rng, [0.5, 0.5], [turn(-2.5, 0) + (0, 0), turn(2.5, 0) + (0, 0)])
    table(folder / "source.csv", ["x", "y", "u", "v", "class"], list(rows(800, 800)))
    table(folder / "stream.csv", ["x", "y", "u", "v", "class"], list(rows(4000, 1600)))


def fleet(rng, folder):
    """200 machines with one shared source. A third is still, a third drifts in one sensor, a third drifts in two."""
    head = ["machine", "heat", "noise", "load", "state"]
    def row(machine, heat, noise):
        ok = rng.random() < 0.7
        return [machine, rng.gauss(60 if ok else 66, 2) + heat, rng.gauss(2 if ok else 3, 0.4) + noise, rng.gauss(45, 3), "ok" if ok else "worn"]
    table(folder / "source.csv", head, [row("bench", 0, 0) for _ in range(1000)])
    rows = []
    for n in range(800):
        for machine in range(200):
            drift = n / 799
            heat, noise = [(0, 0), (8 * drift, 0), (8 * drift, 1.2 * drift)][machine % 3]
            rows.append(row(f"m{machine:03}", heat, noise))
    table(folder / "stream.csv", head, rows)


EXAMPLES = {name.__name__: name for name in [recalibration, seasons, camera, turning, shift, vanishing, jump, fleet]}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in EXAMPLES:
        sys.exit(f"usage: data.py NAME FOLDER; names: {', '.join(EXAMPLES)}")
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    EXAMPLES[sys.argv[1]](random.Random(f"gallery {sys.argv[1]}"), folder)
