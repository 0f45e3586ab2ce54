"""The smallest set of changes that still has the effect of all of them.

The algorithm is ddmin (Zeller and Hildebrandt 2002, "Simplifying and isolating failure-inducing
input"): parts of the set, then what is left without each part, in ever smaller parts.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

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
