"""Work of threads in a tree of workers: of each alone, and of it with all that work for it."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Annotated, Any

from pydantic import Field

from agentlog.domain.json.answers import answer


@answer
@dataclass(frozen=True, slots=True)
class ThreadWork:
    """What a thread did, or it and all that work for it. A sum is null where none reports it."""

    threads: int
    failed: Annotated[int, Field(description="Threads whose verdict is failed.")]
    tool_calls: int
    failures: Annotated[int, Field(description="What failed on record.")]
    told: Annotated[int, Field(description="What only its own words tell of.")]
    suspected: Annotated[int, Field(description="What only a rule suspects.")]
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int

    def plus(self, other: "ThreadWork") -> "ThreadWork":
        """Return the work of both."""
        return ThreadWork(*map(_sum, astuple(self), astuple(other)))


NONE = ThreadWork(0, 0, 0, 0, 0, 0, None, None, 0, 0)


def with_workers(tree: Sequence[tuple[int, ThreadWork]]) -> list[ThreadWork]:
    """Return of each thread the work of it and of all below it.

    The tree has each thread before its workers, with its depth from 0.
    """
    wholes: list[ThreadWork] = []
    below: dict[int, ThreadWork] = {}
    for depth, own in reversed(tree):
        whole = own.plus(below.pop(depth + 1, NONE))
        below[depth] = below.get(depth, NONE).plus(whole)
        wholes.append(whole)
    return wholes[::-1]


def _sum(one: Any, other: Any) -> Any:  # noqa: ANN401 - counts, and figures that may be unknown
    if one is None:
        return other
    return one if other is None else one + other
