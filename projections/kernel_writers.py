"""Messages as the kernels' own JSON writers make them, read as the catalogue has them.

`JSON.stringify` leaves out `undefined`, writes an `Error` as what else it has (nothing, most
often), a `Uint8Array` as an object of numbers, and NaN as null. `serde_json` writes fields in snake
case, a variant as its name or as an object of one key, and a numeric id as a number. How a message
was written, and what it has no field for, stands in a template under `wire.kernel`
(`item_template`), by which the view `kernel` gives it back: but for bytes, which are base64, and
times, which are milliseconds.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

from agentlog.domain.catalogue import MESSAGE_TYPES, MOST_FLAWS, stored_type
from agentlog.domain.fields import Answers, Asks, Model, mark_of, models_in
from agentlog.domain.identifiers import named_message_id
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of
from agentlog.domain.messages import (
    ApprovalResponseMessage,
    CustomMessage,
    ExitMessage,
    InputMessage,
    KernelMessage,
    TokenUsage,
    ToolCall,
    ToolError,
    ToolResult,
    WorkerError,
    WorkerResultMessage,
)
from agentlog.projections.item_template import filled, templates_of
from agentlog.projections.token_words import CHAT

WIRE = "kernel"
_ALIKE, _LONGEST_SLIP = 0.8, 32
"""How like a field a slip is, by `difflib`; longer names are none."""
_SYNONYMS: Mapping[type[Model], Mapping[str, str]] = {
    ToolCall: {"arguments": "args", "input": "args"},
    WorkerResultMessage: {"Ok": "output", "Err": "error"},
    ApprovalResponseMessage: {"outcome": "approved"},
}
_WORDS: Mapping[type[Model], tuple[str, ...]] = {
    InputMessage: ("text", "files"),
    ToolResult: ("output", "error"),
    WorkerResultMessage: ("output", "error"),
}
"""Fields that have what a message says, all of them optional."""
_ENDS = {"complete": "complete", "steplimit": "step_limit", "userrequest": "user_request"}
_ENDS |= {"completed": "complete", "error": "error", "failed": "error"}
_TIME = re.compile(r"\d{4}-.*(Z|[+-]\d\d:\d\d)", re.ASCII)
_DATA_URI = re.compile(r"data:([^,;]*)(?:;[^,;]*)*;base64,", re.IGNORECASE)


def is_in_seconds(timestamp: float) -> bool:
    """Return whether a time is in seconds, from 2001 to 5138; in ms it would be before 1974."""
    return 10**9 <= timestamp < 10**11


def as_catalogue(draft: JsonObject) -> JsonObject:
    """Return a draft as the catalogue has it, with its template; what cannot be read stays."""
    model = _model(draft)
    if model is None:
        return draft
    sent, read = _in_milliseconds({key: draft[key] for key in draft if key != "metadata"})
    if isinstance(files := sent.get("files"), list):
        sent["files"] = [_in_base64(file) for file in files]
    body = _Reading().message(model, sent)
    template: JsonObject = {**templates_of(sent, [body])[0], **({"read": read} if read else {})}
    metadata = draft.get("metadata")
    if metadata is None or isinstance(metadata, dict):
        wires = object_of(object_of(metadata).get("wire"))
        metadata = {**object_of(metadata), "wire": {**wires, WIRE: [template]}}
    return {**body, "metadata": metadata}


def as_sent(body: JsonObject, template: JsonObject) -> JsonObject:
    """Return a message as it was sent; as the log has it where its template says another."""
    item = object_of(filled([(body, template)]))
    head: JsonObject = {key: body[key] for key in ("id", "timestamp", "type") if key in body}
    model = _model(item)
    again = {} if model is None else {**head, **_Reading().message(model, item)}
    is_same = print_bytes(again, sort_keys=True) == print_bytes(body, sort_keys=True)
    return {**head, **item} if is_same else body


def properties_of(item: JsonObject) -> list[str]:
    """Return the places of a message's properties that have no field."""
    model = _model(item)
    known = () if model is None or model is CustomMessage else _properties(model, item)
    return [place for place in known if place != "metadata"]


def _properties(model: type[Model], item: JsonObject) -> Iterator[str]:
    for key, value in item.items():
        field = _fields(model).get(key)
        if field is None:
            yield key
        elif field.model is not None:
            for n, one in enumerate(array_of(value)):
                inner = _properties(field.model, object_of(one))
                yield from (f"{key}[{n}].{place}" for place in inner)
            yield from (f"{key}.{place}" for place in _properties(field.model, object_of(value)))


def _model(item: JsonObject) -> type[KernelMessage] | None:
    kind = item.get("type")
    if not isinstance(kind, str):
        return None
    return MESSAGE_TYPES.get(stored_type(kind), CustomMessage if "." in kind else None)


def _in_milliseconds(item: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return a message with the time that is meant, and what was read as another."""
    match item.get("timestamp", 0):
        case None:
            return {key: item[key] for key in item if key != "timestamp"}, {}
        case str(written) if _TIME.fullmatch(written):
            try:
                meant = round(datetime.fromisoformat(written).timestamp() * 1000)
            except ValueError:
                return item, {}
        case int() | float() as written if is_in_seconds(written):
            meant = round(written * 1000)
        case _:
            return item, {}
    return {**item, "timestamp": meant}, {"timestamp": written}


def _in_base64(file: JsonValue) -> JsonValue:
    """Return a file with its bytes in base64, however they were written."""
    match file:
        case {"data": str(text)} if uri := _DATA_URI.match(text):
            mime = {"mimeType": uri[1]} if uri[1] else {}
            return {**mime, **object_of(file), "data": text[uri.end() :]}
        case {"data": {"type": "Buffer", "data": list(numbers)}} | {"data": list(numbers)}:
            pass
        case {"data": dict(places)} if all(str(n) in places for n in range(len(places))):
            numbers = [places[str(n)] for n in range(len(places))]
        case _:
            return file
    data = [n for n in numbers if isinstance(n, int) and 0 <= n < 1 << 8 and n is not True]
    if len(data) < len(numbers):
        return file
    return {**object_of(file), "data": b64encode(bytes(data)).decode()}


class _Reading:
    """Reads the objects of one message."""

    def __init__(self) -> None:
        self._left = MOST_FLAWS  # properties that may be slips: to tell takes long

    def message(self, model: type[KernelMessage], item: JsonObject) -> JsonObject:
        """Return the body of a message."""
        body = {**self._object(model, item), "type": stored_type(str(item.get("type")))}
        own_id, timestamp = body.get("id"), body.get("timestamp")
        if isinstance(own_id, str) and own_id:
            body["id"] = named_message_id(own_id)
        if isinstance(timestamp, float) and 0 <= timestamp < 1 << 53:
            body["timestamp"] = int(timestamp)
        return body

    def _object(self, model: type[Model], item: JsonObject) -> JsonObject:
        fields = _fields(model)
        read: JsonObject = {}
        unknown: JsonObject = {}
        for key, value in item.items():
            field = fields.get(key)
            if field is None or (key != field.alias and field.alias in item):
                unknown[key] = value
            else:
                read[field.alias] = self._value(field, value)
        shape = _SHAPES.get(model)
        if shape is not None:
            shape(read, unknown)
        words = _WORDS.get(model, ())
        if words and "output" not in read and all(read.get(word) is None for word in words):
            # no field has them, so the catalogue refuses them by their names
            read |= {k: v for k, v in unknown.items() if isinstance(v, str | list | dict)}
        lacking = {_plain(field.alias) for field in fields.values() if field.alias not in read}
        for key, value in unknown.items():
            self._left -= 1
            may_slip = self._left >= 0 and len(key) <= _LONGEST_SLIP
            if may_slip and get_close_matches(_plain(key), lacking, 1, _ALIKE):
                read[key] = value  # refused by its name
        return read

    def _value(self, field: "_Field", value: JsonValue) -> JsonValue:
        if field.is_id and type(value) is int and value >= 0:
            return str(value)
        if field.model is None or value is None:
            return value
        if field.model in (ToolError, WorkerError):
            return _error(field.model, value)
        if isinstance(value, list):
            return [self._value(field, one) for one in value]
        return self._object(field.model, value) if isinstance(value, dict) else value


class _Field(NamedTuple):
    alias: str
    is_id: bool
    model: type[Model] | None


@cache
def _fields(model: type[Model]) -> Mapping[str, _Field]:
    """Return the fields of a model by each of their names."""
    fields: dict[str, _Field] = {}
    for name, info in model.model_fields.items():
        is_id = mark_of(info, Asks) is not None or mark_of(info, Answers) is not None
        alias = info.alias or name
        fields[name] = fields[alias] = _Field(alias, is_id, next(models_in(info.annotation), None))
    return fields | {key: fields[name] for key, name in _SYNONYMS.get(model, {}).items()}


def _plain(name: str) -> str:
    return re.sub("[_ -]", "", name.lower())


def _error(model: type[Model], value: JsonValue) -> JsonValue:
    """Return an error whose message is its own, or else all that it has, as JSON."""
    if isinstance(value, str):
        return {"message": value} if model is WorkerError else value
    if not isinstance(value, dict):
        return {"message": print_text(value)}
    fields = {k: v for k, v in value.items() if k in _fields(model) and isinstance(v, str)}
    if isinstance(code := value.get("code"), int) and "code" in _fields(model):
        fields["code"] = str(code)
    if "message" not in fields:
        rest = {k: v for k, v in value.items() if k not in fields and v is not None}
        fields["message"] = print_text(rest) if rest else ""
    return {**fields}


def _variant(value: JsonValue) -> tuple[str, JsonValue]:
    """Return the name of an enum's variant and what it holds, as serde tags them externally."""
    match value:
        case str(name):
            return _plain(name), None
        case dict() if len(value) == 1:
            ((name, held),) = value.items()
            return _plain(name), held
        case _:
            return "", None


def _put_text(read: JsonObject, key: str, held: JsonValue) -> None:
    text = held.get(key, held) if isinstance(held, dict) else held
    if key not in read and text is not None:
        read[key] = text if isinstance(text, str) else print_text(text)


def _exit(read: JsonObject, unknown: JsonObject) -> None:
    name, held = _variant(read.get("reason", unknown))
    if name in _ENDS:
        read["reason"] = _ENDS[name]
        _put_text(read, "message", held)


def _approval(read: JsonObject, _: JsonObject) -> None:
    name, held = _variant(read.get("approved"))
    if name in {"granted", "denied"}:
        read["approved"] = name == "granted"
        _put_text(read, "reason", held)


def _worker_result(read: JsonObject, unknown: JsonObject) -> None:
    name, held = _variant(unknown.get("result"))
    if name == "ok":
        read["output"] = held
    elif name == "err":
        read["error"] = _error(WorkerError, held)
    if read.get("error") is not None:
        if read.get("output") is None:
            read.pop("output", None)
    elif not any(isinstance(value, str | list | dict) for value in unknown.values()):
        read.setdefault("output", None)


_SHAPES: Mapping[type[Model], Callable[[JsonObject, JsonObject], None]] = {
    ExitMessage: _exit,
    ApprovalResponseMessage: _approval,
    WorkerResultMessage: _worker_result,
    TokenUsage: lambda read, unknown: read.update({**CHAT.figures(unknown), **read}),
}
"""Fill the fields of an object that is read from what it has no fields for."""
