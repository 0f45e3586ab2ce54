"""Reader of OpenLetta messages, as in OpenLetta's own reference."""

from collections.abc import Callable, Mapping, Sequence

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.values import JsonValue, object_at
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft, Reader, text_field
from agentlog.projections.readers.fields import milliseconds
from agentlog.projections.readers.history import format_of_items
from agentlog.projections.readers.wires.letta import identifier, result_fields
from agentlog.projections.token_words import OPENLETTA
from agentlog.projections.view import Item
from agentlog.projections.views.openletta import OpenLettaView


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    kind = item.get("message_type")
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    if read is None:
        reason = f"{str(kind)[:64]!r} is none of OpenLetta's: use {', '.join(_KINDS)}"
        raise InvalidMessage([Flaw("message_type", reason)])
    draft = read(item)
    timestamp = milliseconds(item.get("timestamp"))
    return [draft if timestamp is None else {**draft, "timestamp": timestamp}]


def _user(item: Item) -> Draft:
    return {"type": "input", "text": text_field(item, "content")}


def _assistant(item: Item) -> Draft:
    return {"type": "reply", "text": text_field(item, "content")}


def _reasoning(item: Item) -> Draft:
    return {"type": "reasoning", "title": "", "summary": text_field(item, "content")}


def _request(item: Item) -> Draft:
    call = object_at(item, "tool_call")
    match call:
        case {"tool_name": str(name)}:
            call_id = identifier(call, "tool_call_id", "tool_call")
            fields = call_fields(name, call.get("arguments", {}))
            return {"type": "tool_calls", "calls": [{"id": call_id, **fields}]}
        case _:
            reason = "not a call: it needs tool_call_id, tool_name and arguments"
            raise InvalidMessage([Flaw("tool_call", reason)])


def _return(item: Item) -> Draft:
    call_id = identifier(item, "tool_call_id", "")
    result = result_fields(call_id, item.get("status"), text_field(item, "result"))
    if isinstance(item.get("tool_name"), str):
        result["name"] = item["tool_name"]
    return {"type": "tool_results", "results": [result]}


def _usage(item: Item) -> Draft:
    return {"type": "llm_response", "usage": OPENLETTA.figures(item)}


_KINDS: Mapping[str, Callable[[Item], Draft]] = {
    "user_message": _user,
    "reasoning_message": _reasoning,
    "approval_request_message": _request,
    "tool_return_message": _return,
    "assistant_message": _assistant,
    "usage_statistics": _usage,
}

READER = Reader("openletta", lambda: _read, OpenLettaView())


def _is_message(value: JsonValue) -> bool:
    if not isinstance(value, dict) or value.get("message_type") not in _KINDS:
        return False
    return "id" not in value and "date" not in value  # those are Letta's


FORMAT = format_of_items(READER, "OpenLetta messages", _is_message)
