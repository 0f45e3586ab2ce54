"""What reads of views come to."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.json_text import JsonValue
from projections.difference import ItemsDifference
from projections.view import Item, Placed


@dataclass(frozen=True, slots=True)
class Page:
    """A view's items at one point of a history; `next` is the cursor of the page after, if any.

    Items may be shared with other readers of the view: they are not to be changed.
    """

    thread_id: str
    version: int
    position: int | None
    items: Sequence[Placed]
    next: str | None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one point of a history."""

    thread_id: str
    version: int
    position: int | None
    state: Item


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two versions: items for most views, a JSON Patch for a state."""

    thread_id: str
    from_version: int
    to_version: int
    items: ItemsDifference | None
    patch: Sequence[JsonValue] | None
