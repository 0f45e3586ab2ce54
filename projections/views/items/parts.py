"""Messages as parts of items, and items restored from their templates and residues."""

from collections.abc import Sequence
from typing import NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_to_keep
from agentlog.domain.json.values import JsonValue, array_of, integer_at, object_of, text_at
from agentlog.projections.item_template import filled
from agentlog.projections.residue import apply_residue
from agentlog.projections.view import Item, Placed

_IDS = ("call_id", "approval_request_id")


class Shown(NamedTuple):
    """An item with its id and its place."""

    id: str
    placed: Placed

    @classmethod
    def of(cls, value: JsonValue) -> "Shown":
        """Return what `json` printed."""
        fields = object_of(value)
        place = integer_at(fields, "version") or 0, integer_at(fields, "ordinal") or 0
        return cls(text_at(fields, "id") or "", Placed(*place, object_of(fields.get("item"))))

    @property
    def json(self) -> Item:
        """It as JSON."""
        version, ordinal, item = self.placed
        return {"id": self.id, "version": version, "ordinal": ordinal, "item": item}


class Part(NamedTuple):
    """A message of an item of several: its body, its template and what it shows by itself."""

    message_id: str
    version: int
    body: Item
    template: Item
    shown: Sequence[Shown]

    @classmethod
    def of(cls, value: JsonValue) -> "Part":
        """Return what `text` printed."""
        fields = object_of(value)
        return cls(
            text_at(fields, "message_id") or "",
            integer_at(fields, "version") or 0,
            object_of(fields.get("body")),
            object_of(fields.get("template")),
            [Shown.of(item) for item in array_of(fields.get("shown"))],
        )

    @property
    def text(self) -> bytes:
        """It as JSON text."""
        return print_to_keep({**self._asdict(), "shown": [item.json for item in self.shown]})


def continues(count: int, event: Event, residue: Item) -> bool:
    """Return whether an event is the next message of an item of which there are `count`."""
    if event.redacted is not None and not residue:  # a redaction erases residues too
        return True
    return integer_at(residue, "part") == count


def joined(parts: Sequence[Part]) -> Item | None:
    """Return the item that messages are; None if their template makes another of them."""
    item = filled([(part.body, part.template) for part in parts])
    alone = [shown.placed.item for part in parts[:1] for shown in part.shown]
    return item if isinstance(item, dict) and _agrees(item, alone) else None


def restored(alone: list[Item], event: Event, residue: Item) -> list[Item]:
    """Return the items of a message as they came in; `alone` is what it shows without residue."""
    if "part" in residue:  # of an item whose other messages are not there
        return alone
    if "item" in residue:
        item = filled([(object_of(event.raw), residue)])
        return [item] if isinstance(item, dict) and _agrees(item, alone) else alone
    return [apply_residue(item, residue, _may_change) for item in alone[:1]] + alone[1:]


def _agrees(item: Item, alone: Sequence[Item]) -> bool:
    """Return whether an item has the role and the ids of what its first message is alone."""
    for plain in alone:
        role = item.get("role")
        if (
            "role" in plain
            and not _is_result(plain)
            and plain["role"] != ("system" if role == "developer" else role)
        ):
            return False
        if any(plain[key] != (item.get(key) or plain[key]) for key in _IDS if key in plain):
            return False
    return True


def _is_result(plain: Item) -> bool:
    """Return whether a message has results alone, which may stand in an answer too."""
    match plain.get("content"):
        case [{"type": "tool_result"}, *_]:
            return True
        case _:
            return False


def _may_change(item: Item, key: str, value: JsonValue) -> bool:
    """Permit what an item has beside its message: no other role, id or content."""
    match item.get("type"), key:
        case _, "role":
            return item.get("role") == "system" and value == "developer"
        case "mcp_approval_request", "arguments" | "server_label":
            return isinstance(value, str)
        case _:
            return key not in item and key != "parts"
