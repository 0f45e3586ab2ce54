"""Thread ids and metadata from templates."""

from typing import Any

import pytest

from agentlog.domain.json.text import parse, print_text
from agentlog.infrastructure.transfer.template import (
    InvalidTemplate,
    NullField,
    expand,
    expand_value,
)

RECORD: Any = parse(
    b'{"task": 7, "trial": "b", "reward": 0.50, "done": true, "who": {"name": "ann"}, '
    b'"tags": ["x", "y"], "note": null}'
)
OF_FILE = {"stem": "run", "record": 3, "task": "the record's own goes before"}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("airline-{task}-{trial}", "airline-7-b"),
        ("{who.name}", "ann"),
        ("{tags.1}", "y"),
        ("{reward}", "0.50"),
        ("{done}/{note?}{nope?}", "true/"),
        ("{tags}", '["x","y"]'),
        ("no field at all", "no field at all"),
        ("{stem}-{record}", "run-3"),
        ("{record?}", "3"),
        ("{task}{task}", "77"),
    ],
)
def test_a_template_is_filled_in_from_the_record(template: str, text: str) -> None:
    assert expand(template, RECORD, OF_FILE) == text


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{task}", "7"),
        ("{reward}", "0.50"),
        ("{who}", '{"name":"ann"}'),
        ("{note}", "null"),
        ("{nope?}", "null"),
        ("{who.age?}", "null"),
        ("{record}", "3"),
        ("{task} of {trial}", '"7 of b"'),
        ("fixed", '"fixed"'),
    ],
)
def test_a_template_of_one_field_gives_its_value_as_it_is(template: str, value: str) -> None:
    assert print_text(expand_value(template, RECORD, OF_FILE)) == value


@pytest.mark.parametrize(
    ("template", "field", "there"),
    [
        ("{nope}", "nope", "done, note, reward, tags, task, trial, who"),
        ("x-{who.age}", "who.age", "name"),
        ("{tags.2}", "tags.2", "no fields"),
        ("{tags.-1}", "tags.-1", "no fields"),
        ("{task.x}", "task.x", "no fields"),
        ("{}", "", "done, note"),
    ],
)
def test_a_field_that_is_not_there_is_named_beside_those_that_are(
    template: str, field: str, there: str
) -> None:
    with pytest.raises(InvalidTemplate) as caught:
        expand(template, RECORD, OF_FILE)
    assert caught.value.field == field
    assert f"has no field {field!r}; it has {there}" in str(caught.value)


def test_a_null_in_a_text_is_refused() -> None:
    with pytest.raises(NullField, match=r"'a-\{note\}': note is null in the record"):
        expand("a-{note}", RECORD, OF_FILE)
