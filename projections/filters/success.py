"""What success is, as a tenant says: a filter of a run's metadata, exit and last messages."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from agentlog.domain.json.values import JsonValue
from agentlog.projections.filters.expression import Expression, Term, compare, evaluate, terms_in
from agentlog.projections.filters.terms import PATH

_TYPED = re.compile(r"([A-Za-z][\w.-]*)?(\$.*)", re.DOTALL)
_KEY = re.compile(r"\.([^\s.\[\]'\"*@?$,:()]+)|\[(\d{1,9})\]|\['([^'\\]*)'\]|\[\"([^\"\\]*)\"\]")

LastMessage = Callable[[str], JsonValue]
"""Returns a run's last message of a type; None where it has none."""


def message_path(key: str) -> tuple[str | None, str]:
    """Return the type of messages that a term's path is about, None for any, and the path."""
    typed = _TYPED.fullmatch(key)
    return (None, key) if typed is None else (typed[1], typed[2])


def keys_of(path: str) -> Sequence[str] | None:
    """Return the keys and indexes of a path that leads to one value; None of another path."""
    keys: list[str] = []
    at = 1
    while at < len(path):
        key = _KEY.match(path, at)
        if key is None:
            return None
        keys.append(next(group for group in key.groups() if group is not None))
        at = key.end()
    return keys or None


def last_message(term: Term) -> tuple[str, Sequence[str]]:
    """Return the type of message that a term of a rule asks for, and the keys to its value."""
    message_type, path = message_path(term.key or "")
    return message_type or "", keys_of(path) or ()


def last_types(rule: Expression | None) -> frozenset[str]:
    """Return the types of messages that a rule asks for the last of."""
    terms = () if rule is None else terms_in(rule)
    return frozenset(last_message(term)[0] for term in terms if term.name == PATH)


def verdict_of(
    rule: Expression,
    metadata: Mapping[str, JsonValue],
    end: str | None,
    last: LastMessage = lambda _: None,
) -> Literal["succeeded", "failed", "unknown"]:
    """Return what a run came to by a rule: unknown where what it asks for is not there."""

    def holds(term: Term) -> bool | None:
        match term.name:
            case "exit":
                return None if end is None else compare(term, end)
            case "metadata":
                key = term.key or ""
                return compare(term, metadata[key]) if key in metadata else None
            case _:
                message_type, keys = last_message(term)
                value = _value_at(last(message_type), keys)
                return None if value is _MISSING else compare(term, value)

    succeeded = evaluate(rule, holds)
    return "unknown" if succeeded is None else "succeeded" if succeeded else "failed"


_MISSING: JsonValue = {}


def _value_at(value: JsonValue, keys: Sequence[str]) -> JsonValue:
    """Return the scalar that keys lead to; `_MISSING` where there is none."""
    for key in keys:
        match value:
            case dict() if key in value:
                value = value[key]
            case list() if key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            case _:
                return _MISSING
    return _MISSING if isinstance(value, dict | list) else value
