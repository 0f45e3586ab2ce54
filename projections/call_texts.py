"""Texts of calls, results and times, as views print them."""

from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse, print_bytes, print_text
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import ToolCall, ToolError, ToolResult

_DIGEST_DIGITS = 12
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC; to print a zone takes as long as the rest


def arguments_text(call: ToolCall) -> str:
    """Return a call's arguments as the model's own string, or as compact JSON."""
    if call.arguments_text is not None:
        return call.arguments_text
    if call.args is None and "args" not in call.model_fields_set:
        return "{}"
    return print_text(call.args)


def arguments_value(call: ToolCall) -> JsonValue:
    """Return a call's arguments as a value; a raw string that is not JSON stays a string."""
    if "args" in call.model_fields_set or call.arguments_text is None:
        return {} if call.args is None else call.args
    return call.arguments_text


def call_digest(call: ToolCall) -> str:
    """Return a short digest of a call's tool and arguments, whatever the order of their keys."""
    printed = print_bytes([call.name, arguments_value(call)], sort_keys=True)
    return sha256(printed).hexdigest()[:_DIGEST_DIGITS]


def call_fields(name: str, arguments: JsonValue) -> dict[str, JsonValue]:
    """Return `name`, `args` and `argumentsText` of a call, as the draft of a `ToolCall` has them.

    Arguments are the raw string of a wire, a value, or None for none. The raw string is kept only
    where it differs from `arguments_text` of `args`.
    """
    fields: dict[str, JsonValue] = {"name": name}
    if not isinstance(arguments, str):
        return fields if arguments is None else {**fields, "args": arguments}
    try:
        fields["args"] = parse(arguments)
    except InvalidJson:
        return {**fields, "argumentsText": arguments}
    if print_text(fields["args"]) != arguments:
        fields["argumentsText"] = arguments
    return fields


def value_text(value: JsonValue) -> str:
    """Return a string as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else print_text(value)


def error_text(error: str | ToolError) -> str:
    """Return the message of an error."""
    return error if isinstance(error, str) else error.message


def result_text(result: ToolResult) -> str:
    """Return a result as text for a model: its output, or `Error: message`."""
    if result.error is not None:
        return f"Error: {error_text(result.error)}"
    return value_text(result.output)


def iso_time(timestamp: int) -> str:
    """Return milliseconds since the epoch as ISO 8601 in UTC, with milliseconds."""
    minute, rest = divmod(timestamp, 60_000)
    return f"{_up_to_seconds(minute)}{rest // 1000:02}.{rest % 1000:03}Z"


@lru_cache(maxsize=64)  # consecutive messages often share a minute
def _up_to_seconds(minute: int) -> str:
    """Return `2026-01-02T03:04:`, of a minute since the epoch."""
    return (_EPOCH + timedelta(minutes=minute)).isoformat().removesuffix("00")
