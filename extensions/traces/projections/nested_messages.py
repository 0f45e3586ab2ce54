"""Messages of any API in a value, in whatever form its producer put them there.

They are LangChain's, those of OpenTelemetry and Gemini with parts, items of OpenAI's Responses, or
chat messages; alone, in arrays, or in objects around them; as JSON or as JSON text.
"""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at, texts_of
from agentlog.projections.readers.fields import Fields, text_of_id, unpacked
from agentlog.projections.readers.messages import (
    ai_sdk,
    bedrock,
    gemini,
    genai,
    langchain,
    responses_items,
)
from agentlog.projections.readers.messages.blocks import read_blocks
from agentlog.projections.readers.messages.calls import (
    RESULT_ROLES,
    add_call,
    add_result,
    is_definition,
    is_nested,
    read_call,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_SAYS = {
    "ai": "reply",
    "assistant": "reply",
    "developer": "system",
    "human": "input",
    "model": "reply",
    "system": "system",
    "user": "input",
}
KNOWN = frozenset(
    {*genai.KNOWN, *langchain.KNOWN, *gemini.KNOWN, *responses_items.KNOWN}
    | {"audio", "finish_reason", "function_call", "refusal"}
    | {"mediaType", "providerExecuted", "providerMetadata", "providerOptions"}
)
"""Fields of messages and blocks that are kept beside as a matter of course."""
ROLES = RESULT_ROLES.union(_SAYS)
_AROUND = (
    *("messages", "generations", "choices", "message", "output", "input", "prompts"),
    *("contents", "candidates", "content", "prompt", "items", "replies", "value"),
)
"""Keys under which objects have messages, the likeliest first."""
_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction")
"""Keys under which requests have their system prompt, beside the messages."""
_DEEPEST = 6


def messages_in(value: JsonValue, depth: int = 0) -> list[Item] | None:
    """Return the messages in a value, or None if there are none."""
    value = unpacked(value)
    if depth > _DEEPEST:
        return None
    match value:
        case dict() if _is_message(value):
            return [value]
        case {"text": str(text), "generation_info": _, **around} if "message" not in around:
            return [{"role": "assistant", "content": text}]
        case {"text": str(text), "toolCalls": [*calls]}:  # a result of the AI SDK
            texts: list[JsonValue] = [{"type": "text", "text": text}] if text else []
            return [{"role": "assistant", "content": [*texts, *calls]}]
        case [*items] if items:
            messages: list[Item] = []
            for item in items:
                inside = messages_in(item, depth + 1)
                if inside is None:
                    return None
                messages += inside
            return messages
        case dict():
            inside_keys = (_within(value, key, depth) for key in _AROUND if key in value)
            inner = next((messages for messages in inside_keys if messages is not None), None)
            return inner and [*_prompts(value), *inner]
        case _:
            return None


def _prompts(request: Item) -> Iterator[Item]:
    """Yield the system prompts that stand beside the messages of a request."""
    for key in _SYSTEM:
        match request.get(key) or object_at(request, "config").get(key):
            case str(text) if text:
                yield {"role": "system", "content": text}
            case [*blocks] if texts_of([block.get("text") for block in objects_of(blocks)]):
                yield {"role": "system", "content": blocks}
            case {"parts": [*parts]}:
                yield {"role": "system", "parts": parts}
            case _:
                pass


def _within(value: Item, key: str, depth: int) -> list[Item] | None:
    inner = value[key]
    if key == "prompt" and isinstance(inner, str) and inner:
        return [{"role": "user", "content": inner}]
    if key == "prompts" and isinstance(inner, list):
        texts = [text for text in inner if isinstance(text, str)]
        if len(texts) == len(inner):
            return [{"role": "user", "content": text} for text in texts]
    return messages_in(inner, depth + 1)


def result_in(value: JsonValue) -> Item | None:
    """Return the result in a message of a tool, None where a value is none or names no call."""
    reading = Reading("result")
    for message in messages_in(value) or ():
        read_message(reading, Fields(message, ""), response_id=None)
    match reading.drafts:
        case [{"type": "tool_results", "results": [dict(result)]}] if "callId" in result:
            return result
        case _:
            return None


def defines_tool(message: Item) -> bool:
    """Return whether a message has the definition of a tool: LangChain's tracers tell them so."""
    has_call = "tool_call_id" in message
    return message.get("role") == "tool" and not has_call and is_definition(message.get("content"))


def read_message(reading: Reading, message: Fields, *, response_id: str | None) -> None:
    """Add the messages of one; `response_id` is that of a model's answer, else None."""
    item = message.item
    if langchain.is_message(item):
        langchain.read_message(reading, message, response_id=response_id)
    elif isinstance(item.get("parts"), list):
        read = gemini.read_message if gemini.is_content(item) else genai.read_message
        read(reading, message, response_id=response_id)
    elif "role" not in item and responses_items.is_item(item):
        responses_items.read_item(Entry(reading, message), message)
    else:
        _read_chat(reading, message, response_id)


def _read_chat(reading: Reading, message: Fields, response_id: str | None) -> None:
    role = text_at(message.item, "role") or ""
    says = _SAYS.get(role)
    message.drop(*(["role"] if says == role or says in ("input", "reply") else []))
    content, calls = message.take("content"), list(_calls(message))
    if content is None:
        content = message.text("refusal")
    entry = Entry(reading, message)
    if says == "reply" and response_id is not None:
        entry = Entry(reading, message, metadata={"responseId": response_id})
        if isinstance(reason := message.item.get("finish_reason"), str):
            entry.add({"type": "llm_response", "finishReason": reason})
    if role in RESULT_ROLES:
        _read_result(entry, message, content, role)
    elif says is not None and isinstance(content, str | list) and content:
        read_blocks(entry, content, message.within("content"), says)
    for call in calls:
        _read_call(entry, call)
    if not entry.count:
        reading.keep(message, "message", is_known=True)


def _calls(message: Fields) -> Iterator[Fields]:
    """Take the calls of an answer, wherever they stand."""
    if message.item.get("tool_calls"):
        yield from message.items("tool_calls")
        return
    place = message.within("additional_kwargs.tool_calls")
    calls = object_at(message.item, "additional_kwargs").get("tool_calls")
    yield from (Fields(call, f"{place}[{n}]") for n, call in enumerate(objects_of(calls)))


def _read_call(entry: Entry, call: Fields) -> None:
    match call.item:
        case {"name": str(name), "args": args}:
            call.drop("name", "args")
            call.take_equal({"type": "tool_call"})
            add_call(entry, call, name, args)
        case _:
            read_call(entry, call)


def _read_result(entry: Entry, message: Fields, content: JsonValue, role: str) -> None:
    parts = objects_of(content)
    if role == "tool" and any(  # Koog tells calls so
        is_nested(part) or ai_sdk.is_result(part) or bedrock.is_block(part) for part in parts
    ):
        read_blocks(entry, content, message.within("content"), "reply")
        return
    call_id = message.take("tool_call_id") or message.item.get("id")
    result: Item = {"callId": text_of_id(call_id), "output": content}
    if (name := message.text("name")) is not None:
        result["name"] = name
    add_result(entry, Fields({}, message.place), result)


def _is_message(value: Item) -> bool:
    match value:
        case {"role": str(role), "content": _} | {"role": str(role), "tool_calls": list()}:
            return role in ROLES
        case {"parts": list()}:
            return genai.is_message(value) or gemini.is_content(value)
        case _:
            return langchain.is_message(value) or responses_items.is_item(value)
