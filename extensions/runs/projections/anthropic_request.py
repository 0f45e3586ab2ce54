"""A chat completions request as Anthropic's Messages API takes it.

The system prompt stands apart, calls and results are blocks, turns of one role are merged, a
user's comes first, ids are unique, and no text is empty. `max_tokens` is required, and tools are
where a message has calls.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter

from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.projections.view import Item
from agentlog.projections.views.repair.anthropic import AnthropicWire
from agentlog.projections.views.repair.anthropic_blocks import block_of, blocks_of
from agentlog.projections.views.repair.media import media_in
from agentlog.projections.views.repair.view import repaired

MAX_TOKENS = 4096
"""Sent where the request has no limit."""

_SAME = ("temperature", "top_p")
_CHOICES: Mapping[JsonValue, str] = {"auto": "auto", "none": "none", "required": "any"}


def anthropic_request(chat: Item) -> tuple[Item, list[str]]:
    """Return the request, and what of it was changed or left out, in words."""
    items = objects_of(chat["messages"])
    begin = next((n for n, item in enumerate(items) if not _is_system(item)), len(items))
    notes = []
    request: Item = {"max_tokens": _max_tokens(chat)}
    if request["max_tokens"] is None:
        request["max_tokens"] = MAX_TOKENS
        notes.append(f"max_tokens is {MAX_TOKENS}")
    if system := [block for item in items[:begin] for block in _texts(item.get("content"))]:
        request["system"] = system[0]["text"] if len(system) == 1 else [*system]
    messages = repaired(AnthropicWire(), map(_message, items[begin:]))
    request["messages"] = [*_turns(messages)]
    defined = map(_defined, array_of(chat.get("tools")))
    tools = {name: _tool(name, description, schema) for name, description, schema in defined}
    unknown = sorted(_called(messages) - tools.keys())
    if unknown:
        notes.append(f"tools without a definition take any arguments: {', '.join(unknown)}")
    tools |= {name: _tool(name, None, {"type": "object"}) for name in unknown}
    if tools:
        request["tools"] = [*tools.values()]
        if (choice := _choice(chat.get("tool_choice"))) is not None:
            request["tool_choice"] = choice
    request |= {name: chat[name] for name in _SAME if name in chat}
    if stop := chat.get("stop"):
        request["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    left_out = chat.keys() - {
        *("model", "messages", "tools", "tool_choice", "stop", *_SAME),
        *("max_tokens", "max_completion_tokens"),
    }
    if left_out:
        notes.append(f"left out: {', '.join(sorted(left_out))}")
    return request, notes


def _is_system(item: Item) -> bool:
    return item["role"] in {"system", "developer"}


def _max_tokens(chat: Item) -> JsonValue:
    return chat.get("max_completion_tokens", chat.get("max_tokens"))


def _tool(name: str, description: str | None, schema: Item) -> Item:
    described: Item = {} if description is None else {"description": description}
    return {"name": name, **described, "input_schema": schema}


def _choice(choice: JsonValue) -> Item | None:
    match choice:
        case str() if choice in _CHOICES:
            return {"type": _CHOICES[choice]}
        case {"function": {"name": str(name)}}:
            return {"type": "tool", "name": name}
        case _:
            return None


def _called(messages: Iterable[Item]) -> set[str]:
    blocks = (block for message in messages for block in blocks_of(message))
    return {str(block["name"]) for block in blocks if block["type"] == "tool_use"}


def _turns(messages: Iterable[Item]) -> Iterator[Item]:
    """Yield messages, those of one role in a row as one."""
    for role, turn in groupby(messages, itemgetter("role")):
        content: list[JsonValue] = [block for message in turn for block in blocks_of(message)]
        yield {"role": role, "content": content}


def _message(item: Item) -> Item:
    content: list[JsonValue] = [*_blocks(item)]
    return {"role": "assistant" if item["role"] == "assistant" else "user", "content": content}


def _blocks(item: Item) -> Iterator[Item]:
    content = item.get("content")
    if item["role"] == "tool":
        output: JsonValue = [*map(_part, objects_of(content))]
        output = content if isinstance(content, str) else output
        yield {"type": "tool_result", "tool_use_id": item.get("tool_call_id"), "content": output}
        return
    if item["role"] == "user" and isinstance(content, list):
        yield from map(_part, objects_of(content))
    else:
        yield from _texts(content)
    if refusal := text_at(item, "refusal"):
        yield {"type": "text", "text": refusal}
    yield from map(_call, objects_of(item.get("tool_calls")))


def _texts(content: JsonValue) -> Iterator[Item]:
    """Yield the texts of content that are not blank."""
    texts = (
        [content]
        if isinstance(content, str)
        else [text_at(object_of(part), "text", "refusal") for part in array_of(content)]
    )
    for text in texts:
        if text and text.strip():
            yield {"type": "text", "text": text}


def _part(part: Item) -> Item:
    """Return a part of a message: a text, an image, a document, or the name of another file."""
    media = media_in(part)
    if media is not None:
        return block_of(media)
    text = text_at(part, "text", "refusal")
    return {"type": "text", "text": f"[{part.get('type')}]" if text is None else text}


def _call(call: Item) -> Item:
    custom = object_at(call, "custom")
    function = object_at(call, "function")
    name = custom.get("name", function.get("name"))
    text = str(custom.get("input", function.get("arguments")))
    arguments = parse_or(text)
    whole = arguments if isinstance(arguments, dict) else text
    return {"type": "tool_use", "id": call.get("id"), "name": name, "input": whole}


def _defined(tool: JsonValue) -> tuple[str, str | None, Item]:
    """Return the name, description and schema of a tool of a request."""
    function = object_at(object_of(tool), "function")
    schema = object_at(function, "parameters") or {"type": "object"}
    return str(function["name"]), text_at(function, "description"), schema
