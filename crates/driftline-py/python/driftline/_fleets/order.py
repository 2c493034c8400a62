"""The order in which the library takes files."""

from __future__ import annotations

import re


def natural(text: str) -> list[tuple[int, int | str]]:
    """Numbers by their value."""
    parts = re.split(r"(\d+)", text)
    return [(0, int(part)) if part.isdigit() else (1, part) for part in parts if part]
