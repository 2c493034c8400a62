#!/usr/bin/env python3
"""Exports models of every kind and compares onnxruntime's probabilities with those of `driftline predict`.

    python3 bench/onnx.py [--driftline target/release/driftline] [--venv DIR]

Makes a virtual environment under target/ and installs onnxruntime and numpy from PyPI. Exit code 1 if any differs by more
than 1e-5.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import venv
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1e-5


def environment(folder):
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    packages = ["onnxruntime", "numpy"]
    missing = subprocess.run([python, "-c", "import onnxruntime, numpy"], capture_output=True).returncode
    if missing:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


def table(path, rows, classes, seed, gaps=False):
    """Numbers on very different scales, a category, and classes around a circle; with gaps, every seventh row lacks something."""
    rng = random.Random(seed)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["x", "y", "big", "kind", "label"])
        for row in range(rows):
            c = row % classes
            angle = 2 * math.pi * c / classes
            row_of = [
                round(math.cos(angle) + rng.gauss(0, 0.3), 4), round(1e-3 * (math.sin(angle) + rng.gauss(0, 0.3)), 7),
                round(50_000 + 900 * c + rng.gauss(0, 500), 1), rng.choice(["red", "green", "blue"]), f"class {c}",
            ]
            if gaps and row % 7 == 0:
                row_of[row // 7 % 4] = ""
            out.writerow(row_of)


def png(path, pixels, width, height):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    rows = b"".join(b"\0" + bytes(pixels[y * width:(y + 1) * width]) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def pictures(folder, rows, seed, width=28, height=28):
    rng = random.Random(seed)
    names = []
    for row in range(rows):
        c = row % 3
        pixels = [min(255, int(rng.random() * 90 + (150 if (x * 3) // width == c else 0))) for y in range(height) for x in range(width)]
        place = folder / f"class{c}"
        place.mkdir(parents=True, exist_ok=True)
        png(place / f"{row:04}.png", pixels, width, height)
        names.append((f"class{c}/{row:04}.png", pixels))
    return dict(names)


COMPARE = """
import json, sys, numpy as np, onnxruntime as ort
session = ort.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
given = json.load(open(sys.argv[2]))
inputs = np.array(given["inputs"], dtype=np.float32)
right = np.array(given["probabilities"], dtype=np.float64)
names = [o.name for o in session.get_outputs()]
found = dict(zip(names, session.run(None, {session.get_inputs()[0].name: inputs})))
classes = json.loads(session.get_modelmeta().custom_metadata_map["classes"])
same = [classes[i] for i in found["class"]] == given["class"]
print(json.dumps({"worst": float(np.abs(found["probabilities"] - right).max()), "same_classes": same, "rows": len(right)}))
"""


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driftline", default=ROOT / "target/release/driftline", type=pathlib.Path)
    parser.add_argument("--venv", default=ROOT / "target/venv-onnx", type=pathlib.Path)
    arguments = parser.parse_args()
    python = environment(arguments.venv)
    program = arguments.driftline.resolve()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [("linear", 4, "table"), ("linear", 2, "table"), ("mlp", 4, "table"), ("margin", 2, "table"), ("cnn", 3, "pictures"), ("linear", 3, "pictures")]
        cases += [("trees", 4, "table"), ("trees", 2, "table"), ("trees", 3, "gaps"), ("linear", 3, "gaps"), ("knn", 3, "table")]
        for number, (kind, classes, what) in enumerate(cases):
            place = folder / str(number)
            place.mkdir()
            if what != "pictures":
                source = place / "source.csv"
                table(source, 400, classes, number, what == "gaps")
            else:
                source = place / "pictures"
                raw = pictures(source, 120, number)
            model, onnx, out = place / "model.safetensors", place / "model.onnx", place / "p.csv"
            run(program, "fit", "--source", source, "--label", "label", "--model", kind, "--epochs", 3, "--out", model, "--quiet", *(["--impute=mark"] if what == "gaps" else []))
            exported = json.loads(run(program, "export", model, "--onnx", onnx, "--json"))
            through = ["--id", "file"] if what == "pictures" else []
            run(program, "predict", model, "--input", source, *through, "--out", out, "--quiet")
            predicted = list(csv.DictReader(open(out)))
            if what != "pictures":
                rows = list(csv.DictReader(open(source)))
                def value(row, feature):
                    if "=" in feature:
                        column, category = feature.split("=", 1)
                        return float(row[column] == ("" if category == "missing" else category))
                    return float(row[feature] or "nan")
                inputs = [[value(row, feature) for feature in exported["features"]] for row in rows]
            else:
                inputs = [[[[pixel / 255] for pixel in pixels[y * 28:(y + 1) * 28]] for y in range(28)] for pixels in (raw[row["file"]] for row in predicted)]
            given = {
                "inputs": inputs, "class": [row["class"] for row in predicted],
                "probabilities": [[float(row[f"p_{c}"]) for c in exported["classes"]] for row in predicted],
            }
            (place / "given.json").write_text(json.dumps(given))
            found = json.loads(run(python, "-c", COMPARE, onnx, place / "given.json"))
            good = found["worst"] <= LIMIT and found["same_classes"]
            failed |= not good
            print(f"{kind:7} {what:9} {classes} classes  {found['rows']} rows  largest difference {found['worst']:.1e}  {'ok' if good else 'DIFFERS'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
