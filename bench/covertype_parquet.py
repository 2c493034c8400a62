#!/usr/bin/env python3
"""Converts Covertype from the CSV file in the cache to Parquet: all rows, the first 50,000 as a source, the rest as a stream.

    driftline data fetch covertype
    python3 bench/covertype_parquet.py OUT          makes a virtual environment under target/ and installs pandas and pyarrow
    python3 bench/covertype_parquet.py OUT --csv F --venv DIR

Writes OUT/covertype.parquet (581,012 rows, 54 features, Cover_Type), OUT/source.parquet and OUT/stream.parquet, in the
order of the file, with pandas' defaults. Then, for example:

    driftline fit --source OUT/source.parquet --label Cover_Type --model mlp --out covertype.safetensors
    driftline adapt --model covertype.safetensors --stream OUT/stream.parquet --window 50000 --truth Cover_Type --out run
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

SOURCE_ROWS = 50_000
ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder to write to")
    parser.add_argument("--csv", type=Path, help="the CSV file (default: where `driftline data fetch covertype` puts it)")
    parser.add_argument("--venv", type=Path, help="a virtual environment with pandas and pyarrow")
    arguments = parser.parse_args()
    python = environment(arguments.venv)
    if Path(sys.executable) != python:
        return subprocess.run([python, __file__, *sys.argv[1:]]).returncode
    import pandas

    csv = arguments.csv or cached()
    frame = pandas.read_csv(csv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, part in {"covertype": frame, "source": frame[:SOURCE_ROWS], "stream": frame[SOURCE_ROWS:]}.items():
        path = arguments.out / f"{name}.parquet"
        part.to_parquet(path, index=False)
        print(f"{path}: {len(part)} rows, {len(part.columns)} columns, {path.stat().st_size / 1e6:.1f} MB")
    return 0


def cached():
    """The CSV file in the cache folder, found as the program finds it."""
    home = Path.home()
    folders = [os.environ.get("DRIFTLINE_CACHE"), os.environ.get("XDG_CACHE_HOME", home / ".cache") , home / "Library/Caches"]
    for folder in filter(None, folders):
        for place in (Path(folder), Path(folder) / "driftline"):
            found = sorted(place.glob("covertype/*.csv"))
            if found:
                return found[0]
    sys.exit("Covertype is not in the cache: run `driftline data fetch covertype`, or name the file with --csv")


def environment(given):
    """The interpreter with pandas and pyarrow, installed if need be."""
    folder = given.absolute() if given else ROOT / "target" / "bench-tables"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pandas", "pyarrow"], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
