"""Shortened JSON, to show a part of a large value."""

from itertools import islice
from operator import is_

from agentlog.domain.json.values import JsonValue

MOST_ENTRIES = 50
"""Entries of an array or object that are shown."""

MOST_VALUES = 1000
"""Values that are shown, nested ones included."""

MOST_KEY = 256
"""Characters of the longest key that is shown."""


def beginnings(value: JsonValue, characters: int) -> JsonValue:
    """Return a value with the beginnings of its strings, arrays and objects.

    Strings keep their first `characters` code points; numbers are kept whole. Returns `value`
    itself if nothing is left out.
    """
    left = MOST_VALUES

    def short(value: JsonValue) -> JsonValue:
        nonlocal left
        left -= 1
        match value:
            case str() if len(value) > characters:
                return value[:characters]
            case list():
                items = [short(item) for item in islice(value, MOST_ENTRIES) if left > 0]
                return value if _are_same(items, value) else items
            case dict():
                entries = {
                    key: short(entry)
                    for key, entry in islice(value.items(), MOST_ENTRIES)
                    if left > 0 and len(key) <= MOST_KEY
                }
                same = _are_same(list(entries.values()), list(value.values()))
                return value if same else entries
            case _:
                return value

    return short(value)


def _are_same(some: list[JsonValue], others: list[JsonValue]) -> bool:
    """Return whether both have the same objects."""
    return len(some) == len(others) and all(map(is_, some, others))
