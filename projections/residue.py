"""Residues: the parts of a wire item that its message lacks; the view restores them.

An import converts each item of a wire to messages, renders them again and compares. Each difference
(a `name`, a `developer` role, an unknown key) is the residue, stored in the message's metadata
under `wire.FORMAT`, one entry per item of the message. So an import followed by the same view
returns the imported items, and every other view sees plain messages.
"""

from collections.abc import Callable, Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import Item

METADATA_KEY = "wire"

Permit = Callable[[Item, str, JsonValue], bool]
"""Whether a view lets a residue set a key of an item to a value (None also removes it)."""


def residue(rendered: Item, original: Item) -> JsonValue:
    """Return the residue that turns `rendered` into `original`, or None where they are equal."""
    changed = {
        key: value
        for key, value in original.items()
        if key not in rendered or _differ(rendered[key], value)
    }
    gone: list[JsonValue] = [key for key in rendered if key not in original]
    kept: Item = {}
    if changed:
        kept["set"] = changed
    if gone:
        kept["unset"] = gone
    return kept or None


def residue_of(event: Event, wire: str, ordinal: int) -> JsonValue:
    """Return an event's residue for its item `ordinal`, or None."""
    entries = residues_of(event, wire)
    return entries[ordinal] if ordinal < len(entries) else None


def residues_of(event: Event, wire: str) -> Sequence[JsonValue]:
    """Return an event's residues, one for each of its first items."""
    wires = event.metadata.get(METADATA_KEY)
    entries = wires.get(wire) if isinstance(wires, dict) else None
    return entries if isinstance(entries, list) else ()


def apply_residue(item: Item, lost: JsonValue, permit: Permit) -> Item:
    """Return `item` with a residue applied, as far as the view permits."""
    if lost is None:
        return item
    match lost:
        case {"set": dict(changed), "unset": list(gone)}:
            pass
        case {"set": dict(changed)}:
            gone = []
        case {"unset": list(gone)}:
            changed = {}
        case _:
            return item
    kept = {k: v for k, v in item.items() if k not in gone or not permit(item, k, None)}
    return {**kept, **{key: value for key, value in changed.items() if permit(item, key, value)}}


def _differ(one: JsonValue, other: JsonValue) -> bool:
    return print_bytes(one, sort_keys=True) != print_bytes(other, sort_keys=True)
