"""Reader of the kernel's own messages, which are drafts already."""

from collections.abc import Sequence

from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import CustomMessage, KernelMessage
from agentlog.projections.readers.draft import Draft, Reader
from agentlog.projections.readers.history import format_of_items
from agentlog.projections.view import Item


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    return [item]


READER = Reader("kernel", lambda: _read, view=None)


_MODELS: list[type[KernelMessage]] = [*MESSAGE_TYPES.values(), CustomMessage]
_FIELDS = {
    field.alias or name for model in _MODELS for name, field in model.model_fields.items()
} | {"metadata"}


def _is_message(value: JsonValue) -> bool:
    """Return whether all fields are some message's; one whose type is misspelt is told so."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return value.keys() <= _FIELDS


FORMAT = format_of_items(READER, "agentlog's own messages", _is_message, generality=3)
