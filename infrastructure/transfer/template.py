"""Templates over a record: `airline-{task_id}-{trial}`, with dots for nested fields."""

import re

from domain.errors import InvalidInput
from domain.json.text import JsonValue, print_text

_FIELD = re.compile(r"\{([^{}]*)\}")


class InvalidTemplate(InvalidInput):
    """A template names a field that the record does not have."""

    def __init__(self, template: str, field: str, *, known: list[str]) -> None:
        there = ", ".join(sorted(known)[:20]) or "no fields"
        super().__init__(f"{template!r}: the record has no field {field!r}; it has {there}")
        self.template, self.field, self.known = template, field, known


def expand(template: str, record: JsonValue) -> str:
    """Return `template` with each `{field}` replaced; raises `InvalidTemplate`."""
    return _FIELD.sub(lambda match: _text(_look_up(template, match[1], record)), template)


def expand_value(template: str, record: JsonValue) -> JsonValue:
    """Return the field's value, a number as a number, if the template is only that field."""
    match = _FIELD.fullmatch(template)
    return expand(template, record) if match is None else _look_up(template, match[1], record)


def _look_up(template: str, field: str, record: JsonValue) -> JsonValue:
    found = record
    for name in field.split("."):
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            known = list(found) if isinstance(found, dict) else []
            raise InvalidTemplate(template, field, known=known)
    return found


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else print_text(value)
