"""Converts each of Maria's events to messages."""

import re
from collections.abc import Mapping, Sequence
from uuid import UUID

from ulid import ULID

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, objects_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft, text_field
from agentlog.projections.readers.messages.calls import Call, call_of
from agentlog.projections.token_words import MARIA
from agentlog.projections.view import Item
from agentlog.projections.views.maria.view import CUSTOM

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")
_LAST_MILLISECOND = 253_402_300_799_999  # of the year 9999


def read_event(item: Item, index: int) -> Sequence[Draft]:
    """Return the messages of the event at an index of its history, in either dialect."""
    if "desc" not in item:
        return _event(item, index)
    desc = item["desc"]
    if not isinstance(desc, dict):
        raise InvalidMessage([Flaw("desc", "not a JSON object")])
    try:
        drafts = list(_event(desc, index))
    except InvalidMessage as error:
        raise error.within("desc") from error
    return _stamped(drafts, item)


def _stamped(drafts: list[Draft], envelope: Item) -> Sequence[Draft]:
    """Set the envelope's time on messages, and its id on the first that the view renders."""
    created = envelope.get("created")
    if type(created) is int and 0 <= created <= _LAST_MILLISECOND:
        drafts = [{**draft, "timestamp": created} for draft in drafts]
    message_id = _message_id(envelope.get("id"))
    at = next((n for n, draft in enumerate(drafts) if draft["type"] != "llm_response"), None)
    if message_id is not None and at is not None:
        drafts[at] = {**drafts[at], "id": message_id}
    return drafts


def _message_id(text: JsonValue) -> str | None:
    """Return the ULID that is the same 128 bits as a UUID in its usual form."""
    try:
        uuid = UUID(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return str(ULID.from_uuid(uuid)) if uuid is not None and str(uuid) == text else None


def _event(event: Item, index: int) -> Sequence[Draft]:
    match event.get("msg"):
        case "UserMessage":
            return [{"type": "input", "text": _text(event)}]
        case "SystemPromptSet":
            prompt = "" if event.get("prompt") is None else text_field(event, "prompt")
            return [{"type": "system", "text": prompt}]
        case "MessageAdded" | "RequestCompleted":
            return _message(event, index)
        case "AssistantMessage":
            return _turn(event, event.get("usage"), index)
        case "PreToolCall":  # is in the turn before it
            return []
        case "PostToolCall":
            return [{"type": "tool_results", "results": [_result(event)]}]
        case str(msg) if _NAME.match(msg):
            payload = {key: value for key, value in event.items() if key != "msg"}
            return [{"type": CUSTOM + msg, "payload": payload}]
        case _:
            reason = "not the name of a Maria event (bare messages are of the format openai)"
            raise InvalidMessage([Flaw("msg", reason)])


def _message(event: Item, index: int) -> Sequence[Draft]:
    message = event.get("message")
    if not isinstance(message, dict):
        raise InvalidMessage([Flaw("message", "missing or not a JSON object")])
    try:
        return _of_role(message, event.get("usage"), index)
    except InvalidMessage as error:
        raise error.within("message") from error


def _of_role(message: Item, usage: JsonValue, index: int) -> Sequence[Draft]:
    match message.get("role"):
        case "system":
            return [{"type": "system", "text": _text(message)}]
        case "user":
            return [{"type": "input", "text": _text(message)}]
        case "assistant":
            return _turn(message, usage, index)
        case "tool":
            result: Item = {"callId": _call_id(message), "output": _text(message)}
            return [{"type": "tool_results", "results": [result]}]
        case role:
            known = "system, user, assistant or tool"
            raise InvalidMessage([Flaw("role", f"{role!r} is none: use {known}")])


def _turn(message: Item, usage: JsonValue, index: int) -> Sequence[Draft]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise InvalidMessage([Flaw("tool_calls", "not an array")])
    text = _text(message)
    tokens = _tokens(usage)
    drafts: list[Draft] = []
    if tokens is not None:
        drafts.append({"type": "llm_response", "usage": tokens})
    if text or not calls:
        drafts.append({"type": "reply", "text": text})
    if calls:
        read = [_call(call, f"tool_calls[{n}]") for n, call in enumerate(calls)]
        drafts.append({"type": "tool_calls", "calls": [*read]})
    if len(drafts) > 1:  # one model response: the view joins what shares its id
        drafts = [{**draft, "metadata": {"responseId": f"import-{index}"}} for draft in drafts]
    return drafts


def _call(call: JsonValue, place: str) -> Item:
    match call_of(call):
        case Call(id=str(call_id), name=name, arguments=None) if call_id:  # Maria has such calls
            return {"id": call_id, "name": name, "args": {}}
        case Call(id=str(call_id), arguments=str()) as asked if call_id:
            return {"id": call_id, **asked.fields}
        case _:
            pass
    reason = "not a call: it needs an id, and a function with a name and arguments (a string)"
    raise InvalidMessage([Flaw(place, reason)])


def _result(event: Item) -> Item:
    call = _call(event.get("tool_call"), "tool_call")
    result: Item = {"callId": call["id"], "name": call["name"]}
    match event:
        case {"result": output}:
            return {**result, "output": output, "error": None}
        case {"error": {"message": str(), **fields} as error} if _is_error(fields):
            return {**result, "output": None, "error": error}
        case {"error": error}:
            return {**result, "output": None, "error": value_text(error)}
        case _:
            raise InvalidMessage([Flaw("result", "missing: a call ends in a result or an error")])


def _is_error(fields: Mapping[object, object]) -> bool:
    """Return whether an error has only these fields beside its message."""
    texts = all(value is None or isinstance(value, str) for value in fields.values())
    return texts and fields.keys() <= {"name", "stack"}


def _tokens(usage: JsonValue) -> Item | None:
    """Return the known figures of a usage, under either of their names."""
    match usage:
        case [dict(figures)] | dict(figures):
            pass
        case _:
            return None
    return MARIA.figures(figures)


def _call_id(message: Item) -> str:
    call_id = text_field(message, "tool_call_id")
    if not call_id:
        raise InvalidMessage([Flaw("tool_call_id", "empty")])
    return call_id


def _text(item: Item) -> str:
    match item.get("content"):
        case None:
            return ""
        case str(text):
            return text
        case list(parts):
            texts = (part.get("text") for part in objects_of(parts))
            return "".join(text for text in texts if isinstance(text, str))
        case _:
            raise InvalidMessage([Flaw("content", "neither a string nor an array of parts")])
