"""The fold of views of items: what came in as items comes back as it was."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, TypeVar

from pydantic import PlainValidator
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_to_keep
from agentlog.domain.json.values import integer_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.projections.carries.persistent_list import PrintedList, print_with_lists
from agentlog.projections.context.sent import is_sent, sent_items, with_event
from agentlog.projections.residue import residue_of
from agentlog.projections.view import Item, OptionsT, Placed, View
from agentlog.projections.views.items.parts import Part, Shown, continues, joined, restored

SESSION_STARTED = "session.started"
ITEM_DELETED = "session.item_deleted"
SESSION_CLEARED = "session.cleared"


Items = Annotated[PrintedList, PlainValidator(PrintedList.of)]
"""JSON values in a carry, which keeps their numbers as they were written."""


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class ItemsCarry:
    """What later events may change. Immutable by convention.

    `parts` are the messages so far of an item of `size` messages. `items` are those of a session,
    of which any may be deleted. `history` are all events, for what was sent.
    """

    parts: Items = field(default_factory=PrintedList)
    size: int = 0
    is_session: bool = False
    items: Items = field(default_factory=PrintedList)
    history: Items = field(default_factory=PrintedList)


ItemsCarryT = TypeVar("ItemsCarryT", bound=ItemsCarry)

_NO_RESIDUE: Item = {}


class ItemsView(View[ItemsCarryT, OptionsT]):
    """Items by the templates and residues that stand under the view's name.

    After a message `session.started` items are held back, since clients may delete them: by
    `session.item_deleted` the one of an `item_id`, or the latest; by `session.cleared` all.
    """

    @abstractmethod
    def items_of(self, event: Event) -> Sequence[Item]:
        """Return the items that a message is without a template."""

    @abstractmethod
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        """Return the id of an item, and it as it is shown."""

    @override
    def start(self) -> ItemsCarryT:
        return self.carry_type()

    @override
    def fold(self, carry: ItemsCarryT, event: Event) -> tuple[ItemsCarryT, Sequence[Placed]]:
        return self.fold_all(carry, (event,))

    @override
    def fold_all(
        self, carry: ItemsCarryT, events: Iterable[Event]
    ) -> tuple[ItemsCarryT, Sequence[Placed]]:
        now, settled = replace(carry), list[Placed]()
        for event in events:
            settled += self.take(now, event)
        return now, settled

    def take(self, now: ItemsCarryT, event: Event) -> Sequence[Placed]:
        """Add an event to a carry of the caller's own; return the items that it settles."""
        if self._is_sent:
            now.history = with_event(now.history, event)
            return ()
        residue = object_of(residue_of(event, self.name, 0)) if event.metadata else _NO_RESIDUE
        shown: list[Shown] = []
        if now.parts and not continues(now.parts.size, event, residue):
            shown += _alone(now.parts)
            now.parts = PrintedList()
        if not now.parts:
            now.size = (integer_at(residue, "messages") or 1) if residue else 1
        own = self._items_of(event, residue if now.size == 1 else {})
        if now.size > 1:
            part = Part(event.message_id, event.version, object_of(event.raw), residue, own)
            now.parts = now.parts.append(part.text)
            if now.parts.size == now.size:
                shown += self._join(list(map(Part.of, now.parts)))
                now.parts = PrintedList()
        else:
            shown += own
        if not now.parts:
            now.size = 0
        settled = _add(now, shown)
        if type(event.message) is CustomMessage:
            _follow(now, event.message)
        return settled

    @override
    def rest(self, carry: ItemsCarryT) -> Sequence[Placed]:
        if self._is_sent:
            return sent_items(self, carry.history)
        return [shown.placed for shown in (*map(Shown.of, carry.items), *_alone(carry.parts))]

    @override
    def dump(self, carry: ItemsCarryT) -> bytes:
        return print_with_lists(carry)

    _is_sent = cached_property(is_sent)

    def _items_of(self, event: Event, residue: Item) -> list[Shown]:
        """Return the items that a message is by itself."""
        items = list(self.items_of(event))
        if residue:
            items = restored(items, event, residue)
        return [self._at(event.message_id, event.version, n, item) for n, item in enumerate(items)]

    def _join(self, parts: Sequence[Part]) -> list[Shown]:
        """Return the item of several messages, which stands in the place of the first."""
        item, first = joined(parts), parts[0]
        if item is None:
            return [shown for part in parts for shown in part.shown]
        return [self._at(first.message_id, first.version, 0, item)]

    def _at(self, message_id: str, version: int, ordinal: int, item: Item) -> Shown:
        item_id, shown = self.shown(item, message_id, ordinal)
        return Shown(item_id, Placed(version, ordinal, shown))


def _alone(parts: PrintedList) -> list[Shown]:
    return [shown for part in map(Part.of, parts) for shown in part.shown]


def _add(now: ItemsCarry, shown: Sequence[Shown]) -> Sequence[Placed]:
    """Add items; return those that are settled."""
    if not now.is_session:
        return [placed for _, placed in shown]
    for item in shown:
        now.items = now.items.append(print_to_keep(item.json))
    return ()


def _follow(now: ItemsCarry, message: CustomMessage) -> None:
    """Do what a client did to a session."""
    if message.type == SESSION_STARTED:
        now.is_session = True
    elif message.type == SESSION_CLEARED:
        now.items = PrintedList()
    elif message.type == ITEM_DELETED and now.items:
        item_id = text_at(object_of(message.payload), "item_id")
        last, others = now.items.pop()
        if item_id not in (None, Shown.of(last).id):
            others = _without(now.items, item_id)
        now.items = others


def _without(items: PrintedList, item_id: str) -> PrintedList:
    """Return items without the latest of an id."""
    values = list(items)
    places = [n for n, value in enumerate(values) if Shown.of(value).id == item_id]
    if not places:
        return items
    del values[places[-1]]
    return PrintedList.of(values)
