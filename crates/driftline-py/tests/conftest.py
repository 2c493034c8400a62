"""Drifts that the tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


class Drift:
    """Two classes that move together; the stream has answers, which only tests look at."""

    def __init__(self, rows: int = 600, width: int = 4, windows: int = 4, window: int = 100) -> None:
        rng = np.random.default_rng(0)
        self.y = np.arange(rows) % 2
        self.X = self._draw(rng, self.y, width, 0.0)
        self.answers = np.arange(windows * window) % 2
        moved = np.repeat(np.linspace(0.3, 1.2, windows), window)
        self.stream = self._draw(rng, self.answers, width, moved[:, None])

    @staticmethod
    def _draw(rng: Any, y: Any, width: int, moved: Any) -> Any:
        centres = np.where(y[:, None] == 1, 1.5, -1.5)
        return (rng.normal(size=(len(y), width)) + centres + moved).astype(np.float32)


@pytest.fixture(scope="session")
def drift() -> Drift:
    return Drift()
