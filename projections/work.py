"""Work of threads in a tree of workers: of each alone, and of it with all that work for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Work:
    """What some threads did. A sum is None where none of them reports it.

    `failed` counts threads that failed; `failures`, `told` and `suspected` are of what they did, as
    `outcomes.words` says.
    """

    threads: int = 0
    failed: int = 0
    tool_calls: int = 0
    failures: int = 0
    told: int = 0
    suspected: int = 0
    total_tokens: int | None = None
    cost_usd: float | None = None
    computed_calls: int = 0
    unpriced_calls: int = 0

    def plus(self, other: "Work") -> "Work":
        """Return the work of both."""
        return Work(
            threads=self.threads + other.threads,
            failed=self.failed + other.failed,
            tool_calls=self.tool_calls + other.tool_calls,
            failures=self.failures + other.failures,
            told=self.told + other.told,
            suspected=self.suspected + other.suspected,
            total_tokens=_sum(self.total_tokens, other.total_tokens),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
            computed_calls=self.computed_calls + other.computed_calls,
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
        )


NONE = Work()


def with_workers(tree: Sequence[tuple[int, Work]]) -> list[Work]:
    """Return of each thread the work of it and of all below it.

    The tree has each thread before its workers, with its depth from 0.
    """
    wholes: list[Work] = []
    below: dict[int, Work] = {}
    for depth, own in reversed(tree):
        whole = own.plus(below.pop(depth + 1, NONE))
        below[depth] = below.get(depth, NONE).plus(whole)
        wholes.append(whole)
    return wholes[::-1]


def _sum(one: Number | None, other: Number | None) -> Number | None:
    if one is None:
        return other
    return one if other is None else one + other
