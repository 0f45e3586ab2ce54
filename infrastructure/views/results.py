"""What reads of views come to."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.json.text import JsonValue, parse_stored, print_bytes
from projections.difference import ItemsDifference
from projections.view import Item, Printed


@dataclass(frozen=True, slots=True)
class Page:
    """A view's items at one point of a history; `next` is the cursor of the page after, if any."""

    thread_id: str
    version: int
    position: int | None
    items: Sequence[Printed]
    next: str | None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one point of a history; `printable` prints as it, and is good for nothing else."""

    thread_id: str
    version: int
    position: int | None
    printable: JsonValue

    @property
    def state(self) -> Item:
        """The state itself."""
        return dict(parse_stored(print_bytes(self.printable)))


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two versions: items for most views, a JSON Patch for a state."""

    thread_id: str
    from_version: int
    to_version: int
    items: ItemsDifference | None
    patch: Sequence[JsonValue] | None
