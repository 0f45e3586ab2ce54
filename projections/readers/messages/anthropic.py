"""Reader of Anthropic's messages: requests, answers, and arrays of both.

An answer is one model response: its messages share the id. `system` is the first message.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History, items_in
from agentlog.projections.readers.messages.anthropic_blocks import (
    KNOWN,
    answer,
    is_content,
    read_blocks,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_SAYS = {"user": "input", "assistant": "reply", "system": "system"}
_OF_REQUESTS = frozenset(
    {
        "max_tokens",
        "metadata",
        "model",
        "stop_sequences",
        "stream",
        "temperature",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
    }
)


def _read(document: JsonValue) -> Iterator[History]:
    reading, facts = Reading("anthropic", known=KNOWN | _OF_REQUESTS), {}
    items, place = items_in(document), ""
    if isinstance(document, dict) and items is not None:
        place = "messages"
        if isinstance(document.get("model"), str):
            facts = {"model": document["model"]}
        _read_request(reading, Fields(document, ""))
    elif items is None and _is_message(document):
        items = [document]
    if items is None:
        raise InvalidMessage.at("", "has no messages")
    for index, item in enumerate(items):
        at = place if isinstance(document, dict) and not place else f"{place}[{index}]"
        _read_message(reading, Fields(item, at), index)
    yield reading.history(metadata=facts)


def _read_request(reading: Reading, request: Fields) -> None:
    """Add the system prompt, or else a message that keeps the request's fields."""
    request.take("messages")
    system = request.item.get("system")
    entry = Entry(reading, request)
    if isinstance(system, str | list) and system:
        request.take("system")
        read_blocks(entry, system, "system", "system")
    elif left := request.left():
        entry.keep(Fields(left, ""), "request", is_known=True)
        reading.note(request, left)


def _read_message(reading: Reading, message: Fields, index: int) -> None:
    says = _SAYS.get(role) if isinstance(role := message.item.get("role"), str) else None
    if says is None or "content" not in message.item:
        reading.keep(message, "message")
        return
    message.take("role")
    of_draft: Item = {}
    if says == "reply":
        given = message.text("id")
        of_draft = {"metadata": {"responseId": given or f"import-{index}"}}
    entry = Entry(reading, message, **of_draft)
    response = answer(message) if says == "reply" else None
    content = message.take("content")
    if message.item.get("type") == "message":
        message.take("type")
    if response is not None:
        entry.add(response)
    read_blocks(entry, content, f"{message.place}.content", says)
    if not entry.count:
        entry.keep(message, "message", is_known=True)


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is a message that can be no other format's."""
    match value:
        case {"tool_calls": _} | {"parts": _}:
            return False
        case {"type": "message", "role": "assistant", "content": list(), "stop_reason": _}:
            return True
        case {"role": "user" | "assistant" | "system", "content": content, **rest}:
            return rest.get("type", "message") == "message" and is_content(content)
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    system = array_of(object_of(value).get("system"))
    items = items_in(value)
    if items is None:
        return False
    of_system = all(isinstance(block, dict) and block.get("type") == "text" for block in system)
    return any(map(_is_message, items)) or (system != [] and of_system)


FORMAT = Format(
    "anthropic",
    "Anthropic messages",
    _read,
    is_document=_is_document,
    is_item=_is_message,
)
