"""What a Spark worker does: the rows of a group in, the pack of its run out."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow

from driftline import _driftline
from driftline._fleets import frames
from driftline._fleets.options import Fleet

KEY, PACK = "key", "pack"
#: What comes back of a group.
SCHEMA = f"{KEY} string, {PACK} binary"


@dataclass(frozen=True)
class Work:
    """Adapts to the stream of a group. Spark sends it to the workers and calls it for every group there."""

    fleet: Fleet
    #: Files by their names: the source or the model.
    given: dict[str, bytes]
    #: Manifest and source model of the fleet's folder.
    begun: dict[str, bytes]
    #: What is to be done, by key.
    pieces: dict[str, bytes]
    learner: Any
    by: str
    #: Columns that rows are ordered by, and those of them that the stream lacks.
    order: list[str]
    dropped: list[str]

    def __call__(self, key: tuple[Any, ...], rows: pyarrow.Table) -> pyarrow.Table:
        name = str(key[0].as_py())
        others = [one.name for one in rows.schema if one.name not in self.order and not pyarrow.types.is_nested(one.type)]
        rows = rows.sort_by([(column, "ascending") for column in [*self.order, *others]])
        stream = rows.drop_columns([self.by, *self.dropped])
        [path] = frames.named({name: stream}, "stream")
        with in_place({**self.given, path: frames.parquet(stream)}), tempfile.TemporaryDirectory(prefix="driftline-") as place:
            packs = Path(place, "packs")
            packs.mkdir()
            for file, contents in self.begun.items():
                Path(place, file).write_bytes(contents)
            _driftline.fleet_piece(json.dumps(self.fleet.made), self.fleet.options(place, 1), self.pieces[name], self.learner)
            pack = (packs / "streams.pack").read_bytes()
        return pyarrow.table({KEY: [name], PACK: pyarrow.array([pack], pyarrow.binary())})


@contextlib.contextmanager
def in_place(files: dict[str, bytes]) -> Iterator[None]:
    """In a directory where the names of files lead to them."""
    with tempfile.TemporaryDirectory(prefix="driftline-") as place, contextlib.chdir(place):
        for name, contents in files.items():
            path = Path(name)
            if not path.is_absolute():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(contents)
        yield
