"""Reader of the kernel's own messages, which are drafts already."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.domain.messages import CustomMessage, KernelMessage
from agentlog.projections.kernel_writers import properties_of
from agentlog.projections.readers.draft import Draft, Reader
from agentlog.projections.readers.history import format_of_items, is_own, items_in
from agentlog.projections.view import Item


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    return [item]


READER = Reader(
    "kernel",
    lambda: _read,
    view=None,
    unknown=lambda item, _: ((key, f"field {key!r}") for key in properties_of(item)),
)


_OF_ALL = frozenset({"metadata"})
_ALIKE = 0.8
"""How like a type of the catalogue a misspelt one is, by `difflib`."""


def _fields_of(kind: str) -> frozenset[str]:
    """Return the fields of messages of a type, also of one that is misspelt; none of others."""
    if kind not in MESSAGE_TYPES and "." in kind:
        return _OF_CUSTOM
    matches = get_close_matches(kind.replace("-", "_"), _FIELDS, 1, _ALIKE)
    return _FIELDS[matches[0]] if matches else frozenset()


def _names(model: type[KernelMessage]) -> frozenset[str]:
    return _OF_ALL.union(field.alias or name for name, field in model.model_fields.items())


_FIELDS = {kind: _names(model) for kind, model in MESSAGE_TYPES.items()}
_OF_CUSTOM = _names(CustomMessage)


def _is_message(value: JsonValue) -> bool:
    """Return whether all fields are those of its type; one whose type is misspelt is told so."""
    kind = text_at(object_of(value), "type")
    return kind is not None and object_of(value).keys() <= _fields_of(kind)


def _is_export(value: JsonValue) -> bool:
    """Return whether a value is a thread of ours, though types of its messages may be unknown."""
    items = items_in(value) if is_own(value) else None
    return bool(items) and all("type" in object_of(item) for item in items or ())


_FORMAT = format_of_items(READER, "agentlog's own messages", _is_message, generality=3)
FORMAT = replace(
    _FORMAT,
    is_document=lambda value: _FORMAT.is_document(value) or _is_export(value),
    is_item=lambda value: text_at(object_of(value), "type") is not None,  # where it is named
    excludes=lambda value: not _is_message(value),
)
