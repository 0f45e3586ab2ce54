"""What grows in a carry, told apart from the rest, so that keeping many carries keeps it once.

The lists of a carry (`PrintedList`, among its own fields) get longer with the thread. A kept carry
has them taken out; beside it stands how they grew since the one kept before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar

from domain.json.printed import Text
from projections.persistent_list import PrintedList

CarryT = TypeVar("CarryT")


@dataclass(frozen=True, slots=True)
class Growth:
    """How a list came from an earlier one: of that the first `kept`, all or none, then `added`.

    `added` are `count` items as JSON, with commas between them.
    """

    kept: int
    count: int
    added: Text


def without_lists(carry: CarryT) -> CarryT:
    """Return the carry with its lists empty."""
    return with_lists(carry, dict.fromkeys(_lists_of(carry), PrintedList()))


def growth(earlier: object, later: object) -> dict[str, Growth] | None:
    """Return how the lists of `later` came from those of `earlier`; None where all are empty."""
    before, after = _lists_of(earlier), _lists_of(later)
    if not any(after.values()):
        return None
    found: dict[str, Growth] = {}
    for name, items in after.items():
        kept, added = items.beyond(before[name])
        found[name] = Growth(kept, items.size - kept, added)
    return found


def grown(items: PrintedList, by: Growth) -> PrintedList:
    """Return a list one step on; raises `ValueError` where the step does not begin at its end."""
    if by.kept not in {0, items.size}:
        raise ValueError(f"there are {items.size} items, not {by.kept}")
    before = items if by.kept else PrintedList()
    return before.extend(by.count, by.added) if by.count else before


def with_lists(carry: CarryT, lists: Mapping[str, PrintedList]) -> CarryT:
    """Return the carry with these lists; raises `ValueError` where it has none of that name."""
    if not lists:
        return carry
    if not lists.keys() <= _lists_of(carry).keys():
        raise ValueError(f"no lists of {type(carry).__name__}: {', '.join(lists)}")
    # replace() asks for a dataclass, which whatever has lists is
    return replace(carry, **lists)  # type: ignore[type-var]


def _lists_of(carry: object) -> dict[str, PrintedList]:
    if not is_dataclass(carry):
        return {}
    values = {each.name: getattr(carry, each.name) for each in fields(carry)}
    return {name: value for name, value in values.items() if isinstance(value, PrintedList)}
