"""A chat completions request as Anthropic's Messages API takes it.

The system prompt stands apart, calls and results are blocks, turns of one role are merged, a
user's comes first, ids are unique, and no text is empty. `max_tokens` is required, and tools are
where a message has calls.
"""

from collections.abc import Iterable, Iterator, Mapping

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import (
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
    text_at,
)
from agentlog.projections.exchanges.pairing import paired
from agentlog.projections.exchanges.reconstruction import tool_definition
from agentlog.projections.view import Item

MAX_TOKENS = 4096
"""Sent where the request has no limit."""

_SAME = ("temperature", "top_p")
_CHOICES: Mapping[JsonValue, str] = {"auto": "auto", "none": "none", "required": "any"}
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BEGIN = "."
"""A user's message before an assistant's first one: the API wants one that has a text."""


def anthropic_request(chat: Item) -> tuple[Item, list[str]]:
    """Return the request, and what of it was changed or left out, in words."""
    items = paired(objects_of(chat["messages"]), across_turns=True)
    begin = next((n for n, item in enumerate(items) if not _is_system(item)), len(items))
    notes = []
    request: Item = {"max_tokens": _max_tokens(chat)}
    if request["max_tokens"] is None:
        request["max_tokens"] = MAX_TOKENS
        notes.append(f"max_tokens is {MAX_TOKENS}")
    if system := [block for item in items[:begin] for block in _texts(item.get("content"))]:
        request["system"] = system[0]["text"] if len(system) == 1 else [*system]
    request["messages"] = [*_turns(items[begin:])]
    defined = map(tool_definition, array_of(chat.get("tools")))
    tools = {name: _tool(name, description, schema) for name, description, schema in defined}
    unknown = sorted(_called(items) - tools.keys())
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


def _called(items: Iterable[Item]) -> set[str]:
    return {
        str(_call(call)["name"]) for item in items for call in objects_of(item.get("tool_calls"))
    }


def _turns(items: Iterable[Item]) -> Iterator[Item]:
    """Yield messages whose roles alternate, a user's first."""
    role, content = "user", list[JsonValue]()
    for item in items:
        speaker = "assistant" if item["role"] == "assistant" else "user"
        blocks = list(_blocks(item))
        if not blocks:
            continue
        if speaker != role:
            begun: list[JsonValue] = [{"type": "text", "text": _BEGIN}]
            yield {"role": role, "content": content or begun}
            role, content = speaker, []
        content += blocks
    if content:
        yield {"role": role, "content": content}


def _blocks(item: Item) -> Iterator[Item]:
    content = item.get("content")
    if item["role"] == "tool":
        result: Item = {"type": "tool_result", "tool_use_id": item["tool_call_id"]}
        yield {**result, "content": [*_texts(content)]}
        return
    if item["role"] == "user" and isinstance(content, list):
        for part in content:
            yield from _part(object_of(part))
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


def _part(part: Item) -> Iterator[Item]:
    """Yield a part of a user's message: a text, an image, a PDF, or the name of another file."""
    url = text_at(object_at(part, "image_url"), "url")
    data = url or text_at(object_at(part, "file"), "file_data") or ""
    kind, _, encoded = data.removeprefix("data:").partition(";base64,")
    if "text" in part:
        yield from _texts([part])
    elif kind in _IMAGES:
        yield {"type": "image", "source": _base64(kind, encoded)}
    elif kind == "application/pdf":
        yield {"type": "document", "source": _base64(kind, encoded)}
    elif url is not None and url.startswith("https://"):
        yield {"type": "image", "source": {"type": "url", "url": url}}
    else:
        name = text_at(object_at(part, "file"), "filename") or part["type"]
        yield {"type": "text", "text": f"[file {name}]"}


def _base64(kind: str, encoded: str) -> Item:
    return {"type": "base64", "media_type": kind, "data": encoded}


def _call(call: Item) -> Item:
    custom = object_at(call, "custom")
    function = object_at(call, "function")
    name = custom.get("name", function.get("name"))
    text = str(custom.get("input", function.get("arguments")))
    try:
        arguments = parse(text)
    except InvalidJson:
        arguments = text
    if not isinstance(arguments, dict):
        arguments = {"arguments": arguments}
    return {"type": "tool_use", "id": call["id"], "name": name, "input": arguments}
