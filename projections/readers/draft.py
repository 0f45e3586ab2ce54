"""Drafts: messages read from wire items, not yet in a log."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from agentlog.domain.catalogue import validate_message
from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.events import Event, with_message
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.projections.item_template import templates_of
from agentlog.projections.registry import AnyView
from agentlog.projections.residue import METADATA_KEY, residue, residue_of
from agentlog.projections.view import Item, render

Draft = dict[str, JsonValue]
"""A message as JSON: `type` and its fields; `id`, `timestamp` and `metadata` where known."""

ReadItem = Callable[[Item, int], Sequence[Draft]]
"""Turns the item at an index of its history into messages; raises `InvalidMessage`."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """Something that was kept, but that its reader does not know.

    `place` is its path in the document (`[3].content[0]`), `what` tells its kind
    (`field 'foo'`, `block 'server_tool_use'`).
    """

    place: str
    what: str

    @property
    def reason(self) -> str:
        """What reports and answers say of it."""
        return f"{self.what} is not known"


UNNAMED_RESPONSE = "import-"
"""Begins the `responseId` of messages whose source does not name the model's response."""

SAMPLE_ID = "00000000000000000000000000"
_SAMPLE_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one wire format item by item, so that errors name the item's place.

    `begin` returns what reads the items of one history, in their order. `view` is the view of the
    same format, used to compare every draft with its source; None where items are messages already,
    of which an append loses nothing. `is_plain` returns whether an item is valid and surely
    restored by `view`, which skips the comparison (10x faster). `unknown` yields what the reader
    does not know in any other item and its drafts: the place in the item, empty for all of it, and
    what it is.
    """

    name: str
    begin: Callable[[], ReadItem]
    view: AnyView | None
    is_plain: Callable[[Item], bool] = lambda _: False
    unknown: Callable[[Item, Sequence[Draft]], Iterable[tuple[str, str]]] = lambda *_: ()

    def read(
        self, items: Iterable[JsonValue], unmapped: list[Unmapped] | None = None
    ) -> Iterator[Draft]:
        """Yield the messages of a history; `view` renders them as `items` again.

        What the reader does not know, and keeps as residue, is added to `unmapped`.

        Raises:
            InvalidMessage: naming `messages[index]` and the place in it.
        """
        read_item = self.begin()
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                raise InvalidMessage([Flaw(f"messages[{index}]", "not a JSON object")])
            try:
                drafts = read_item(item, index)
                if not self.is_plain(item):
                    if self.view is not None:
                        drafts = _with_residue(self.view, drafts, item)
                    if unmapped is not None:
                        unmapped += (
                            Unmapped(f"[{index}].{place}".rstrip("."), what)
                            for place, what in self.unknown(item, drafts)
                        )
                yield from drafts
            except InvalidMessage as error:
                raise error.within(f"messages[{index}]") from error


def _with_residue(view: AnyView, drafts: Sequence[Draft], original: Item) -> Sequence[Draft]:
    events = [sample_event(draft, n + 1) for n, draft in enumerate(drafts)]
    rendered = render(view, events)
    if len(rendered.items) != 1 or not drafts:
        return drafts
    lost = residue(rendered.items[0].item, original)
    if lost is None:
        return drafts
    # the residue belongs to the message that renders the item
    at = rendered.items[0].version - 1
    metadata = object_at(drafts[at], "metadata")
    # keep the reader's own notes, such as the number of parts in the item
    noted = object_of(residue_of(events[at], view.name, 0))
    mended: Item = {**metadata, METADATA_KEY: {view.name: [{**noted, **object_of(lost)}]}}
    return [*drafts[:at], {**drafts[at], "metadata": mended}, *drafts[at + 1 :]]


def with_templates(view: AnyView, drafts: Sequence[Draft], original: Item) -> Sequence[Draft]:
    """Return the messages of an item, so that `view` shows them as the item again.

    Where it would not, their residues become the item's template.
    """
    events = [sample_event(draft, n + 1) for n, draft in enumerate(drafts)]
    items = render(view, events).items
    if len(items) == 1 and residue(items[0].item, original) is None:
        return drafts
    return templated(view.name, drafts, original)


def templated(wire: str, drafts: Sequence[Draft], original: Item) -> list[Draft]:
    """Return the messages of an item with its template in place of their residues."""
    mended: list[Draft] = []
    for number, template in enumerate(templates_of(original, drafts)):
        mark: Item = {"part": number} if number else {"messages": len(drafts)}
        metadata = object_at(drafts[number], "metadata")
        wires: Item = {METADATA_KEY: {wire: [{**(mark if len(drafts) > 1 else {}), **template}]}}
        mended.append({**drafts[number], "metadata": {**metadata, **wires}})
    return mended


def sample_event(draft: Draft, version: int) -> Event:
    """Return the event of `draft`, at an arbitrary time and place."""
    body = {"id": SAMPLE_ID, "timestamp": 0, **draft}
    metadata = object_of(body.pop("metadata", None))
    message = validate_message(body)
    event = Event(
        originator_id="sample",
        originator_version=version,
        type=message.type,
        body=print_bytes(body),
        message_id=message.id,
        position=version,
        recorded_at=_SAMPLE_TIME,
        metadata=metadata,
    )
    return with_message(event, message)


def text_field(item: Item, key: str) -> str:
    """Return the string under `key`, or raise `InvalidMessage` naming the key."""
    value = item.get(key)
    if isinstance(value, str):
        return value
    raise InvalidMessage([Flaw(key, "missing" if key not in item else "not a string")])
