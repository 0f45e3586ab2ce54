"""Interface of views: a pure fold `(carry, event) → (carry, items)`.

One fold serves a read, time travel, a page and a live stream: resuming from any carry equals a
replay from the start, and a carry survives JSON.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from agentlog.domain.events import Event, read_messages
from agentlog.domain.json.text import parse_stored, print_bytes, print_to_keep
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of

Item = JsonObject
Framing = Literal["standard", "letta", "maria"]
CarryT = TypeVar("CarryT")


Place = tuple[int, int]
"""Place of an item: its version, and its ordinal among that version's items."""

BEFORE_ALL: Place = (0, -1)
"""The place before all items."""


class Placed(NamedTuple):
    """An item of a view, and its place: its version, and its ordinal among that version's items."""

    version: int
    ordinal: int
    item: Item

    @property
    def key(self) -> str:
        """The place as text, `version.ordinal`."""
        return f"{self.version}.{self.ordinal}"


class Printed(NamedTuple):
    """An item as JSON, at its place; takes a tenth of the memory of the item's objects."""

    version: int
    ordinal: int
    text: bytes

    @property
    def key(self) -> str:
        """The place as text, `version.ordinal`."""
        return f"{self.version}.{self.ordinal}"

    @property
    def item(self) -> Item:
        """The item, parsed from its JSON."""
        return object_of(parse_stored(self.text))


def print_items(items: Iterable[Placed | Printed]) -> list[Printed]:
    """Return items as JSON, each at its place."""
    return [
        item if type(item) is Printed else Printed(item[0], item[1], print_to_keep(item[2]))
        for item in items
    ]


class FollowPolicy(NamedTuple):
    """How clients follow a view as server-sent events.

    `options` are the view's unless the client asks for others. `framing` names the wire of its
    frames. `is_patient`: an item is sent once no later event can change it. `resumes`: a client
    goes on from `Last-Event-ID`; else each connection gets the whole history.
    """

    options: Mapping[str, str] = MappingProxyType({})
    framing: Framing = "standard"
    is_patient: bool = False
    resumes: bool = True


class Options(BaseModel):
    """What a reader may ask of a view; every value also comes as text, out of a URL."""

    model_config = ConfigDict(frozen=True, extra="forbid")


OptionsT = TypeVar("OptionsT", bound=Options)


class View(ABC, Generic[CarryT, OptionsT]):
    """A view with its options chosen."""

    name: ClassVar[str]
    """Its name in the registry and in URLs."""

    carry_format: ClassVar[int] = 1
    """Raise it when a carry changes its shape or meaning: stored carries are then rebuilt."""

    follow: ClassVar[FollowPolicy] = FollowPolicy()
    """How its clients follow it."""

    reads_long_texts: ClassVar[bool] = True
    """Whether it reads long contents; else it shows the same where it gets their beginnings."""

    options_type: type[OptionsT]
    carry_type: type[CarryT]

    def __init__(self, options: OptionsT | None = None) -> None:
        self.options = self.options_type() if options is None else options

    @property
    def begins_anywhere(self) -> bool:
        """Whether it carries nothing, so that a fold may begin at any event."""
        return self.carry_type is type(None)

    @abstractmethod
    def start(self) -> CarryT:
        """Return the carry before the first event."""

    @abstractmethod
    def fold(self, carry: CarryT, event: Event) -> tuple[CarryT, Sequence[Placed]]:
        """Return the carry after `event`, and the items that it settles.

        Items are in the order of their places. Never fails, for any event.
        """

    def fold_all(self, carry: CarryT, events: Iterable[Event]) -> tuple[CarryT, Sequence[Placed]]:
        """Return the carry after all events, and the items that they settle, as `fold` does."""
        settled: list[Placed] = []
        for event in events:
            carry, items = self.fold(carry, event)
            settled += items
        return carry, settled

    def fold_to_print(
        self, carry: CarryT, events: Iterable[Event]
    ) -> tuple[CarryT, Sequence[Placed | Printed]]:
        """Return what `fold_all` returns; items may be printed already."""
        return self.fold_all(carry, events)

    def read_ahead(self, events: Sequence[Event]) -> None:
        """Parse the events ahead of the fold: faster in batches."""
        read_messages(events)

    def rest(self, carry: CarryT) -> Sequence[Placed]:
        """Return the current items that a later event may still change."""
        del carry
        return ()

    def followed(self) -> "View[Any, Any]":
        """Return the view that followers are sent: itself, unless their wire has more items."""
        return self

    def ended(self, carry: CarryT) -> CarryT:
        """Return the carry where a stream ends; `rest` then has what is left to send."""
        return carry

    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        """Return what an item says, for a comparison with another history.

        `calls` has the calls of the items before, and gets those of this item. Never fails.
        """
        del calls
        return ItemContent(str(item.get("type")), content_of(item, {"type", "id", "timestamp"}))

    def dump(self, carry: CarryT) -> bytes:
        """Return the carry as JSON, for `load`."""
        return print_bytes(carry)

    def load(self, text: bytes) -> CarryT:
        """Return the carry that `dump` wrote."""
        return self.carry_of(parse_stored(text))

    def carry_of(self, value: JsonValue) -> CarryT:
        """Return the carry for a JSON value; raises `ValueError` where it is invalid."""
        return self._adapter.validate_python(value)

    @cached_property
    def _adapter(self) -> TypeAdapter[CarryT]:
        return TypeAdapter(self.carry_type)


class StateView(View[CarryT, OptionsT]):
    """A view that is one state rather than a list of items."""

    is_document: ClassVar[bool] = False
    """Whether the state is a document of another program, which an export writes as it is."""

    @abstractmethod
    def state(self, carry: CarryT) -> Item:
        """Return the state of a carry."""

    def printable(self, carry: CarryT, members: Collection[str] | None = None) -> object:
        """Return the state, or only these members, for printing only.

        Parts already printed are not parsed.
        """
        state = self.state(carry)
        if members is None:
            return state
        return {name: value for name, value in state.items() if name in members}

    @abstractmethod
    def patch(self, before: CarryT, after: CarryT) -> list[JsonValue]:
        """Return the JSON Patch (RFC 6902) from the state of one carry to that of a later one."""


@dataclass(frozen=True, slots=True)
class Rendering(Generic[CarryT]):
    """The result of a fold: settled items, then those that may still change."""

    carry: CarryT
    settled: Sequence[Placed]
    rest: Sequence[Placed]

    @property
    def items(self) -> Sequence[Placed]:
        """All items, settled or not."""
        return [*self.settled, *self.rest]


def render(
    view: View[CarryT, OptionsT], events: Iterable[Event], carry: CarryT | None = None
) -> Rendering[CarryT]:
    """Fold `events` with `view`, from the start or from a carry."""
    at, settled = view.fold_all(view.start() if carry is None else carry, events)
    return Rendering(at, settled, view.rest(at))
