"""Names, ids and arguments as an API takes them: each other one gets another, always the same."""

import re
from collections.abc import Callable
from hashlib import sha256

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.api_rules.rule import Fit, is_object_text
from agentlog.projections.call_texts import value_text
from agentlog.projections.view import Item

UNREADABLE = "INVALID_JSON"
"""The key under which arguments stand that are no object, as in pydantic-ai's requests."""
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")
_DIGITS = 8


def fitted(name: str, fit: Fit) -> str:
    """Return a name itself where it fits, else one that fits, with a digest of the name."""
    if fit.takes(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    readable = _UNFIT.sub("_", name)[: fit.longest - _DIGITS - 2].strip("_")
    fits = f"{readable}_{digest}" if readable else f"_{digest}"
    return fits if fit.takes(fits) else f"_{fits}"


def told_apart(name: str, fit: Fit, is_used: Callable[[str], bool], number: int = 2) -> str:
    """Return a name, or where it is used the name with the first free number from `number` on."""
    candidate = name
    while is_used(candidate):
        suffix = f"_{number}"
        candidate = name[: fit.longest - len(suffix)] + suffix
        number += 1
    return candidate


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
