"""Reader of Maria's events, of December 2025 and of March 2026.

Maria repeats some facts: a call is in the assistant's turn and again before it runs, a result is in
`PostToolCall` and again in the tool message. The view renders both, so an event that the view
already renders for a message is not read again: only its difference is kept, beside that message.
Events without a message in the catalogue (`TokenCounted`, `MessageQueued`, …) become custom
messages, `maria.TokenCounted`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at
from agentlog.projections.readers.draft import Draft, Reader, Unmapped, sample_event
from agentlog.projections.readers.history import format_of_items
from agentlog.projections.readers.wires.maria_events import read_event
from agentlog.projections.residue import METADATA_KEY, residue
from agentlog.projections.view import Item, Placed, render
from agentlog.projections.views.maria.view import (
    WIRES,
    Dialect,
    MariaCarry,
    MariaOptions,
    MariaView,
)

_VIEWS: dict[Dialect, MariaView] = {
    dialect: MariaView(MariaOptions(dialect=dialect)) for dialect in WIRES
}


@dataclass(frozen=True, slots=True)
class MariaReader(Reader):
    """Compares each event with the view's rendering of the messages before it."""

    @override
    def read(
        self, items: Iterable[JsonValue], unmapped: list[Unmapped] | None = None
    ) -> Iterator[Draft]:
        del unmapped  # each event is kept whole, what the view lacks as its residue
        reading, read_item = _Reading(), self.begin()
        for index, item in enumerate(items):
            if isinstance(item, dict) and reading.says_already(item):
                continue
            yield from reading.drafts
            if not isinstance(item, dict):
                raise InvalidMessage([Flaw(f"messages[{index}]", "not a JSON object")])
            try:
                reading.read(item, read_item(item, index))
            except InvalidMessage as error:
                raise error.within(f"messages[{index}]") from error
        yield from reading.drafts


@dataclass(slots=True)
class _Reading:
    """The messages read last, and the items of the view that the source has yet to repeat."""

    carry: MariaCarry = field(default_factory=MariaCarry)
    version: int = 0
    drafts: Sequence[Draft] = ()
    awaited: Sequence[Placed] = ()

    def read(self, item: Item, drafts: Sequence[Draft]) -> None:
        """Read the messages of `item`, with their differences from the view as residues."""
        before = self.version
        events = [sample_event(draft, before + n + 1) for n, draft in enumerate(drafts)]
        rendering = render(_VIEWS[_dialect(item)], events, self.carry)
        self.carry, self.version, self.drafts = rendering.carry, before + len(drafts), drafts
        self.awaited = [placed for placed in rendering.items if placed.version > before]
        if not self.says_already(item):
            self.awaited = ()

    def says_already(self, item: Item) -> bool:
        """Return whether `item` is the view's next item; if so, consume it and keep its residue."""
        kind = _what(item)
        for n, placed in enumerate(self.awaited):
            if _what(placed.item) == kind:
                self._keep(placed, item)
                self.awaited = self.awaited[n + 1 :]
                return True
        return False

    def _keep(self, placed: Placed, original: Item) -> None:
        lost = residue(placed.item, original)
        if lost is None:
            return
        at = placed.version - 1 - (self.version - len(self.drafts))
        draft, wire = self.drafts[at], WIRES[_dialect(original)]
        metadata = object_at(draft, "metadata")
        kept = array_of(object_at(metadata, METADATA_KEY).get(wire))
        missing = placed.ordinal - len(kept)
        wires: Item = {wire: [*kept, *[None] * missing, lost]}
        mended = {**draft, "metadata": {**metadata, METADATA_KEY: wires}}
        self.drafts = [*self.drafts[:at], mended, *self.drafts[at + 1 :]]


def _dialect(item: Item) -> Dialect:
    return "2026-03" if "desc" in item else "2025-12"


def _what(item: Item) -> tuple[JsonValue, ...]:
    """Return the identity of an event: its dialect, kind and call id."""
    desc = item.get("desc", item)
    match desc:
        case {"msg": "PreToolCall" | "PostToolCall" as msg, "tool_call": {"id": call_id}}:
            return ("desc" in item, msg, call_id)
        case {"msg": "MessageAdded", "message": {"role": "tool", "tool_call_id": call_id}}:
            return ("desc" in item, "tool", call_id)
        case {"msg": "MessageAdded", "message": {"role": "assistant"}}:
            return ("desc" in item, "RequestCompleted")
        case {"msg": msg}:
            return ("desc" in item, msg)
        case _:
            return ()


READER = MariaReader("maria", lambda: read_event, _VIEWS["2025-12"])


def _is_event(value: JsonValue) -> bool:
    match value:
        case {"desc": {"msg": str()}} | {"msg": str()}:
            return True
        case _:
            return False


FORMAT = format_of_items(READER, "Maria's events", _is_event)
