"""Arguments of calls, which an API takes as an object alone."""

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.api_rules.rule import is_object_text
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item

UNREADABLE = "INVALID_JSON"
"""The key under which arguments stand that are no object, as in pydantic-ai's requests."""


def as_object(arguments: JsonValue) -> Item:
    """Return arguments as an object: none where there are none, others under `UNREADABLE`."""
    match arguments:
        case dict():
            return arguments
        case None:
            return {}
        case str() if arguments.strip() in {"", "null"}:
            return {}
        case _:
            return {UNREADABLE: value_text(arguments)}


def as_object_text(text: JsonValue) -> str:
    """Return the text of an object, the very text where it is one."""
    if isinstance(text, str) and is_object_text(text):
        return text
    return print_text(as_object(text))
