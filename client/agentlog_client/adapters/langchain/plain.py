"""Python's values and JSON: which JSON says exactly, and the next best for the others."""

from math import isfinite
from typing import Any

from agentlog_client.operation import Json

_DEEPEST = 60
"""Levels of a value that are looked into: the log takes 128 of a message."""


def is_plain(value: Any, *, levels: int = _DEEPEST) -> bool:  # noqa: ANN401 - anything
    """Return whether a value comes back from JSON the same, types and order included."""
    kind = type(value)
    if kind is str:
        return _is_unicode(value)
    if kind is dict:
        return levels > 0 and all(
            type(key) is str and _is_unicode(key) and is_plain(item, levels=levels - 1)
            for key, item in value.items()
        )
    if kind is list:
        return levels > 0 and all(is_plain(item, levels=levels - 1) for item in value)
    return value is None or kind in {bool, int} or (kind is float and isfinite(value))


def readable(value: Any, *, levels: int = _DEEPEST) -> Json:  # noqa: ANN401 - anything
    """Return a value as JSON that a person can read; what JSON cannot say is its `repr`."""
    if isinstance(value, str):
        return unicode(value)
    if levels > 0 and isinstance(value, dict):
        return {unicode(str(key)): readable(item, levels=levels - 1) for key, item in value.items()}
    if levels > 0 and isinstance(value, list | tuple):
        return [readable(item, levels=levels - 1) for item in value]
    return value if is_plain(value, levels=0) else unicode(repr(value))


def unicode(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate: the log has Unicode only."""
    if _is_unicode(text):
        return str(text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
