"""What grows in a carry, told apart from the rest, so that keeping many carries keeps it once.

The lists of a carry (`Chunks`, among its own fields) get longer with the thread. A kept carry has
them taken out; beside it stands how they grew since the one kept before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from domain.json_text import JsonValue
from projections.persistent import Chunks

CarryT = TypeVar("CarryT")


@dataclass(frozen=True, slots=True)
class Growth:
    """How a list came from an earlier one: of that the first `kept`, all or none, then `added`."""

    kept: int
    added: tuple[JsonValue, ...]


def without_lists(carry: CarryT) -> CarryT:
    """Return the carry with its lists empty."""
    lists = _lists_of(carry)
    if not lists:
        return carry
    # replace() asks for a dataclass, which whatever has lists is
    return replace(carry, **dict.fromkeys(lists, Chunks()))  # type: ignore[type-var]


def growth(earlier: object, later: object) -> dict[str, Growth] | None:
    """Return how the lists of `later` came from those of `earlier`; None where all are empty."""
    before, after = _lists_of(earlier), _lists_of(later)
    if not any(after.values()):
        return None
    return {name: Growth(*items.beyond(before[name])) for name, items in after.items()}


def with_lists(carry: dict[str, JsonValue], lists: Mapping[str, list[JsonValue]]) -> JsonValue:
    """Return the JSON of a carry without lists with these put in."""
    chunks = {name: Chunks.of(items) for name, items in lists.items()}
    return {
        **carry,
        **{name: {"full": each.full, "tail": each.tail} for name, each in chunks.items()},
    }


def _lists_of(carry: object) -> dict[str, Chunks[Any]]:
    if not is_dataclass(carry):
        return {}
    values = {each.name: getattr(carry, each.name) for each in fields(carry)}
    return {name: value for name, value in values.items() if isinstance(value, Chunks)}
