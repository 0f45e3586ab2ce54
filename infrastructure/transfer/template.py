"""Templates over a record: `airline-{task_id}-{trial}`, with dots for nested fields.

A field with a question mark, `{reward?}`, may be missing or null. A field that the record lacks
may be one of its file: `{file}` is the name, `{stem}` the name without suffixes, `{path}` the same
with the names of folders before it, `{record}` the record's number (with that of the history in it
where it has several), and `{thread}` the id that the source itself gives the thread.
"""

import re
from collections.abc import Mapping

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue

_FIELD = re.compile(r"\{([^{}]*)\}")
_OPEN = re.compile(r"\{([^{}]*)(?=\{|\Z)")


class InvalidTemplate(InvalidInput):
    """A template names a field that the record does not have."""

    def __init__(self, template: str, field: str, *, known: list[str]) -> None:
        mended = template.replace(f"{{{field}}}", f"{{{field}?}}")
        there = ", ".join(sorted(known)[:20]) or "no fields"
        super().__init__(
            f"{template!r}: the record has no field {field!r}; it has {there}; "
            f"where it may be missing: {mended!r}"
        )
        self.template, self.field, self.known = template, field, known


class UnfinishedField(InvalidInput):
    """A template has an opening brace without its closing one."""

    def __init__(self, template: str) -> None:
        mended = _OPEN.sub(r"{\1}", template)
        super().__init__(f"{template!r}: a field in it has no end: {mended!r}")


class NullField(InvalidInput):
    """A field of a template is null in a record."""


def check_template(template: str) -> None:
    """Raise `UnfinishedField` if a field has no closing brace."""
    if "{" in _FIELD.sub("", template):
        raise UnfinishedField(template)


def named_fields(template: str) -> set[str]:
    """Return the fields that a template names, without question marks."""
    return {field.removesuffix("?") for field in _FIELD.findall(template)}


def expand(template: str, record: JsonValue, beside: Mapping[str, JsonValue]) -> str:
    """Return `template` with each `{field}` replaced.

    Raises:
        InvalidTemplate: a field is missing.
        NullField: a field is null.
    """

    def replaced(match: re.Match[str]) -> str:
        value = _look_up(template, match[1], record, beside)
        if value is None and not match[1].endswith("?"):
            raise NullField(f"{template!r}: {match[1]} is null in the record")
        return "" if value is None else _text(value)

    return _FIELD.sub(replaced, template)


def expand_value(template: str, record: JsonValue, beside: Mapping[str, JsonValue]) -> JsonValue:
    """Return the field's value, a number as a number, if the template is only that field."""
    match = _FIELD.fullmatch(template)
    if match is None:
        return expand(template, record, beside)
    return _look_up(template, match[1], record, beside)


def _look_up(
    template: str, field: str, record: JsonValue, beside: Mapping[str, JsonValue]
) -> JsonValue:
    value, wanted = record, field.removesuffix("?")
    for name in wanted.split("."):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif value is record and wanted in beside:
            return beside[wanted]
        elif wanted != field:
            return None
        else:
            known = list(value) if isinstance(value, dict) else []
            raise InvalidTemplate(template, field, known=known)
    return value


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else print_text(value)
