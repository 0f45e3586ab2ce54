"""Values against the types that a client's package has for what it sends."""

from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter


def check_typed(adapter: TypeAdapter[Any], value: object) -> None:
    """Raise where a type lacks a key of the value, or does not take it; at any depth."""
    assert _walked(adapter.validate_python(value)) == value


def _walked(checked: object) -> object:
    """Return what was validated, which is without unknown keys; iterables only when walked."""
    if isinstance(checked, dict):
        return {key: _walked(value) for key, value in checked.items()}
    if isinstance(checked, Iterable) and not isinstance(checked, str):
        return [_walked(item) for item in checked]
    return checked
