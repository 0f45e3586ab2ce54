"""Work of threads in a tree of workers: of each alone, and of it with all that work for it."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any


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
        return Work(*map(_sum, astuple(self), astuple(other)))


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


def _sum(one: Any, other: Any) -> Any:  # noqa: ANN401 - counts, and figures that may be unknown
    if one is None:
        return other
    return one if other is None else one + other
