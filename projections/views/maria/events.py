"""Shapes of Maria's events, and the rules for their residues.

Shapes are those of moonbitlang/maria (`event/event.mbt`, `ai/convert.mbt`): a tool message always
has its content in parts, content is never null, and token usage has OpenAI's names.
"""

from hashlib import sha1
from uuid import NAMESPACE_OID, uuid5

from agentlog.domain.json.text import MAX_DEPTH, parse_or
from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.domain.messages import TokenUsage, ToolCall, ToolResult
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of, result_content
from agentlog.projections.view import Item
from agentlog.projections.views.chat import call_ids, called_tool, called_with, turn_content

_CROCKFORD, _PLAIN = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ", b"0123456789abcdefghijklmnopqrstuv"
_BASE_32 = bytes(_PLAIN[_CROCKFORD.index(n)] if n in _CROCKFORD else ord("!") for n in range(256))
"""A ULID's digits → digits for `int` in base 32; any other character → an exclamation mark."""

_ULID_LENGTH = 26
_VARIANT = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
"""A hexadecimal digit → the same with its upper bits set to 10 (RFC 9562, section 4.1)."""


def event_ids(message_id: str, count: int) -> list[str]:
    """Return ids for the events of a message: its ULID as a UUID, then version 5 UUIDs under that.

    Not by the ulid and uuid packages: they take 5x as long, and every event of a view has an id.
    """
    digits = message_id.encode().translate(_BASE_32)
    if len(digits) == _ULID_LENGTH and digits < b"8" and b"!" not in digits:
        own = int(digits, 32).to_bytes(16)
    else:
        own = uuid5(NAMESPACE_OID, message_id).bytes
    ids = [f"{own[:4].hex()}-{own[4:10].hex('-', 2)}-{own[10:].hex()}"]
    for ordinal in range(1, count):
        x = sha1(b"%b%d" % (own, ordinal), usedforsecurity=False).hexdigest()
        ids.append(f"{x[:8]}-{x[8:12]}-5{x[13:16]}-{_VARIANT[x[16]]}{x[17:20]}-{x[20:32]}")
    return ids


def usage_item(usage: TokenUsage | None) -> Item | None:
    """Return the tokens of a response; a figure that was not reported is null, not 0."""
    if usage is None:
        return None
    item: Item = {
        "completion_tokens": usage.output_tokens,
        "prompt_tokens": usage.input_tokens,
        "total_tokens": usage.total_tokens,
    }
    if usage.cached_input_tokens is not None:
        item["prompt_tokens_details"] = {"cached_tokens": usage.cached_input_tokens}
    return item


def before_call(call: Item, args: JsonValue) -> Item:
    """Return the event before a call runs."""
    return {"msg": "PreToolCall", "tool_call": call, "name": called_tool(call), "args": args}


def given_args(call: Item, asked: ToolCall) -> JsonValue:
    """Return what `read_args` returns, for a call in a message; most need no parsing."""
    if asked.args is None or asked.arguments_text is not None:
        return read_args(call)
    return asked.args if _is_shallow(called_with(call)) else read_args(call)


def read_args(call: Item) -> JsonValue:
    """Return a call's arguments as a value; text that is not JSON stays a string."""
    arguments = called_with(call)
    return parse_or(arguments, arguments)


def _is_shallow(text: str) -> bool:
    return text.count("[") + text.count("{") <= MAX_DEPTH


def after_call(call: Item, result: ToolResult, text: str) -> Item:
    """Return the event after a call ran: its result, and the result as text."""
    item: Item = {"msg": "PostToolCall", "tool_call": call, "name": called_tool(call)}
    match result.error:
        case None:
            item["result"] = result.output
        case str(error):
            item["error"] = error
        case error:
            item["error"] = error.model_dump(exclude_unset=True)
    item["text"] = text
    return item


def tool_message(call: Item, text: str) -> Item:
    """Return the tool message with a result for the model."""
    content: list[JsonValue] = [{"type": "text", "text": text}]
    message: Item = {"role": "tool", "content": content, "tool_call_id": call["id"]}
    return {"msg": "MessageAdded", "message": message}


def permitted(item: Item, key: str, value: JsonValue) -> bool:
    """Permit changes of an event's form, but not of its type, its author or its ids.

    None also removes the key.
    """
    match key:
        case "desc":
            return _permits_all(item.get("desc"), value)
        case "msg":
            # a source may have the assistant's turn in MessageAdded as well
            return bool(item.get("msg") == "RequestCompleted" and value == "MessageAdded")
        case "message":
            return _same_message(item.get("message"), value)
        case "tool_call":
            call = item.get("tool_call")
            both = isinstance(call, dict) and isinstance(value, dict)
            return both and object_of(call).get("id") == object_of(value).get("id")
        case "tool_calls":
            same = call_ids(item.get("tool_calls")) == call_ids(value)
            return same and "tool_calls" in item and (value is None or isinstance(value, list))
        case "content":
            return "content" in item and _is_content(value)
        case _:
            return True


def _permits_all(desc: JsonValue, value: JsonValue) -> bool:
    if not isinstance(desc, dict) or not isinstance(value, dict):
        return False
    return all(
        permitted(desc, key, value.get(key))
        for key in {**desc, **value}
        if key not in desc or key not in value or desc[key] != value[key]
    )


def _same_message(message: JsonValue, value: JsonValue) -> bool:
    if not isinstance(message, dict) or not isinstance(value, dict):
        return False
    return (
        message.get("role") == value.get("role")
        and message.get("tool_call_id") == value.get("tool_call_id")
        and call_ids(message.get("tool_calls")) == call_ids(value.get("tool_calls"))
        and _is_content(value.get("content"))
    )


def _is_content(value: JsonValue) -> bool:
    if isinstance(value, list):
        return all(isinstance(part, dict) for part in value)
    return isinstance(value, str)


_UNSAID = frozenset({"msg", "id", "created", "usage"})


def item_content(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what an event says, in either dialect."""
    desc = object_at(item, "desc") or item
    kind = str(desc.get("msg"))
    call = desc.get("tool_call")
    if isinstance(call, dict):  # before a call runs, or after
        content = content_of(desc, _UNSAID | {"tool_call", "name"})
        return result_content(kind, calls, [(call.get("id"), desc.get("name"), content)])
    turn, message = desc, desc.get("message")
    if isinstance(message, dict) and desc.keys() <= _UNSAID | {"message"}:
        turn = message
    if "tool_call_id" in turn:
        content = content_of(turn, {"role", "tool_call_id"})
        return result_content(kind, calls, [(turn["tool_call_id"], None, content)])
    role = f" {turn['role']}" if "role" in turn else ""
    return turn_content(f"{kind}{role}", turn, calls, _UNSAID | {"role"})
