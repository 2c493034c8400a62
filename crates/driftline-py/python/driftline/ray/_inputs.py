"""Rows of a fleet, wherever they are: found by the process that gives work out, put into place by those that do it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import ray
from pyarrow import fs

from driftline import _driftline
from driftline._fleets import frames
from driftline._fleets.order import natural

_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Input:
    """One file."""

    #: As the store names it.
    name: str
    #: Where it is: on the file system, or on this and hopefully every machine.
    path: str
    filesystem: fs.FileSystem | None = None
    size: int | None = None
    #: What is in it, in Ray's store, where it stands for a frame.
    contents: Any = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether its name leads nowhere until it is put into place."""
        return self.filesystem is not None or self.contents is not None

    def put(self) -> None:
        """Makes the name lead to the file, in the working directory."""
        target = Path(self.name)
        if target.is_absolute() or target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.contents is not None:
            target.write_bytes(ray.get(self.contents))
            return
        if self.filesystem is None:
            target.symlink_to(self.path)
            return
        try:
            with self.filesystem.open_input_stream(self.path) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
        except FileNotFoundError:
            # Whoever reads it says which stream has no file; the others go on.
            target.unlink(missing_ok=True)


def find(what: Any, filesystem: fs.FileSystem | None) -> list[Input]:
    """Paths, patterns and addresses (``s3://…``), a data set of pyarrow, or frames, as `named` knows them."""
    if isinstance(what, dict):
        found = []
        for name, rows in what.items():
            contents = frames.parquet(rows)
            found.append(Input(name, name, None, len(contents), ray.put(contents)))
        return found
    if hasattr(what, "files") and hasattr(what, "filesystem"):
        return _located(what.files, what.filesystem, "")
    found = []
    for one in [what] if isinstance(what, (str, os.PathLike)) else list(what):
        text = os.fspath(one)
        if filesystem is not None:
            found += _located(_matches(filesystem, text), filesystem, "")
        elif "://" in text:
            scheme, rest = text.split("://", 1)
            # What stands behind the question mark says how to get there.
            plain, mark, query = rest.partition("?") if "=" in rest else (rest, "", "")
            base = _WILD.split(plain)[0].rpartition("/")[0]
            system, start = fs.FileSystem.from_uri(f"{scheme}://{base}{mark}{query}")
            pattern = start + plain[len(base):]
            found += _located(_matches(system, pattern), system, f"{scheme}://")
        else:
            found += [Input(path, os.path.abspath(path)) for path in _driftline.match_files([text])]
    if not found:
        raise FileNotFoundError(f"no file matches {what}")
    return found


def _matches(system: fs.FileSystem, pattern: str) -> list[str]:
    """The files that a pattern stands for."""
    if not _WILD.search(pattern):
        return [pattern]
    base = _WILD.split(pattern)[0].rpartition("/")[0]
    selector = fs.FileSelector(base, recursive=True)
    depth = pattern.count("/")
    files = (info.path for info in system.get_file_info(selector) if info.type == fs.FileType.File)
    return [path for path in files if path.count("/") == depth and fnmatch(path, pattern)]


def _located(paths: Iterable[str], system: fs.FileSystem, scheme: str) -> list[Input]:
    infos = system.get_file_info(sorted(paths, key=natural))
    missing = [info.path for info in infos if info.type == fs.FileType.NotFound]
    if missing:
        raise FileNotFoundError(f"{missing[0]} is not there")
    local = isinstance(system, fs.LocalFileSystem)
    return [
        Input(info.path, os.path.abspath(info.path), None, info.size)
        if local
        else Input(scheme + info.path, info.path, system, info.size)
        for info in infos
    ]
