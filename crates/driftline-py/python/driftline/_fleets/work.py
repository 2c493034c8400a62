"""The two ends of a piece of a fleet: a worker makes a pack of it, and whoever gave it out stores that."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from driftline import _driftline
from driftline._fleets.options import Fleet


def begun_files(out: Path) -> dict[str, bytes]:
    """What a worker needs of the folder of a fleet: its manifest and source model."""
    return {name: (out / name).read_bytes() for name in ("manifest.json", "source.safetensors") if (out / name).exists()}


def add(begun: _driftline.Fleet, out: Path, pack: bytes) -> list[dict[str, Any]]:
    """Stores what a worker has made; the streams that ended with it."""
    with tempfile.NamedTemporaryFile(dir=out, prefix=".driftline-", suffix=".tmp") as file:
        file.write(pack)
        file.flush()
        rows: list[dict[str, Any]] = json.loads(begun.add(file.name))
    return rows
