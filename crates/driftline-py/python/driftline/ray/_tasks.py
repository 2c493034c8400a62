"""Pieces of work on their way through Ray: this many at a time, tried again elsewhere, and named where one is slow."""

from __future__ import annotations

import logging
import statistics
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

logger = logging.getLogger("driftline.ray")

#: A task or stream that takes this many times as long as the others is named, if it takes this many seconds at all.
SLOW = 10.0
SLOW_SECONDS = 1.0
_LOOK = 0.5


@dataclass
class Piece:
    """What one task does."""

    parts: list[Any]
    name: str
    tries: int = 0
    avoid: set[str] = field(default_factory=set)


@dataclass
class Outcome:
    """What a task gives back. With trouble, what it has done until then."""

    node: str
    seconds: float
    result: Any = None
    trouble: str | None = None


@dataclass
class Crew:
    """Gives pieces to a remote function and takes what it gives back."""

    submit: Callable[[Piece, dict[str, Any]], Any]
    done: Callable[[Piece, Any], None]
    failed: Callable[[Piece, str], None]
    #: The parts of a piece that are not done yet.
    left: Callable[[Piece], list[Any]]
    in_flight: int
    retries: int
    #: Whether a piece that raises is done again part by part.
    alone: bool = False
    bad_nodes: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)
    most_in_flight: int = 0

    def run(self, pieces: Iterable[Piece]) -> None:
        """Until every piece is done or has failed."""
        queue = deque(pieces)
        flying: dict[Any, tuple[Piece, float]] = {}
        named: set[int] = set()
        try:
            while queue or flying:
                while queue and len(flying) < self.in_flight:
                    piece = queue.popleft()
                    flying[self.submit(piece, self._where(piece))] = (piece, time.monotonic())
                self.most_in_flight = max(self.most_in_flight, len(flying))
                ready, _ = ray.wait(list(flying), timeout=_LOOK)
                for reference in ready:
                    piece, _ = flying.pop(reference)
                    queue.extend(self._take(piece, reference))
                self._name_slow(flying, named)
        except BaseException:
            for reference in flying:
                ray.cancel(reference, force=True)
            raise

    def _take(self, piece: Piece, reference: Any) -> list[Piece]:
        """Stores what came; the pieces that are to be done again."""
        try:
            outcome: Outcome = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            if not self.alone:
                raise
            return self._again_alone(piece, str(error.cause))
        except ray.exceptions.RayError as error:
            # Ray has tried again already.
            return self._again_alone(piece, f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
        self.seconds.append(outcome.seconds)
        if outcome.result is not None:
            self.done(piece, outcome.result)
        if outcome.trouble is None:
            return []
        left = Piece(self.left(piece), piece.name, piece.tries + 1, piece.avoid | {outcome.node})
        if not left.parts:
            return []
        self.bad_nodes.add(outcome.node)
        if left.tries > self.retries:
            self.failed(left, outcome.trouble)
            return []
        logger.warning("%s: %s; retrying elsewhere", piece.name, outcome.trouble)
        return [left]

    def _again_alone(self, piece: Piece, why: str) -> list[Piece]:
        """What took others with it is found by doing each alone."""
        left = self.left(piece)
        if len(left) > 1:
            logger.warning("%s: %s; its %d parts are done one by one", piece.name, why, len(left))
            return [Piece([part], f"{piece.name}, part {at}") for at, part in enumerate(left, 1)]
        if left:
            self.failed(Piece(left, piece.name), why)
        return []

    def _where(self, piece: Piece) -> dict[str, Any]:
        """Anywhere, unless a machine has had trouble: then, if possible, on another."""
        bad = self.bad_nodes | piece.avoid
        if not bad:
            return {}
        nodes = ray.nodes()  # type: ignore[no-untyped-call,unused-ignore]
        alive = [node["NodeID"] for node in nodes if node["Alive"] and node["Resources"].get("CPU")]
        good = [node for node in alive if node not in bad]
        if not good:
            return {}
        place = good[len(self.seconds) % len(good)]
        return {"scheduling_strategy": NodeAffinitySchedulingStrategy(place, soft=True)}

    def _name_slow(self, flying: dict[Any, tuple[Piece, float]], named: set[int]) -> None:
        if len(self.seconds) < 3:
            return
        usual = statistics.median(self.seconds)
        for piece, since in flying.values():
            took = time.monotonic() - since
            # One more task may have been before it in the line.
            if took > max(SLOW * usual, SLOW_SECONDS) + usual and id(piece) not in named:
                named.add(id(piece))
                logger.warning("slow: %s has been at work for %.0f s, the others took %.1f s", piece.name, took, usual)


def slow(times: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Those that took much longer than the others, the slowest first."""
    times = list(times)
    usual = statistics.median([seconds for _, seconds in times]) if times else 0.0
    found = [(key, seconds) for key, seconds in times if seconds > max(SLOW * usual, SLOW_SECONDS)]
    return sorted(found, key=lambda one: -one[1])


def cpus() -> int:
    """Those of the cluster, which is started on this machine where there is none."""
    if not ray.is_initialized():
        ray.init(logging_level=logging.WARNING)
    resources = ray.cluster_resources()  # type: ignore[no-untyped-call,unused-ignore]
    return max(1, int(resources.get("CPU", 1)))


def grouped(parts: list[Any], size: Callable[[Any], int], count: int | None, cpus: int) -> list[list[Any]]:
    """This many in a group; if not said, eight groups for each processor, of at most 64 parts and like sizes."""
    most = count or 64
    share = 0.0 if count else sum(map(size, parts)) / (8 * cpus)
    groups: list[list[Any]] = []
    held = 0
    for part in parts:
        full = not groups or len(groups[-1]) >= most or (share and held + size(part) / 2 > share)
        if full:
            groups.append([])
            held = 0
        groups[-1].append(part)
        held += size(part)
    return groups
