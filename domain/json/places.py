"""Places in JSON text and paths in JSON values."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

Parts = Sequence[str | int]
"""The way to a value: keys of objects and indexes of arrays, from outside in."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},]|NaN|-?Infinity')
_MAX_SHOWN = 64  # characters of a key shown in a reason; its place has all of it


def first_refused(text: str) -> tuple[Parts, str]:
    """Return the place of the first NaN, infinity or duplicate key, and the reason.

    Requires that the text has one, and that it is JSON up to there. Reads token by token.
    """
    here: list[str | int] = []
    keys: list[set[str]] = []
    before_key = False
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == ",":
            if isinstance(here[-1], int):
                here[-1] += 1
            else:
                before_key = True
        elif sign in "[{":
            here.append(0 if sign == "[" else "")
            keys.append(set())
            before_key = sign == "{"
        elif sign in "]}":
            here.pop()
            keys.pop()
            before_key = False
        elif sign[0] != '"':
            return here, f"{sign} is not JSON: use null or a string"
        elif before_key:
            here[-1] = key = json.loads(sign) if "\\" in sign else sign[1:-1]
            if key in keys[-1]:
                return here, f"the key {key[:_MAX_SHOWN]!r} stands twice in one object"
            keys[-1].add(key)
            before_key = False
    raise ValueError("nothing in this text is refused")


def walk(value: Any, *, but: frozenset[type]) -> Iterator[tuple[Parts, Any]]:  # noqa: ANN401 - any JSON
    """Yield (path, value) of a value and all nested ones, in order, except values of these types.

    The path is valid until the next pair: copying it for each could take quadratic time. No
    recursion.
    """
    here: list[str | int] = []
    yield here, value
    todo = [_parts(value)]
    while todo:
        for part, nested in todo[-1]:
            if type(nested) not in but:
                here.append(part)
                yield here, nested
                todo.append(_parts(nested))
                break
        else:
            todo.pop()
            del here[-1:]


def _parts(value: object) -> Iterator[tuple[str | int, object]]:
    match value:
        case dict():
            return iter(value.items())
        case list() | tuple():
            return enumerate(value)
        case _ if is_dataclass(value):
            return ((field.name, getattr(value, field.name)) for field in fields(value))
        case _:
            return iter(())


def path(parts: Parts) -> str:
    """Return a readable path such as `calls[0].id`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")


def is_deeper(value: Any, levels: int) -> bool:  # noqa: ANN401 - any JSON
    """Return whether objects and arrays are nested deeper than this many levels."""
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return bool(level)
