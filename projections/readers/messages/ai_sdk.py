"""Reader of the parts that messages of Vercel's AI SDK have, versions 3 to 7.

Shapes: ai-sdk.dev/docs/reference/ai-sdk-core/model-message. Arguments are `args`, and from
version 5 on `input`; results are `result`, and from version 5 on a typed `output`.
"""

from agentlog.domain.json.text import parse_or
from agentlog.domain.json.values import JsonValue
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.calls import add_call, add_result
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

_ARGUMENTS, _OUTPUTS = ("input", "args"), ("output", "result")


def is_call(part: JsonValue) -> bool:
    """Return whether a value is a call."""
    return _is_part(part, _ARGUMENTS) and not is_result(part)


def is_result(part: JsonValue) -> bool:
    """Return whether a value is a result."""
    return _is_part(part, _OUTPUTS)


def _is_part(part: JsonValue, keys: tuple[str, ...]) -> bool:
    match part:
        case {"toolCallId": str(), "toolName": str(), **more}:
            return any(key in more for key in keys)
        case _:
            return False


def read_part(entry: Entry, part: Fields) -> None:
    """Add a call or a result."""
    name = part.text("toolName") or ""
    if is_result(part.item):
        part.take_equal({"type": "tool-result"})
        result: Item = {"callId": part.text("toolCallId"), "name": name}
        add_result(entry, part, {**result, **_outcome(_taken(part, _OUTPUTS))})
    else:
        part.take_equal({"type": "tool-call", "toolCallType": "function"})
        add_call(entry, part, name, _taken(part, _ARGUMENTS), key="toolCallId")


def _outcome(output: JsonValue) -> Item:
    """Return output and error of a result; the typed outputs of version 5 are opened."""
    match output:
        case {"type": "text" | "json", "value": value}:
            return {"output": value}
        case {"type": "error-text" | "error-json", "value": value}:
            return {"output": value, "error": value_text(value)}
        case _:
            return {"output": output}


def printed(output: JsonValue) -> JsonValue:
    """Return the output that a span has as JSON in a text; any other value as it is."""
    return parse_or(output, output) if isinstance(output, str) else output


def _taken(part: Fields, keys: tuple[str, ...]) -> JsonValue:
    return next((part.take(key) for key in keys if key in part.item), None)
