"""What the length of a request to a model is made of: tools, the prompt, and messages by role."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at
from agentlog.projections.exchanges.requests import is_assistants, is_system
from agentlog.projections.view import Item

Part = Literal["tools", "system", "user", "assistant", "tool", "other"]

_ROLES: Mapping[str | None, Part] = {"user": "user", "tool": "tool", "function": "tool"}


class RequestPart(NamedTuple):
    """A part of a request: the places of its messages, and its characters as JSON.

    `tokens` is its share, by characters, of the input tokens that the provider reported.
    """

    part: Part
    messages: Sequence[int]
    characters: int
    tokens: int | None


def request_parts(
    tools: JsonValue, prompt: JsonValue, messages: Sequence[Item], *, input_tokens: int | None
) -> list[RequestPart]:
    """Return the parts of a request in the order in which a model reads them; none is empty."""
    places: dict[Part, list[int]] = {}
    characters: dict[Part, int] = {}
    for part, place, value in _pieces(tools, prompt, messages):
        places.setdefault(part, []).extend([] if place is None else [place])
        characters[part] = characters.get(part, 0) + len(print_text(value))
    whole = sum(characters.values())
    return [
        RequestPart(
            part,
            places[part],
            count,
            None if input_tokens is None else round(input_tokens * count / whole),
        )
        for part, count in characters.items()
    ]


def _pieces(
    tools: JsonValue, prompt: JsonValue, messages: Sequence[Item]
) -> Iterator[tuple[Part, int | None, JsonValue]]:
    if tools:
        yield "tools", None, tools
    if prompt:
        yield "system", None, prompt
    for place, message in enumerate(messages):
        yield _part_of(message), place, message


def _part_of(message: Item) -> Part:
    if is_system(message):
        return "system"
    if is_assistants(message):
        return "assistant"
    blocks = [object_of(b) for b in array_of(message.get("content") or message.get("parts"))]
    are_results = [b.get("type") == "tool_result" or "functionResponse" in b for b in blocks]
    if (text_at(message, "type") or "").endswith("_output") or (are_results and all(are_results)):
        return "tool"
    return _ROLES.get(text_at(message, "role"), "other")
