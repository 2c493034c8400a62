"""What a run folder says in MLflow's terms: parameters, tags, and the measures of every window."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driftline._driftline import is_run_folder

#: Longest value of a parameter and of a tag that every store of MLflow takes.
_LONGEST = 500

# The measure's name in MLflow, and where a window's record has it. What a record lacks is left out.
_MEASURES = {
    "accuracy": ["accuracy_before"],
    "accuracy_after": ["accuracy_after"],
    "accuracy_unadapted": ["accuracy_unadapted"],
    "estimated_accuracy": ["estimated_accuracy"],
    "estimated_low": ["estimated_low"],
    "estimated_high": ["estimated_high"],
    "estimated_unadapted": ["estimate_unadapted", "accuracy"],
    "drift_size": ["findings", "drift", "size"],
    "drift_limit": ["findings", "drift", "limit"],
    "confidence": ["confidence_after"],
    "changed_vs_source": ["flips"],
    "kept": ["kept_fraction"],
    "rows": ["rows"],
    "labels_asked": ["asked"],
}


@dataclass(frozen=True)
class Folder:
    """A run folder at one moment."""

    path: Path
    manifest: dict[str, Any]
    records: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: str | Path) -> Folder:
        path = Path(folder)
        if not is_run_folder(path):
            raise FileNotFoundError(f"{path} is not the folder of a run, which `driftline adapt` or `DriftClassifier.save` writes")
        # The manifest comes first: it names no window whose line is not there.
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        lines = (path / "windows.jsonl").read_text(encoding="utf-8").splitlines() if manifest["windows"] else []
        return cls(path, manifest, [json.loads(line) for line in lines[: manifest["windows"]]])

    @property
    def identity(self) -> str:
        """The same for the same settings and data."""
        return str(self.manifest["identity"])

    @property
    def current(self) -> int:
        return int(self.manifest["current"])

    def checkpoint(self, version: int) -> Path:
        return self.path / f"checkpoints/window-{version:04}.safetensors"

    def maker(self, version: int) -> int:
        """The version that this one predicts like: windows that were held, or taken back, give an older model a new number."""
        if not 0 <= version <= len(self.records):
            raise ValueError(f"the run has the versions 0 to {len(self.records)}, but not {version}")
        while version:
            record = self.records[version - 1]
            decision = record.get("decision", "deploy")
            if decision == "deploy":
                break
            version = record["teacher"] if decision == "hold" else record["taken_back_to"]
        return version

    def fingerprint(self, windows: int) -> str:
        """Of the newest of this many windows: runs that were stepped along different data have the same identity."""
        files = self.records[windows - 1].get("files", {}) if windows else {}
        sums = [own["blake3"] for name, own in sorted(files.items()) if name.startswith("checkpoints/")]
        return f"{windows} {sums[0] if sums else ''}".strip()

    def parameters(self) -> dict[str, str]:
        """The settings, with their places in the tree as names."""
        return {name: _cut(value) for name, value in _flat(self.manifest["settings"], "") if value not in (None, [], {})}

    def tags(self) -> dict[str, str]:
        return {
            "driftline.identity": self.identity,
            "driftline.program": str(self.manifest["driftline"]),
            "driftline.classes": _cut(self.manifest["classes"]),
            "driftline.command": _cut(" ".join(self.manifest["command"])),
            "driftline.in-use": str(self.current),
            "driftline.newest": self.fingerprint(len(self.records)),
        }

    def measures(self) -> list[tuple[str, float, int, int]]:
        """Name, value, window, and when the window was finished, in milliseconds."""
        found = []
        for record in self.records:
            window = int(record["window"])
            moment = self.checkpoint(window).stat().st_mtime_ns // 1_000_000
            deployed = record.get("decision", "deploy") == "deploy"
            own = {"deployed": float(deployed), "served_by": float(record["teacher"])}
            for name, place in _MEASURES.items():
                value = _at(record, place)
                if value is not None:
                    own[name] = float(len(value) if isinstance(value, list) else value)
            found += [(name, value, window, moment) for name, value in own.items()]
        return found


def _at(record: Any, place: list[str]) -> Any:
    for name in place:
        record = record.get(name) if isinstance(record, dict) else None
    return record


def _flat(value: Any, name: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not value:
        return [(name, value)]
    return [leaf for key, own in value.items() for leaf in _flat(own, f"{name}.{key}" if name else str(key))]


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
