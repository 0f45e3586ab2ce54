"""Results of reading views."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.lazy import lazy_imports
from agentlog.projections.difference import ItemsDifference
from agentlog.projections.view import Item, Printed

with lazy_imports():
    from agentlog.projections.context import context
    from agentlog.projections.outline import groups, step


@dataclass(frozen=True, slots=True)
class Page:
    """A view's items at one version; `next` is the cursor of the next page, if there is one.

    `context` is what a model was sent, of a view that shows it.
    """

    thread_id: str
    version: int
    position: int | None
    items: Sequence[Printed]
    next: str | None
    context: "context.Context | None" = None


@dataclass(frozen=True, slots=True)
class State:
    """A state at one version; `printable` is opaque and can only be serialised."""

    thread_id: str
    version: int
    position: int | None
    printable: object

    @property
    def state(self) -> Item:
        """The state itself."""
        return object_of(parse_stored(print_bytes(self.printable)))


@dataclass(frozen=True, slots=True)
class Outline:
    """The steps of a thread up to one version, and the groups of its events."""

    thread_id: str
    version: int
    position: int | None
    steps: "Sequence[step.Step]"
    groups: "Sequence[groups.Group]"


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two versions: items for most views, a JSON Patch for a state."""

    thread_id: str
    from_version: int
    to_version: int
    items: ItemsDifference | None
    patch: Sequence[JsonValue] | None
