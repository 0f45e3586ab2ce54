"""Stores the growing lists of carries incrementally, so that many carries share them.

The lists of a carry (`PrintedList`, among its own fields) grow with the thread. A stored carry has
them empty; their growth since the previous stored carry is stored beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar

from agentlog.domain.json.printed import Text
from agentlog.projections.carries.persistent_list import PrintedList

CarryT = TypeVar("CarryT")


@dataclass(frozen=True, slots=True)
class Growth:
    """How a list follows from an earlier one: its first `kept` items, all or none, then `added`.

    `added` are `count` items as JSON, with commas between them.
    """

    kept: int
    count: int
    added: Text


def without_lists(carry: CarryT) -> CarryT:
    """Return the carry with its lists empty."""
    return with_lists(carry, dict.fromkeys(_lists_of(carry), PrintedList()))


def growth(earlier: object, later: object) -> dict[str, Growth] | None:
    """Return the growth of the lists from `earlier` to `later`; None where all are empty."""
    before, after = _lists_of(earlier), _lists_of(later)
    if not any(after.values()):
        return None
    growths: dict[str, Growth] = {}
    for name, items in after.items():
        kept, added = items.beyond(before[name])
        growths[name] = Growth(kept, items.size - kept, added)
    return growths


def grown(items: PrintedList, by: Growth) -> PrintedList:
    """Return a list after one step of growth; raises `ValueError` where it does not fit."""
    if by.kept not in {0, items.size}:
        raise ValueError(f"there are {items.size} items, not {by.kept}")
    before = items if by.kept else PrintedList()
    return before.extend(by.count, by.added) if by.count else before


def with_lists(carry: CarryT, lists: Mapping[str, PrintedList]) -> CarryT:
    """Return the carry with these lists; raises `ValueError` for an unknown name."""
    if not lists:
        return carry
    if not lists.keys() <= _lists_of(carry).keys():
        raise ValueError(f"no lists of {type(carry).__name__}: {', '.join(lists)}")
    # replace() needs a dataclass: every carry with lists is one
    return replace(carry, **lists)  # type: ignore[type-var]


def _lists_of(carry: object) -> dict[str, PrintedList]:
    if not is_dataclass(carry):
        return {}
    values = {field.name: getattr(carry, field.name) for field in fields(carry)}
    return {name: value for name, value in values.items() if isinstance(value, PrintedList)}
