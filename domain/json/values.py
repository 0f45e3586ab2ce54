"""The type of a JSON value, and reading one whose shape is not known.

A reader of other programs' data asks for the type it needs; a value of another type counts as
absent.
"""

from collections.abc import Mapping

from typing_extensions import TypeAliasType

JsonValue = TypeAliasType(
    "JsonValue", "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
)
"""What `parse` returns; a float is a `WrittenFloat` where a plain one prints otherwise."""

JsonObject = dict[str, JsonValue]


def object_of(value: JsonValue) -> JsonObject:
    """Return an object, an empty one for a value of another type."""
    return value if isinstance(value, dict) else {}


def array_of(value: JsonValue) -> list[JsonValue]:
    """Return an array, an empty one for a value of another type."""
    return value if isinstance(value, list) else []


def objects_of(value: JsonValue) -> list[JsonObject]:
    """Return the objects of an array, none for a value of another type."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts_of(value: JsonValue) -> list[str]:
    """Return the texts of an array, none for a value of another type."""
    return [item for item in array_of(value) if isinstance(item, str)]


def object_at(value: Mapping[str, JsonValue], *path: str) -> JsonObject:
    """Return the object under a path of keys, an empty one where there is none."""
    for key in path[:-1]:
        value = object_of(value.get(key))
    return object_of(value.get(path[-1]))


def text_at(value: Mapping[str, JsonValue], *keys: str) -> str | None:
    """Return the first value of some keys that is a text and not empty."""
    for key in keys:
        text = value.get(key)
        if isinstance(text, str) and text:
            return text
    return None


def number_at(value: Mapping[str, JsonValue], *keys: str) -> float | None:
    """Return the first value of some keys that is a number."""
    for key in keys:
        number = value.get(key)
        if isinstance(number, int | float) and not isinstance(number, bool):
            return number
    return None


def integer_at(value: Mapping[str, JsonValue], *keys: str) -> int | None:
    """Return the first value of some keys that is an integer."""
    for key in keys:
        number = value.get(key)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    return None
