"""What the parameters of a fleet come to: the library's settings, and the command of the program that does the same."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Fleet:
    """A fleet as the library takes it."""

    made: dict[str, Any]
    own: dict[str, Any]
    is_model_file: bool

    @classmethod
    def of(cls, stream: Any, source: Any, out: Path, **given: Any) -> Fleet:
        """Refuses what has no meaning."""
        label, model, by, each = given["label"], given["model"], given["by"], given["source_model"]
        if each not in ("shared", "each"):
            raise ValueError(f"source_model is {each!r}, but must be 'shared' or 'each'")
        if (source is None) != (label is None):
            raise ValueError("a labelled source needs both `source` and `label`")
        if source is None and not isinstance(model, str):
            raise ValueError("name a labelled `source`, or a model file as `model`")
        if each == "each" and (by is None or source is None):
            raise ValueError("a source model for each stream needs a source that has the column `by` as well")
        settings = dict(given["settings"] or {})
        parts = {name: given[name] for name in ("policy", "alignment", "labeler")}
        if source is not None and isinstance(model, (str, dict)):
            parts["model"] = model
        settings.update({name: value for name, value in parts.items() if value is not None})
        window = given["window"]
        windows = {"every": window} if isinstance(window, str) else {"window": window, "tail": "merge"}
        choice = {
            "label": None, "time": given["time"], "answers": given["answers"], "ids": list(given["ids"] or []),
            "exclude": list(given["exclude"] or []), "categories": list(given["categories"] or []), "filters": [],
            "impute": bool(given["impute"]), "mark-missing": given["impute"] == "mark",
        }  # fmt: skip
        own = {
            "settings": settings,
            "windows": None if window is None else windows,
            "method": given["method"],
            "choice": choice,
            "seed": int(given["seed"]),
            "source_sample": bool(given["source_sample"]),
        }
        made = {
            "source": [],
            "label": label,
            "model_file": model if source is None else None,
            "by": by,
            "source_model": each,
            "command": _command(stream, source, out, given),
        }
        return cls(made, own, source is None)

    def options(self, folder: str, threads: int | None) -> str:
        """As JSON, for the fleet in this folder."""
        return json.dumps({**self.own, "folder": folder, "threads": threads})


def _command(stream: Any, source: Any, out: Path, given: dict[str, Any]) -> list[str]:
    """What to type for the same on one machine."""
    command = ["driftline", "fleet"]

    def add(flag: str, value: Any) -> None:
        if value is None or value is False or value == []:
            return
        command.append(f"--{flag}")
        if value is not True:
            values = value if isinstance(value, list) else [value]
            command.extend(json.dumps(one) if isinstance(one, dict) else str(one) for one in values)

    add("source", None if source is None else _names(source))
    add("label", given["label"])
    model = given["model"]
    add("model", model if model is None or isinstance(model, (str, dict)) else type(model).__name__)
    add("stream", _names(stream))
    add("by", given["by"])
    add("source-model", None if given["source_model"] == "shared" else given["source_model"])
    add("every" if isinstance(given["window"], str) else "window", given["window"])
    for name in ("method", "policy", "alignment", "labeler", "settings", "time", "answers"):
        add(name, given[name])
    for name, flag in (("ids", "id"), ("exclude", "exclude"), ("categories", "category")):
        for one in given[name] or []:
            add(flag, one)
    add("impute=mark" if given["impute"] == "mark" else "impute", bool(given["impute"]))
    add("no-source-sample", not given["source_sample"])
    add("seed", given["seed"] or None)
    add("out", str(out))
    return command


def _names(what: Any) -> list[str]:
    if isinstance(what, (str, os.PathLike)):
        return [os.fspath(what)]
    return [str(one) for one in getattr(what, "files", what)]
