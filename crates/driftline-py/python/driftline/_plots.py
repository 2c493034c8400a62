"""Charts of a run with matplotlib, which is imported when one is drawn: ``pip install 'driftline[plot]'``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Readable on light and dark paper, and to most who see colours differently.
_LINE, _BAND, _MARKS = "#1f77b4", "#1f77b433", {"deploy": "o", "hold": "_", "roll-back": "v"}
_COLUMNS = 5


def axes(ax: Any) -> Any:
    """The axes to draw on; new ones if there are none."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("charts need matplotlib: pip install 'driftline[plot]'") from error
    return pyplot.subplots(figsize=(8, 3.5))[1]


def history(records: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """The estimated accuracy along the windows with its interval, and what was decided in each."""
    ax = axes(ax)
    windows = [record["window"] for record in records]
    values = estimates(records)
    if np.isfinite(values).any():
        band(ax, windows, values, "estimated accuracy")
        heights = values[0]
        ax.set_ylabel("estimated accuracy")
        ax.set_ylim(0, 1.02)
    else:
        heights = np.array([record["confidence_after"] for record in records], dtype=float)
        ax.plot(windows, heights, color=_LINE, label="mean confidence")
        ax.set_ylabel("mean confidence")
    decisions = np.array([record.get("decision") or "deploy" for record in records])
    for decision, mark in _MARKS.items():
        here = np.flatnonzero(decisions == decision)
        if len(here):
            at = np.nan_to_num(heights[here], nan=0.0)
            ax.scatter(np.array(windows)[here], at, marker=mark, color=_LINE, zorder=3, label=decision)
    ax.set_xlabel("window")
    ax.legend(frameon=False)
    return ax


def estimates(records: Sequence[dict[str, Any]]) -> np.ndarray[Any, Any]:
    """Estimate, low and high of each window; not a number where there is none."""
    names = ("estimated_accuracy", "estimated_low", "estimated_high")
    found = [[np.nan if record.get(name) is None else record[name] for record in records] for name in names]
    return np.array(found, dtype=float)


def band(ax: Any, places: Sequence[Any], values: np.ndarray[Any, Any], label: str) -> None:
    """A line within its interval."""
    ax.plot(places, values[0], color=_LINE, label=label)
    ax.fill_between(places, values[1], values[2], color=_BAND, linewidth=0)


def drift(records: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """How far the columns that moved most have moved, window by window, in deviations of the source."""
    ax = axes(ax)
    farthest: dict[str, float] = {}
    for record in records:
        for moved in record.get("moved", []):
            farthest[moved["column"]] = max(farthest.get(moved["column"], 0.0), abs(moved["by"]))
    if not farthest:
        raise ValueError("no window has column shifts: policies that deploy every step do not measure them")
    windows = [record["window"] for record in records]
    for column in sorted(farthest, key=lambda name: -farthest[name])[:_COLUMNS]:
        found = [{moved["column"]: moved["by"] for moved in record.get("moved", [])} for record in records]
        ax.plot(windows, [moved.get(column, np.nan) for moved in found], marker=".", label=column)
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.set_xlabel("window")
    ax.set_ylabel("shift, in standard deviations of the source")
    ax.legend(frameon=False)
    return ax
