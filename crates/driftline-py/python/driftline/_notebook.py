"""What a notebook shows of a run: the verdict, what it rests on, and the charts."""

from __future__ import annotations

from html import escape
from typing import Any

_TONES = {"holds": "#2e7d32", "fails": "#c62828", "open": "#616161"}
# The rest is in `report()`.
_CHARTS = 3


def summary_html(parts: dict[str, Any]) -> str:
    """One block of HTML that needs nothing else."""
    badge = parts.get("badge")
    head = ""
    if badge:
        tone, words = badge
        style = f"color:white;background:{_TONES.get(tone, '#616161')};padding:2px 8px;border-radius:4px"
        head = f'<p><span style="{style}">{escape(words)}</span></p>'
    outcome = f"<p>{escape(parts['outcome'])}</p>" if parts.get("outcome") else ""
    charts = "".join(f'<div style="max-width:720px">{svg}</div>' for _, svg in parts["figures"][:_CHARTS])
    # A sheet of paper in light and dark themes alike: the charts are drawn for one.
    paper = "background:#fff;color:#1a1a1a;color-scheme:light;padding:8px 12px;border-radius:6px;max-width:740px"
    return f'<div class="driftline" style="{paper}">{head}{outcome}{charts}</div>'
