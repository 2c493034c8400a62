"""A progress bar where tqdm is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, wanted: bool, unit: str = "window") -> Iterator[Callable[[int, int], None] | None]:
    """Gives a function that is told how many steps are done of how many; none where nobody wants to see it."""
    if not wanted:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    bar = tqdm(desc=what, unit=unit)

    def told(done: int, planned: int) -> None:
        bar.total = planned
        bar.n = done
        bar.refresh()

    try:
        yield told
    finally:
        bar.close()
