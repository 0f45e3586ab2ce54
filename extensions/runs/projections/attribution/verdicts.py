"""Verdicts over two arms of runs: with a change, and the same without it.

Rates are compared by their intervals of 95 % (Wilson 1927, "Probable inference, the law of
succession, and statistical inference"), which hold for few runs and for rates of 0 and 1.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt
from typing import Literal, NamedTuple, TypeVar

from typing_extensions import override

FEWEST_RUNS = 4
"""Runs of each arm with which two arms can differ: 4 of 4 against 0 of 4 do, 3 of 3 do not."""
_Z = 1.959963984540054

Verdict = Literal["caused", "not_shown", "undecided"]
"""`caused`: with the change more runs pass, beyond chance; `not_shown`: not more of them do."""


class Interval(NamedTuple):
    """The bounds of a rate, from 0 to 1."""

    low: float
    high: float


class Arm(NamedTuple):
    """Runs that count, and how many of them passed."""

    passed: int
    runs: int

    @property
    def interval(self) -> Interval:
        """The interval of the rate; all of it where nothing ran."""
        if not self.runs:
            return Interval(0.0, 1.0)
        square, rate = _Z * _Z, self.passed / self.runs
        middle = rate + square / (2 * self.runs)
        spread = _Z * sqrt(rate * (1 - rate) / self.runs + square / (4 * self.runs**2))
        scale = 1 + square / self.runs
        return Interval(max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))

    @override
    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.passed} of {self.runs} passed [{low:.2f}, {high:.2f}]"


def verdict(changed: Arm, control: Arm, *, wanted: int) -> Verdict:
    """Return what two arms show; `wanted` runs of each are enough to say that nothing is shown."""
    if changed.interval.low > control.interval.high:
        return "caused"
    is_whole = min(changed.runs, control.runs) >= wanted
    if is_whole and changed.passed * control.runs <= control.passed * changed.runs:
        return "not_shown"
    return "undecided"


ItemT = TypeVar("ItemT")


def minimal_set(
    items: Sequence[ItemT], has_effect: Callable[[Sequence[ItemT]], bool]
) -> Sequence[ItemT]:
    """Return a part of `items`, which have the effect, of which no item can be left out.

    `has_effect` is asked for no set twice.
    """
    known: dict[tuple[int, ...], bool] = {}

    def holds(places: tuple[int, ...]) -> bool:
        if places not in known:
            known[places] = has_effect([items[place] for place in places])
        return known[places]

    left, parts = tuple(range(len(items))), 2
    while len(left) > 1:
        parts = min(parts, len(left))
        cuts = [len(left) * n // parts for n in range(parts + 1)]
        pieces = [left[begin:end] for begin, end in pairwise(cuts)]
        others = [tuple(place for place in left if place not in piece) for piece in pieces]
        smaller = next((piece for piece in pieces if holds(piece)), None)
        if smaller is not None:
            left, parts = smaller, 2
            continue
        smaller = next((rest for rest in others if holds(rest)), None) if parts > 2 else None  # noqa: PLR2004 - two parts are each other's rest
        if smaller is not None:
            left, parts = smaller, parts - 1
        elif parts == len(left):
            break
        else:
            parts *= 2
    return [items[place] for place in left]
