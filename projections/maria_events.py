"""The shapes of Maria's events, and what an import may keep of a source's own.

Shapes are those of moonbitlang/maria (`event/event.mbt`, `ai/convert.mbt`): a tool message always
has its content in parts, content is never null, and token usage has OpenAI's names.
"""

from collections.abc import Iterator
from hashlib import sha1
from itertools import count
from uuid import NAMESPACE_OID, uuid5

from domain.errors import InvalidJson
from domain.identifiers import is_message_id
from domain.json_text import JsonValue, parse
from domain.messages import TokenUsage, ToolResult
from projections.chat import call_ids
from projections.view import Item
from projections.wording import result_text

_BASE_32 = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789abcdefghijklmnopqrstuv")
"""Crockford's digits → those that `int` reads."""

_UNVERSIONED = ~(0xF << 76 | 0b11 << 62)
_VERSION_5 = 5 << 76 | 0b10 << 62  # RFC 9562, sections 5.5 and 4.1


def event_ids(message_id: str) -> Iterator[str]:
    """Yield ids for the events of a message: its ULID as a UUID, then version 5 UUIDs under that.

    By hand, for every event of a view has one: the ulid and uuid packages take three times as long.
    """
    if is_message_id(message_id):
        own = int(message_id.translate(_BASE_32), 32)
    else:
        own = uuid5(NAMESPACE_OID, message_id).int
    yield _hyphenated(own)
    namespace = own.to_bytes(16)
    for ordinal in count(1):
        digest = sha1(namespace + b"%d" % ordinal, usedforsecurity=False).digest()
        number = int.from_bytes(digest[:16])
        yield _hyphenated(number & _UNVERSIONED | _VERSION_5)


def _hyphenated(number: int) -> str:
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


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


def before_call(call: Item) -> Item:
    """Return the event before a call runs; arguments that are no JSON stay the string they are."""
    name, arguments = call["function"]["name"], call["function"]["arguments"]
    try:
        args = parse(arguments)
    except InvalidJson:
        args = arguments
    return {"msg": "PreToolCall", "tool_call": call, "name": name, "args": args}


def after_call(call: Item, result: ToolResult) -> Item:
    """Return the event after a call ran: what it gave, and the text of that."""
    item: Item = {"msg": "PostToolCall", "tool_call": call, "name": call["function"]["name"]}
    match result.error:
        case None:
            item["result"] = result.output
        case str(error):
            item["error"] = error
        case error:
            item["error"] = error.model_dump(exclude_unset=True)
    return {**item, "text": result_text(result)}


def tool_message(call: Item, result: ToolResult) -> Item:
    """Return the event by which the model will read a result."""
    content = text_parts(result_text(result))
    message = {"role": "tool", "content": content, "tool_call_id": call["id"]}
    return {"msg": "MessageAdded", "message": message}


def text_parts(*texts: str) -> list[JsonValue]:
    """Return content in parts."""
    return [{"type": "text", "text": text} for text in texts]


def permitted(item: Item, key: str, value: JsonValue) -> bool:
    """Let a residue change how an event is put, never what it is, who speaks or who answers whom.

    Value None also stands for: take the key away.
    """
    match key:
        case "desc":
            return _permits_all(item.get("desc"), value)
        case "msg":
            # a source may have the assistant's turn in MessageAdded, too
            return bool(item.get("msg") == "RequestCompleted" and value == "MessageAdded")
        case "message":
            return _same_message(item.get("message"), value)
        case "tool_call":
            both = isinstance(item.get("tool_call"), dict) and isinstance(value, dict)
            return both and item["tool_call"].get("id") == value.get("id")
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
