"""A matrix of many histories: a row a history, a column a step of their alignment.

Histories are merged one after another, the longest first. A step takes the column of its kind where
the order allows it, by a longest common subsequence, and else a new one: a column has steps of one
kind, and the steps of a history stand in their order.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from agentlog.projections.comparison.alignment import matched
from agentlog.projections.comparison.steps import ItemDigest

Kind = tuple[str, tuple[str, ...]]
"""The type of a step, and the tools that it calls or answers."""


@dataclass(frozen=True, slots=True)
class Column:
    """Steps of one kind: of each history that has one here, its index."""

    kind: Kind
    steps: dict[int, int] = field(default_factory=dict)


def columns(histories: Sequence[Sequence[ItemDigest]]) -> list[Column]:
    """Return the columns in which the steps of these histories stand."""
    merged: list[Column] = []
    for number in sorted(range(len(histories)), key=lambda number: -len(histories[number])):
        merged = _merge(merged, number, histories[number])
    return merged


def _merge(before: list[Column], number: int, steps: Sequence[ItemDigest]) -> list[Column]:
    kinds = [step[:2] for step in steps]
    taken = [column.kind for column in before]
    after: list[Column] = []
    for is_pair, there, here in matched(range(len(taken)), range(len(kinds)), taken, kinds):
        after += before[there.start : there.stop]
        if is_pair:
            for place, index in zip(there, here, strict=True):
                before[place].steps[number] = index
        else:
            after += [Column(kinds[index], {number: index}) for index in here]
    return after


def variants(column: Column, histories: Sequence[Sequence[ItemDigest]]) -> list[Sequence[int]]:
    """Return the histories that say the same in a column, those of most histories first."""
    same: dict[bytes, list[int]] = {}
    for number, index in sorted(column.steps.items()):
        same.setdefault(histories[number][index].digest, []).append(number)
    return sorted(same.values(), key=lambda members: -len(members))


def separation(
    ways: Sequence[Collection[int]], one: Collection[int], other: Collection[int]
) -> float | None:
    """Return how far two groups part: the greatest difference of their shares in one way.

    It is from 0 to 1; None where a group is empty.
    """
    if not one or not other:
        return None
    shares = (_share(way, one) - _share(way, other) for way in map(frozenset, ways))
    return max(map(abs, shares), default=0.0)


def _share(way: frozenset[int], group: Collection[int]) -> float:
    return sum(member in way for member in group) / len(group)
