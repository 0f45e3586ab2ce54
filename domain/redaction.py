"""Redacted messages: type, ids and figures stay when the content is erased.

A redacted message is one of the same type with "[redacted]" in place of its texts. Every view shows
it in its place and pairs calls with results as before, without code for erasure. Redacting it again
changes nothing. Which fields are contents is marked on the models (`domain.fields.Content`).
"""

from collections.abc import Collection, Mapping
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from agentlog.domain.catalogue import model_of, read_stored
from agentlog.domain.fields import REDACTED, Content, Dropped, Model, mark_of, models_in
from agentlog.domain.identifiers import APPENDED_BY, IMPORT_ID
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of, objects_of
from agentlog.domain.messages import InputMessage, KernelMessage

UNCHANGED = bytes(32).hex()
"""Stands in `left` of a redaction for a message that another one had redacted."""

ONLY_WITH_ALL = frozenset(
    {"thread.started", "thread.forked", "thread.annotated", "thread.labelled", "thread.redacted"}
)
"""Facts that are kept when only some messages are redacted."""

_REDACTED_FILE: JsonObject = {
    "data": "W3JlZGFjdGVkXQ==",  # "[redacted]" in base64
    "filename": REDACTED,
    "mimeType": "text/plain",
}


def redacted_body(type_name: str, message_id: str, body: bytes) -> bytes:
    """Return a stored body, redacted; if that cannot be read, type, id and time."""
    raw = _read(body)
    timestamp = raw.get("timestamp")
    known = isinstance(timestamp, int) and not isinstance(timestamp, bool)
    bare = {"id": message_id, "timestamp": timestamp if known else 0, "type": type_name}
    readable = read_stored(type_name, raw) is not None
    return print_bytes({**bare, **(_left(type_name, raw) if readable else {})})


def redacted_metadata(metadata: bytes | None) -> bytes | None:
    """Return the metadata that stays: ids of the model response, the appending key, the import."""
    raw = _read(metadata or b"")
    ids = ("responseId", APPENDED_BY, IMPORT_ID)
    kept = {key: raw[key] for key in ids if isinstance(raw.get(key), str)}
    return print_bytes(kept) if kept else None


def without_files(body: bytes, places: Collection[int]) -> bytes:
    """Return an input's body with the files at these places replaced by redaction notes."""
    raw = _read(body)
    files = [
        _REDACTED_FILE if index in places else file
        for index, file in enumerate(array_of(raw.get("files")))
    ]
    return print_bytes({**raw, "files": files})


def is_without_file(type_name: str, message_id: str, body: bytes) -> bool:
    """Return whether this is an input, one of whose files `without_files` replaced."""
    raw = _read(body)
    stored = type_name, message_id
    return (
        isinstance(read_stored(type_name, raw), InputMessage)
        and (raw["type"], raw["id"]) == stored
        and _REDACTED_FILE in array_of(raw.get("files"))
    )


def left_digest(body: bytes, metadata: bytes | None) -> bytes:
    """Return the SHA-256 over the SHA-256 of a redacted body and that of its metadata."""
    return sha256(sha256(body).digest() + sha256(metadata or b"").digest()).digest()


def left_digests(type_name: str, raw: Mapping[str, JsonValue], metadata: bytes | None) -> bytes:
    """Return the digests by which a valid message binds what a redaction may leave of it.

    First the `left_digest` of the message redacted; then of an input with files that of the
    message without them, and that of each file.
    """
    bare = {"id": raw["id"], "timestamp": raw["timestamp"], "type": type_name}
    body = print_bytes({**bare, **_left(type_name, raw)})
    whole = left_digest(body, metadata and redacted_metadata(metadata))
    parts = _parts(raw) if type_name == "input" else []
    return b"".join([whole, *(sha256(part).digest() for part in parts)])


def is_left_by_files(body: bytes, digests: bytes) -> bool:
    """Return whether an input is the one of `left_digests`, some of its files redacted."""
    raw = _read(body)
    parts = _parts(raw)
    stated = [digests[at : at + 32] for at in range(32, len(digests), 32)]
    redacted = print_bytes(_REDACTED_FILE)
    return len(parts) == len(stated) and all(
        sha256(part).digest() == part_digest or (index > 0 and part == redacted)
        for index, (part, part_digest) in enumerate(zip(parts, stated, strict=True))
    )


def _parts(raw: Mapping[str, JsonValue]) -> list[bytes]:
    """Return an input without its files, and each file, as bytes; nothing if it has none."""
    files = array_of(raw.get("files"))
    return [print_bytes(part) for part in ({**raw, "files": []}, *files)] if files else []


def _left(type_name: str, raw: Mapping[str, JsonValue]) -> JsonObject:
    """Return the fields that stay of a valid message, beside id, time and type."""
    if type_name == "thread.redacted":  # as it was written: the record of an erasure
        return dict(raw)
    return _left_of(model_of(type_name), raw)


def _left_of(model: type[Model], raw: Mapping[str, JsonValue]) -> JsonObject:
    left: JsonObject = {}
    for key, content, nested in _remaining(model):
        value = raw.get(key)
        if content is not None and value is None:
            if content.null == "added" or (key in raw and content.null != "dropped"):
                left[key] = None if content.null == "kept" else content.left
        elif nested is not None and isinstance(value, dict):
            left[key] = _left_of(nested, value)
        elif nested is not None and isinstance(value, list):
            left[key] = [_left_of(nested, item) for item in objects_of(value)]
        elif content is not None:
            left[key] = content.left
        elif key in raw:
            left[key] = value
    return left


class _Remaining(NamedTuple):
    key: str
    content: Content | None
    nested: type[Model] | None
    """A model in the field that marks fields of its own."""


@cache
def _remaining(model: type[Model]) -> tuple[_Remaining, ...]:
    """Return what may stay of a model's fields: first what is kept, then what is replaced."""
    head = {*KernelMessage.model_fields, "type"} if issubclass(model, KernelMessage) else set()
    fields = [
        _Remaining(
            str(field.alias),
            mark_of(field, Content),
            next((inner for inner in models_in(field.annotation) if _has_content(inner)), None),
        )
        for name, field in model.model_fields.items()
        if name not in head and mark_of(field, Dropped) is None
    ]
    return tuple(sorted(fields, key=lambda field: field.content is not None))


def _has_content(model: type[Model]) -> bool:
    return any(
        mark_of(field, Content) or mark_of(field, Dropped) for field in model.model_fields.values()
    )


def _read(text: bytes) -> JsonObject:
    try:
        return object_of(parse_stored(text))
    except ValueError:
        return {}
