"""What a notebook shows of a run: the verdict, what it rests on, and the charts."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

_TONES = {"holds": "#2e7d32", "fails": "#c62828", "open": "#616161"}
# The rest is in `report()`.
_CHARTS = 3


# What charts on a page of their own look like in the dark. On a white sheet they must not.
_IN_THE_DARK = "@media screen and (prefers-color-scheme: dark)"

#: A sheet of paper in light and dark themes alike: the charts are drawn for one.
PAPER = "background:#fff;color:#1a1a1a;color-scheme:light;padding:8px 12px;border-radius:6px;max-width:740px"


def table_html(head: str, rows: Sequence[tuple[str, ...]]) -> str:
    """A sentence and a table."""
    cells = "".join("<tr>" + "".join(f'<td style="padding:1px 12px 1px 0">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows)
    table = f'<table style="background:#fff;color:#1a1a1a">{cells}</table>' if rows else ""
    return f'<div class="driftline" style="{PAPER}"><p>{escape(head)}</p>{table}</div>'


def summary_html(parts: dict[str, Any]) -> str:
    """One block of HTML that needs nothing else."""
    badge = parts.get("badge")
    head = ""
    if badge:
        tone, words = badge
        style = f"color:white;background:{_TONES.get(tone, '#616161')};padding:2px 8px;border-radius:4px"
        head = f'<p><span style="{style}">{escape(words)}</span></p>'
    outcome = f"<p>{escape(parts['outcome'])}</p>" if parts.get("outcome") else ""
    drawn = (svg.replace(_IN_THE_DARK, "@media not all") for _, svg in parts["figures"][:_CHARTS])
    charts = "".join(f'<div style="max-width:720px">{svg}</div>' for svg in drawn)
    return f'<div class="driftline" style="{PAPER}">{head}{outcome}{charts}</div>'
