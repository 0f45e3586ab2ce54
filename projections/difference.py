"""What changed in a view between two points of a history."""

from collections.abc import Sequence
from dataclasses import dataclass

import jsonpatch

from domain.json_text import JsonValue, print_bytes
from projections.view import Item, Placed


@dataclass(frozen=True, slots=True)
class Changed:
    """An item that stands at both points, but reads differently."""

    place: str
    before: Item
    after: Item


@dataclass(frozen=True, slots=True)
class ItemsDifference:
    """What one list of items has that the other has not; places are `version.ordinal`."""

    added: Sequence[Placed]
    changed: Sequence[Changed]
    removed: Sequence[Placed]


def items_difference(before: Sequence[Placed], after: Sequence[Placed]) -> ItemsDifference:
    """Return what leads from the items at one point to the items at another."""
    old = {placed.key: placed for placed in before}
    new = {placed.key: placed for placed in after}
    return ItemsDifference(
        added=[placed for key, placed in new.items() if key not in old],
        changed=[
            Changed(key, old[key].item, placed.item)
            for key, placed in new.items()
            if key in old and _printed(old[key].item) != _printed(placed.item)
        ],
        removed=[placed for key, placed in old.items() if key not in new],
    )


def state_difference(before: Item, after: Item) -> list[JsonValue]:
    """Return the JSON Patch (RFC 6902) that turns one state into another."""
    return list(jsonpatch.make_patch(before, after).patch)


def _printed(item: Item) -> bytes:
    return print_bytes(item)
