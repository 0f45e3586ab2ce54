"""Calls on a run's trail, by what tells them apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentlog.domain.events import Event
from agentlog.domain.json.answers import answer
from agentlog.domain.json.values import integer_at, text_at
from agentlog.domain.messages import ToolCall, ToolCallsMessage
from agentlog.projections.call_texts import arguments_value, value_text
from agentlog.projections.outcomes.attempts import CallPlace, place_of
from agentlog.projections.view import Item
from agentlog.projections.why.trail import Trail

_LONGEST = 160


@answer
@dataclass(frozen=True, slots=True)
class RunCall:
    """A call: `arguments` as a text, those that differ from the attempt beside it where one is.

    It is number `attempt` of `attempts`; both are null where nothing was tried again.
    """

    version: int
    end_version: int | None
    name: str
    arguments: str | None
    outcome: str | None
    attempt: int | None
    attempts: int | None


def call_of(trail: Trail, item: Item, messages: Mapping[int, Event]) -> RunCall | None:
    """Return the call of an item; None where it is no call, or none was recorded."""
    place = place_of(item)
    if place is None or place not in trail.calls:
        return None
    call, beside = _call_at(messages, place), trail.beside(place)
    other = None if beside is None else _call_at(messages, beside)
    number = trail.numbers.get(place)
    return RunCall(
        version=place.version,
        end_version=integer_at(item, "endVersion"),
        name=str(item["name"]),
        arguments=None if call is None else _arguments(call, other),
        outcome=text_at(item, "outcome"),
        attempt=None if number is None else number.number,
        attempts=None if number is None else number.of,
    )


def _call_at(messages: Mapping[int, Event], place: CallPlace) -> ToolCall | None:
    event = messages.get(place.version)
    message = None if event is None else event.message
    if not isinstance(message, ToolCallsMessage) or place.ordinal >= len(message.calls):
        return None
    return message.calls[place.ordinal]


def _arguments(call: ToolCall, other: ToolCall | None) -> str:
    """Return the arguments that differ from those of another call, or else all; plain ones first.

    A single argument stands without its name, and without the tool's where it begins with that.
    """
    value = arguments_value(call)
    if not isinstance(value, dict):
        return beginning(value_text(value), _LONGEST)
    others = None if other is None else arguments_value(other)
    differing = value
    if isinstance(others, dict):
        differing = {key: part for key, part in value.items() if others.get(key) != part} or value
    plain_first = sorted(differing.items(), key=lambda pair: isinstance(pair[1], dict | list))
    if len(value) == 1:
        text = value_text(next(iter(value.values())))
        return beginning(text.removeprefix(f"{call.name} "), _LONGEST)
    texts = [f"{key}={value_text(part)}" for key, part in plain_first]
    return beginning(", ".join(texts), _LONGEST)


def beginning(text: str, most: int) -> str:
    """Return a text of at most so many characters, and a sign where more follow."""
    return text if len(text) <= most else f"{text[:most].rstrip()}…"
