"""Differences of a view between two points of a history."""

from collections.abc import Sequence
from dataclasses import dataclass

import jsonpatch

from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import Item, Printed


@dataclass(frozen=True, slots=True)
class Changed:
    """An item that both points have at one place, with different contents."""

    before: Printed
    after: Printed


@dataclass(frozen=True, slots=True)
class ItemsDifference:
    """Items added, removed and changed; places are `version.ordinal`."""

    added: Sequence[Printed]
    changed: Sequence[Changed]
    removed: Sequence[Printed]


def items_difference(before: Sequence[Printed], after: Sequence[Printed]) -> ItemsDifference:
    """Return the difference from the items at one point to those at another."""
    old = {item.key: item for item in before}
    new = {item.key: item for item in after}
    return ItemsDifference(
        added=[item for key, item in new.items() if key not in old],
        changed=[
            Changed(old[key], item)
            for key, item in new.items()
            if key in old and old[key].text != item.text
        ],
        removed=[item for key, item in old.items() if key not in new],
    )


def state_difference(before: Item, after: Item) -> list[JsonValue]:
    """Return the JSON Patch (RFC 6902) that turns one state into another."""
    return list(jsonpatch.make_patch(before, after).patch)
