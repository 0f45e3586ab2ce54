"""Messages in what a span was given and gave back, in whatever form its producer put them there.

They are LangChain's, those of OpenTelemetry with parts, or chat messages of a model's API; alone,
in arrays, or in objects around them; as JSON or as JSON text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages import genai, langchain
from agentlog.projections.readers.messages.blocks import (
    add_call,
    add_result,
    read_blocks,
    read_function,
    text_of_id,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

KNOWN = genai.KNOWN | langchain.KNOWN | {"audio", "finish_reason", "function_call", "refusal"}
"""Fields of messages and blocks that are kept beside as a matter of course."""

_SAYS = {
    "ai": "reply",
    "assistant": "reply",
    "developer": "system",
    "human": "input",
    "model": "reply",
    "system": "system",
    "user": "input",
}
_AROUND = ("messages", "generations", "choices", "message", "output", "input", "prompts")
"""Keys under which objects have messages, the likeliest first."""
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class NestedMessages:
    """Messages in their order, and the objects around them, without the messages."""

    messages: list[Fields]
    around: list[Fields]


def find_messages(value: JsonValue, place: str, depth: int = 0) -> NestedMessages | None:
    """Return the messages in a value, or None if there are none."""
    value = genai.decoded(value)
    if depth > _DEEPEST:
        return None
    if _is_message(value):
        return NestedMessages([Fields(value, place)], [])
    match value:
        case {"text": str(text), "generation_info": _} if "message" not in value:
            around = Fields(value, place)
            around.take("text")
            return NestedMessages([Fields({"role": "assistant", "content": text}, place)], [around])
        case [*items] if items:
            inners = [
                find_messages(item, f"{place}[{n}]", depth + 1) for n, item in enumerate(items)
            ]
            several = [nested for nested in inners if nested is not None]
            if len(several) < len(items):
                return None
            messages = [message for nested in several for message in nested.messages]
            return NestedMessages(
                messages, [around for nested in several for around in nested.around]
            )
        case dict():
            return _within(value, place, depth)
        case _:
            return None


def find_result(value: JsonValue) -> Item | None:
    """Return the result in a message of a tool, None where a value is none or names no call."""
    nested = find_messages(value, "")
    reading = Reading("otlp")
    for message in nested.messages if nested is not None else ():
        read_said(reading, message, response_id=None)
    match reading.drafts:
        case [{"type": "tool_results", "results": [{"callId": str()} as result]}]:
            return dict(result)
        case _:
            return None


def _within(value: Item, place: str, depth: int) -> NestedMessages | None:
    for key in _AROUND:
        inner = value.get(key)
        if key == "prompts" and isinstance(inner, list):
            if not all(isinstance(text, str) for text in inner):
                continue
            inner = [{"role": "user", "content": text} for text in inner]
        nested = find_messages(inner, f"{place}.{key}", depth + 1)
        if nested is not None:
            around = Fields(value, place)
            around.take(key)
            return NestedMessages(nested.messages, [around, *nested.around])
    return None


def read_said(reading: Reading, message: Fields, *, response_id: str | None) -> None:
    """Add the messages of one; `response_id` is that of a model's answer, None for what is told."""
    if langchain.is_message(message.item):
        langchain.read_message(reading, message, response_id=response_id)
    elif genai.is_message(message.item):
        genai.read_message(reading, message, response_id=response_id)
    else:
        _read_chat(reading, message, response_id)


def _read_chat(reading: Reading, message: Fields, response_id: str | None) -> None:
    role = message.item.get("role")
    says = _SAYS.get(role) if isinstance(role, str) else None
    message.drop(*(["role"] if says == role or says in ("input", "reply") else []))
    answered = says == "reply" and response_id is not None
    entry = Entry(
        reading, message, **({"metadata": {"responseId": response_id}} if answered else {})
    )
    content, calls = message.take("content"), list(_calls(message))
    if content is None:
        content = message.text("refusal")
    if answered and isinstance(reason := message.item.get("finish_reason"), str):
        entry.add({"type": "llm_response", "finishReason": reason})
    match message.item:
        case {"type": "function_call" | "function_call_output"}:
            _read_response_item(entry, message)
        case {"role": "tool" | "function", "content": dict()}:
            pass  # the definition of a tool
        case {"role": "tool", "content": [{"function": dict()}, *_]}:  # Koog tells calls so
            read_blocks(entry, content, f"{message.place}.content", "reply")
        case {"role": "tool" | "function"}:
            _read_result(entry, message, content)
        case _ if says is not None and isinstance(content, str | list) and content:
            read_blocks(entry, content, f"{message.place}.content", says)
        case _:
            pass
    for call in calls:
        _read_call(entry, call)
    if not entry.count:
        reading.keep(message, "message", is_known=True)


def _read_response_item(entry: Entry, item: Fields) -> None:
    """Add a call or its result as OpenAI's Responses have them."""
    call_id, part = item.take("call_id"), Fields({}, item.place)
    if "arguments" in item.item:
        item.drop("type", "name", "arguments")
        call = Fields({"id": call_id}, item.place)
        add_call(entry, call, item.item["name"], item.item["arguments"])
    else:
        result = {"callId": text_of_id(call_id), "output": item.take("output")}
        item.drop("type")
        add_result(entry, part, result)


def _calls(message: Fields) -> Iterator[Fields]:
    """Take the calls of an answer, wherever they stand."""
    if isinstance(message.item.get("tool_calls"), list) and message.item["tool_calls"]:
        yield from message.items("tool_calls")
        return
    match message.item.get("additional_kwargs"):
        case {"tool_calls": [dict(), *_] as calls}:
            place = f"{message.place}.additional_kwargs.tool_calls"
            yield from (Fields(call, f"{place}[{n}]") for n, call in enumerate(calls))
        case _:
            pass


def _read_call(entry: Entry, call: Fields) -> None:
    match call.item:
        case {"name": str(name), "args": args}:
            call.drop("name", "args")
            call.take_equal({"type": "tool_call"})
            add_call(entry, call, name, args)
        case _:
            read_function(entry, call)


def _read_result(entry: Entry, message: Fields, content: JsonValue) -> None:
    result: Item = {"callId": text_of_id(message.take("tool_call_id")), "output": content}
    if isinstance(message.item.get("name"), str):
        result["name"] = message.take("name")
    add_result(entry, Fields({}, message.place), result)


def _is_message(value: JsonValue) -> bool:
    match value:
        case {"role": str(role), "content": _} | {"role": str(role), "tool_calls": list()}:
            return role in _SAYS or role in ("tool", "function")
        case {"type": "function_call", "call_id": _, "name": str(), "arguments": _}:
            return True
        case {"type": "function_call_output", "call_id": _, "output": _}:
            return True
        case _:
            return langchain.is_message(value) or genai.is_message(value)
