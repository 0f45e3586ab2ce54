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
    match value:
        case {"type": str(kind)}:
            return kind in MESSAGE_TYPES or ("." in kind and "payload" in value)
        case _:
            return False


FORMAT = format_of_items(READER, "agentlog's own messages", _is_message, is_general=True)
