"""Anything as JSON: what a recorder is given is kept, if not as it is then as a text of it."""

import math
from collections.abc import Mapping
from decimal import Decimal

from pydantic_core import to_jsonable_python

from agentlog_client.operation import Json

_DEEPEST = 100
"""Levels; the service takes 128."""


def mended(value: object, depth: int = 0) -> Json:
    """Return a value that JSON can say: NaN, dates and objects as texts, lone surrogates U+FFFD."""
    if depth > _DEEPEST:
        return mended(_text(value)[:1000])
    match value:
        case None | bool() | int():
            return value
        case float() | Decimal():
            return value if math.isfinite(value) else str(value)
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case Mapping():
            return {mended(str(key)): mended(inner, depth + 1) for key, inner in value.items()}
        case list() | tuple() | set() | frozenset():
            return [mended(inner, depth + 1) for inner in value]
        case _:
            return mended(_jsonable(value), depth + 1)


def _jsonable(value: object) -> object:
    try:
        return to_jsonable_python(value, by_alias=True, bytes_mode="base64", fallback=_text)
    except Exception:  # noqa: BLE001 - a class may raise anything
        return _text(value)


def _text(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - as above
        return object.__repr__(value)
