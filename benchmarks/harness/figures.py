"""Figures: samples of a few runs, what they come to, and what stands beside what."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Literal

Role = Literal["agentlog", "floor", "peer"]

_ENOUGH_FOR_P99 = 100


@dataclass(slots=True)
class Figure:
    """What one thing took; `runs` holds a list of seconds for each run of the benchmark.

    `limit` is what it must stay under, in seconds: its median for an import, its p99 for a read.
    """

    what: str
    role: Role
    limit: float | None = None
    runs: list[list[float]] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Seconds: the median over runs of each run's median."""
        return median(self._medians)

    @property
    def spread(self) -> tuple[float, float]:
        """Seconds: the medians of the quickest and of the slowest run."""
        return min(self._medians), max(self._medians)

    @property
    def p99(self) -> float | None:
        """Seconds: of all samples together; None where these are too few to say."""
        samples = [sample for run in self.runs for sample in run]
        return quantiles(samples, n=100)[-1] if len(samples) >= _ENOUGH_FOR_P99 else None

    @property
    def _medians(self) -> list[float]:
        return [median(run) for run in self.runs]


@dataclass(slots=True)
class Case:
    """Figures that were taken in turn, in one run, and may be compared."""

    title: str
    about: str
    figures: list[Figure]

    @property
    def floor(self) -> Figure:
        """The first floor, which the others are multiples of."""
        return next(figure for figure in self.figures if figure.role == "floor")


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Add the seconds that the block takes to a run."""
    began = time.perf_counter()
    yield
    into.append(time.perf_counter() - began)


def sample_in_turn(
    actions: Iterable[tuple[Figure, Callable[[], object]]], *, times: int, warmups: int = 3
) -> None:
    """Add a run to each figure: the actions take turns, so a busy moment strikes them all."""
    pairs: Sequence[tuple[Figure, Callable[[], object]]] = list(actions)
    for _, action in pairs:
        for _ in range(warmups):
            action()
    runs: list[list[float]] = [[] for _ in pairs]
    for _ in range(times):
        for (_, action), run in zip(pairs, runs, strict=True):
            with timed(run):
                action()
    for (figure, _), run in zip(pairs, runs, strict=True):
        figure.runs.append(run)
