"""The fold of the view `responses`: what came in as items comes back as it was."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

from pydantic import PlainValidator
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes, print_to_keep
from agentlog.domain.json.values import integer_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.persistent_list import PrintedList
from agentlog.projections.residue import residue_of
from agentlog.projections.view import Item, Options, Placed, View
from agentlog.projections.views.responses.complete import completed, id_of
from agentlog.projections.views.responses.items import WIRE, items_of, said_by
from agentlog.projections.views.responses.parts import Part, Shown, continues, joined, restored

SESSION_STARTED = "session.started"
ITEM_DELETED = "session.item_deleted"
SESSION_CLEARED = "session.cleared"


class ResponsesOptions(Options):
    """How to show items.

    `complete`: with all that OpenAI's API returns: type, id, status, contents as parts. Without it
    items are as they came in, and those of other messages have no id.
    """

    complete: bool = False


_List = Annotated[PrintedList, PlainValidator(PrintedList.of)]


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class ResponsesCarry:
    """What later events may change. Immutable by convention.

    `parts` are the messages so far of an item of `size` messages. `items` are those of a session,
    of which any may be deleted.
    """

    parts: _List = field(default_factory=PrintedList)
    size: int = 0
    is_session: bool = False
    items: _List = field(default_factory=PrintedList)


_NOTHING = ResponsesCarry()


class ResponsesView(View[ResponsesCarry, ResponsesOptions]):
    """Items of the Responses and Conversations APIs.

    After a message `session.started` items are held back, since clients may delete them: by
    `session.item_deleted` the one of an `item_id`, or the latest; by `session.cleared` all.
    """

    name: ClassVar[str] = WIRE
    options_type = ResponsesOptions
    carry_type = ResponsesCarry

    @override
    def start(self) -> ResponsesCarry:
        return _NOTHING

    @override
    def fold(self, carry: ResponsesCarry, event: Event) -> tuple[ResponsesCarry, Sequence[Placed]]:
        residue = object_of(residue_of(event, WIRE, 0)) if event.metadata else {}
        shown: list[Shown] = []
        size, parts = carry.size, carry.parts
        if parts and not continues(parts.size, event, residue):
            shown += _alone(parts)
            parts = PrintedList()
        if not parts:
            size = integer_at(residue, "messages") or 1
        own = self._shown(event, residue if size == 1 else {})
        if size > 1:
            part = Part(event.message_id, event.version, object_of(event.raw), residue, own)
            parts = parts.append(part.text)
            if parts.size == size:
                shown += self._joined(list(map(Part.of, parts)))
                parts = PrintedList()
        else:
            shown += own
        if parts or carry.parts:
            carry = replace(carry, parts=parts, size=size)
        carry, settled = _with(carry, shown)
        if type(event.message) is CustomMessage:
            carry = _after(carry, event.message)
        return carry, settled

    @override
    def rest(self, carry: ResponsesCarry) -> Sequence[Placed]:
        return [shown.placed for shown in (*map(Shown.of, carry.items), *_alone(carry.parts))]

    @override
    def dump(self, carry: ResponsesCarry) -> bytes:
        lists = {"parts": carry.parts.json, "items": carry.items.json}
        return print_bytes({"size": carry.size, "is_session": carry.is_session, **lists})

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(item, calls)

    def _shown(self, event: Event, residue: Item) -> list[Shown]:
        """Return the items that a message is by itself."""
        items = list(items_of(event))
        if residue:
            items = restored(items, event, residue)
        return [self._at(event.message_id, event.version, n, item) for n, item in enumerate(items)]

    def _joined(self, parts: Sequence[Part]) -> list[Shown]:
        """Return the item of several messages, which stands in the place of the first."""
        item, first = joined(parts), parts[0]
        if item is None:
            return [shown for part in parts for shown in part.shown]
        return [self._at(first.message_id, first.version, 0, item)]

    def _at(self, message_id: str, version: int, ordinal: int, item: Item) -> Shown:
        item_id = id_of(item, message_id, ordinal)
        shown = completed(item, item_id) if self.options.complete else item
        return Shown(item_id, Placed(version, ordinal, shown))


def _alone(parts: PrintedList) -> list[Shown]:
    return [shown for part in map(Part.of, parts) for shown in part.shown]


def _with(carry: ResponsesCarry, shown: Sequence[Shown]) -> tuple[ResponsesCarry, Sequence[Placed]]:
    """Return the carry with these items, and those that are settled."""
    if not carry.is_session:
        return carry, [placed for _, placed in shown]
    items = carry.items
    for item in shown:
        items = items.append(print_to_keep(item.json))
    return replace(carry, items=items), ()


def _after(carry: ResponsesCarry, message: CustomMessage) -> ResponsesCarry:
    """Return the carry after what a client did to a session."""
    if message.type == SESSION_STARTED:
        return replace(carry, is_session=True)
    if message.type == SESSION_CLEARED:
        return replace(carry, items=PrintedList())
    if message.type == ITEM_DELETED and carry.items:
        item_id = text_at(object_of(message.payload), "item_id")
        last, others = carry.items.pop()
        if item_id not in (None, Shown.of(last).id):
            others = _without(carry.items, item_id)
        return replace(carry, items=others)
    return carry


def _without(items: PrintedList, item_id: str) -> PrintedList:
    """Return items without the latest of an id."""
    values = list(items)
    places = [n for n, value in enumerate(values) if Shown.of(value).id == item_id]
    if not places:
        return items
    del values[places[-1]]
    return PrintedList.of(values)
