"""Partings: where many histories, aligned from their beginning, go different ways.

They form a prefix tree; it is listed flat, since a chain of partings may be as long as the number
of histories.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from agentlog.projections.comparison.alignment import common_prefix


@dataclass(frozen=True, slots=True)
class Branch:
    """Histories that do the same after a parting; where `ended`, they do nothing more."""

    members: Sequence[int]
    ended: bool


@dataclass(frozen=True, slots=True)
class Parting:
    """Histories whose first `equal` steps are equal, and which differ in the next.

    The branches are in the order of their first members.
    """

    equal: int
    branches: Sequence[Branch]


def partings(histories: Sequence[Sequence[Hashable]]) -> list[Parting]:
    """Return all partings of these histories, the earliest first; none where all are equal."""
    parted: list[Parting] = []
    together = [(0, list(range(len(histories))))] if histories else []
    while together:
        begin, members = together.pop()
        equal = _equal_steps(histories, members, begin)
        if equal is None:
            continue
        ways: dict[Hashable, list[int]] = {}
        for member in members:
            history = histories[member]
            ways.setdefault(history[equal] if equal < len(history) else _ENDED, []).append(member)
        branches = [Branch(taken, way is _ENDED) for way, taken in ways.items()]
        parted.append(Parting(equal, branches))
        together += [(equal + 1, taken) for way, taken in ways.items() if way is not _ENDED]
    return sorted(parted, key=lambda parting: (parting.equal, parting.branches[0].members[0]))


_ENDED = object()


def _equal_steps(
    histories: Sequence[Sequence[Hashable]], members: Sequence[int], begin: int
) -> int | None:
    """Return how many first steps are equal, at least `begin`; None where the members are."""
    first = histories[members[0]]
    rest = [histories[member] for member in members[1:]]
    if all(step == first for step in rest):
        return None
    return begin + min(common_prefix(first[begin:], step[begin:]) for step in rest)
