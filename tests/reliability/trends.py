"""Whether what was measured over time stays as it is: medians of thirds, and a slope."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import linear_regression, median

from typing_extensions import override

Sample = tuple[float, float]
"""A time in seconds, and what was measured then."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Medians of the three thirds of the time, and how much it grew an hour in the last two."""

    thirds: tuple[float, float, float]
    slope: float
    count: int

    def grew(self, *, times: float, beyond: float) -> bool:
        """Return whether the last third is above the second by a factor and some more."""
        return self.thirds[2] > self.thirds[1] * times + beyond

    @override
    def __str__(self) -> str:
        return " / ".join(f"{third:.1f}" for third in self.thirds)


def trend_of(samples: Sequence[Sample], *, since: float, until: float) -> Trend:
    """Return the trend of samples between two times; there are some in each third."""
    step = (until - since) / 3
    edges = [since + step * number for number in range(4)]
    parts = [[v for t, v in samples if low <= t < high] for low, high in pairwise(edges)]
    first, second, third = (median(part) for part in parts)
    settled = [(t, v) for t, v in samples if t >= edges[1]]
    slope = linear_regression(*zip(*settled, strict=True)).slope * 3600
    return Trend((first, second, third), slope, len(samples))
