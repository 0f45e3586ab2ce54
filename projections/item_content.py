"""What an item of a view says, without what differs by nature from run to run.

Ids, times, usage and latency are left out. A call id is replaced by its tool and its place among
the calls of its item, so that a result still says which call it answers.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import JsonValue

CallPlaces = dict[str, tuple[str, int]]
"""Ids of calls, each with its tool and its place among the calls of its item."""

_TEXTS = frozenset(
    {"content", "error", "output", "payload", "prompt", "reasoning", "result", "text"}
)


class ItemContent(NamedTuple):
    """What an item says; `type` and `tools`, those called or answered, are its kind.

    `content` is a text where the item is one, else any JSON. `places`: the place of each call that
    is answered, None where the call is not known.
    """

    type: str
    content: JsonValue
    tools: tuple[str, ...] = ()
    places: tuple[int | None, ...] = ()

    @property
    def is_call(self) -> bool:
        """Whether the item calls tools; a result has places."""
        return bool(self.tools) and not self.places


def content_of(item: Mapping[str, JsonValue], unsaid: Collection[str]) -> JsonValue:
    """Return what an item has under other keys than `unsaid`: as a text where that is all."""
    rest = {key: value for key, value in item.items() if key not in unsaid}
    if len(rest) == 1:
        ((key, value),) = rest.items()
        if key in _TEXTS and isinstance(value, str):
            return value
    return rest


def call_content(
    type_name: str, calls: CallPlaces, asked: Iterable[tuple[JsonValue, JsonValue, JsonValue]]
) -> ItemContent:
    """Return what calls say, given the id, name and arguments of each; adds them to `calls`."""
    tools: list[str] = []
    contents: list[JsonValue] = []
    for index, (call_id, name, arguments) in enumerate(asked):
        tools.append(str(name))
        contents.append(arguments)
        if isinstance(call_id, str):
            calls[call_id] = str(name), index
    return ItemContent(type_name, _one_or_all(contents), tuple(tools))


def result_content(
    type_name: str, calls: CallPlaces, answered: Iterable[tuple[JsonValue, JsonValue, JsonValue]]
) -> ItemContent:
    """Return what results say, given the call id, tool and content of each; a tool may be None."""
    tools: list[str] = []
    places: list[int | None] = []
    contents: list[JsonValue] = []
    for call_id, name, content in answered:
        tool, place = calls.get(call_id, ("", None)) if isinstance(call_id, str) else ("", None)
        tools.append(name if isinstance(name, str) else tool)
        places.append(place)
        contents.append(content)
    return ItemContent(type_name, _one_or_all(contents), tuple(tools), tuple(places))


def arguments_of(text: JsonValue) -> JsonValue:
    """Return the arguments in a raw string; one that is not JSON stays a string."""
    return parse_or(text, text) if isinstance(text, str) else text


def _one_or_all(contents: list[JsonValue]) -> JsonValue:
    return contents[0] if len(contents) == 1 else contents
