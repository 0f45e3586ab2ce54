"""Reader of the kernel's own messages, which are drafts already."""

from collections.abc import Sequence

from domain.catalogue import MESSAGE_TYPES
from domain.json.text import JsonValue
from projections.readers.draft import Draft, Reader
from projections.readers.history import format_of_items
from projections.view import Item


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    return [item]


READER = Reader("kernel", _read, view=None)


def _is_message(value: JsonValue) -> bool:
    return isinstance(value, dict) and (value.get("type") in MESSAGE_TYPES or _is_own(value))


def _is_own(value: Item) -> bool:
    return isinstance(value.get("type"), str) and "." in value["type"] and "payload" in value


FORMAT = format_of_items(READER, "agentlog's own messages", _is_message, is_general=True)
