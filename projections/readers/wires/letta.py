"""Reader of Letta messages, as the API lists or streams them (letta-client 1.12)."""

from collections.abc import Callable, Mapping, Sequence

from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of, object_at, object_of, objects_of
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft, Reader, text_field
from agentlog.projections.readers.fields import milliseconds
from agentlog.projections.readers.history import format_of_items
from agentlog.projections.readers.wires.letta_parts import input_draft, parts_text
from agentlog.projections.residue import METADATA_KEY
from agentlog.projections.token_words import LETTA
from agentlog.projections.view import Item
from agentlog.projections.views.letta.residue import AWAITS_PERSON, EXIT_REASONS, STOP_REASONS
from agentlog.projections.views.letta.turns import LettaOptions
from agentlog.projections.views.letta.view import CUSTOM, LettaView

_ERROR = "Error: "


def result_fields(call_id: str, status: JsonValue, output: JsonValue) -> Item:
    """Return a tool result from its content: a text, or content parts."""
    if status == "success":
        return {"callId": call_id, "output": output, "error": None}
    if status != "error":
        return {"callId": call_id, "output": output}
    text = output if isinstance(output, str) else print_text(output)
    return {"callId": call_id, "output": None, "error": text.removeprefix(_ERROR)}


def identifier(item: JsonValue, key: str, place: str) -> str:
    """Return the id under `key` of an object at `place`, or raise `InvalidMessage`."""
    match item:
        case {**fields} if isinstance(value := fields.get(key), str) and value:
            return value
        case _:
            raise InvalidMessage([Flaw(f"{place}.{key}".removeprefix("."), "not an id")])


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    kind = item.get("message_type")
    read = _KINDS.get(kind) if isinstance(kind, str) else None
    if read is None:
        reason = f"{str(kind)[:64]!r} is none of Letta's: use {', '.join(_KINDS)}"
        raise InvalidMessage([Flaw("message_type", reason)])
    return [{**draft, **_circumstances(item, draft)} for draft in read(item)]


def _circumstances(item: Item, draft: Draft) -> Item:
    """Return a message's time and its model response id."""
    fields: Item = {}
    timestamp = milliseconds(item.get("date"))
    if timestamp is not None:
        fields["timestamp"] = timestamp
    if isinstance(item.get("step_id"), str):
        fields["metadata"] = {**object_at(draft, "metadata"), "responseId": item["step_id"]}
    return fields


def _together(drafts: Sequence[Draft], size: int) -> Sequence[Draft]:
    """Return the drafts with a note of how many parts share one item."""
    if size < 2:  # noqa: PLR2004 - one part is no group
        return drafts
    note: Item = {METADATA_KEY: {LettaView.name: [{"group": size}]}}
    return [{**drafts[0], "metadata": note}, *drafts[1:]]


def _system(item: Item) -> Sequence[Draft]:
    return [{"type": "system", "text": text_field(item, "content")}]


def _user(item: Item) -> Sequence[Draft]:
    return [input_draft(item)]


def _assistant(item: Item) -> Sequence[Draft]:
    return [{"type": "reply", "text": parts_text(item, "content")}]


def _reasoning(item: Item) -> Sequence[Draft]:
    return [{"type": "reasoning", "title": "", "summary": text_field(item, "reasoning")}]


def _calls(item: Item) -> Sequence[Draft]:
    listed = item.get("tool_calls")
    calls = array_of(listed)
    read = [_call(call, f"tool_calls[{n}]") for n, call in enumerate(calls)]
    if item.get("tool_call") is not None or not read:
        first = _call(item.get("tool_call"), "tool_call")
        if first["id"] not in {call["id"] for call in read}:
            read.insert(0, first)
    return _together([{"type": "tool_calls", "calls": [*read]}], len(read))


def _call(call: JsonValue, place: str) -> Item:
    match call:
        case {"name": str(name), "arguments": str(arguments)}:
            return {"id": identifier(call, "tool_call_id", place), **call_fields(name, arguments)}
        case _:
            reason = "not a whole call: it needs tool_call_id, name and arguments (strings)"
            raise InvalidMessage([Flaw(place, reason)])


def _request(item: Item) -> Sequence[Draft]:
    drafts = _calls(item)
    return [*drafts, *(_asks(call) for call in objects_of(drafts[0]["calls"]))]


def _asks(call: Item) -> Draft:
    args = call["args"] if "args" in call else call["argumentsText"]
    return {"type": "approval_request", "callId": call["id"], "tool": call["name"], "args": args}


def _response(item: Item) -> Sequence[Draft]:
    listed = item.get("approvals")
    if not isinstance(listed, list) or not listed:
        return [_word(item, item.get("approval_request_id") or "unknown", "")]
    places = [f"approvals[{n}]" for n in range(len(listed))]
    drafts = [
        _word(object_of(call), identifier(call, "tool_call_id", place), place)
        for call, place in zip(listed, places, strict=True)
    ]
    return _together(drafts, len(drafts))


def _word(call: Item, call_id: JsonValue, place: str) -> Draft:
    """Return the person's decision on one call; a tool return in its place is an approval."""
    draft: Draft = {"type": "approval_response", "callId": call_id}
    match call:
        case {"approve": bool(approved)}:
            draft["approved"] = approved
        case {"type": "tool"} if "approve" not in call:
            draft["approved"] = True
        case _:
            where = f"{place}.approve".removeprefix(".")
            raise InvalidMessage([Flaw(where, "neither true nor false")])
    if isinstance(call.get("reason"), str):
        draft["reason"] = call["reason"]
    return draft


def _returns(item: Item) -> Sequence[Draft]:
    listed = item.get("tool_returns")
    several = isinstance(listed, list) and len(listed) > 1
    results = (
        [_return(returned, f"tool_returns[{n}]") for n, returned in enumerate(listed)]
        if isinstance(listed, list) and several
        else [_return(item, "")]
    )
    if not several and isinstance(item.get("name"), str):
        results[0]["name"] = item["name"]
    return _together([{"type": "tool_results", "results": [*results]}], len(results))


def _return(value: JsonValue, place: str) -> Item:
    returned, call_id = object_of(value), identifier(value, "tool_call_id", place)
    if "tool_return" not in returned:
        raise InvalidMessage([Flaw(f"{place}.tool_return".removeprefix("."), "missing")])
    return result_fields(call_id, returned.get("status"), returned["tool_return"])


def _usage(item: Item) -> Sequence[Draft]:
    return [{"type": "llm_response", "usage": LETTA.figures(item)}]


def _stop(item: Item) -> Sequence[Draft]:
    reason = text_field(item, "stop_reason")
    if reason == AWAITS_PERSON:  # waiting, not stopped
        return _custom(item)
    ours = EXIT_REASONS.get(reason, "error")
    draft: Draft = {"type": "exit", "reason": ours}
    return [draft if STOP_REASONS[ours] == reason else {**draft, "message": reason}]


def _error(item: Item) -> Sequence[Draft]:
    return [{"type": "runtime_error", "error": text_field(item, "message")}]


def _custom(item: Item) -> Sequence[Draft]:
    return [{"type": f"letta.{item['message_type']}", "payload": item}]


def _nothing(item: Item) -> Sequence[Draft]:
    del item
    return []


_KINDS: Mapping[str, Callable[[Item], Sequence[Draft]]] = {
    **dict.fromkeys(sorted(CUSTOM), _custom),
    "system_message": _system,
    "user_message": _user,
    "assistant_message": _assistant,
    "reasoning_message": _reasoning,
    "tool_call_message": _calls,
    "approval_request_message": _request,
    "approval_response_message": _response,
    "tool_return_message": _returns,
    "usage_statistics": _usage,
    "stop_reason": _stop,
    "error_message": _error,
    "ping": _nothing,
}

READER = Reader("letta", lambda: _read, LettaView(LettaOptions(stream=True)))


def _is_message(value: JsonValue) -> bool:
    if not isinstance(value, dict) or value.get("message_type") not in _KINDS:
        return False
    return "id" in value or "date" in value or value["message_type"] in _OF_STREAMS


_OF_STREAMS = ("usage_statistics", "stop_reason", "ping")

FORMAT = format_of_items(READER, "Letta messages", _is_message)
