"""Every parser: eight times as much takes about eight times the work, whatever is repeated."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlog.api.http.app import openapi_document
from agentlog.domain.errors import InvalidInput
from tests.api.routes import ROUTES
from tests.bounds.counted import lines_of
from tests.bounds.entry_points import ENTRY_POINTS

RELIABILITY = Path(__file__).parents[2] / "docs" / "why" / "reliability.md"


@pytest.mark.parametrize("name", ENTRY_POINTS)
@settings(max_examples=10)
@given(data=st.data())
def test_work_grows_as_the_input_does(name: str, data: st.DataObject) -> None:
    point = ENTRY_POINTS[name]
    pieces = st.lists(st.sampled_from(point.pieces), max_size=3).map("".join)
    begin, repeated, end = (data.draw(pieces) for _ in range(3))
    if data.draw(st.booleans()):
        begin, end = point.frame

    def lines(count: int) -> int:
        text = begin + repeated * count + end

        def read() -> None:
            with suppress(InvalidInput):
                point.read(text)

        return lines_of(read)

    lines(1)  # what is imported or computed once is not of the input
    assert lines(400) <= 12 * lines(50) + 5000


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_the_table_names_every_parser(name: str) -> None:
    assert f"\n| {name} | {ENTRY_POINTS[name].limit} |" in RELIABILITY.read_text()


def test_the_table_has_a_parser_of_every_input_of_the_api() -> None:
    read = {name for point in ENTRY_POINTS.values() for name in point.inputs}
    assert {*_inputs(openapi_document()), *_bodies()} == read


_WITHOUT_BODY = re.compile(r"/(undo|redo|rebuild|pause|resume|cancel|stream)\Z")
_ELSEWHERE = {"POST /langsmith/runs/multipart": "test_runs.py"}


def _bodies() -> Iterator[str]:
    """Yield each route that reads a body, of the application's own list: facades are in it."""
    for route in ROUTES:
        reads = route.method in {"POST", "PUT", "PATCH"} and route.name not in _ELSEWHERE
        is_refused = route.need == "any key"  # as not implemented
        if reads and not is_refused and _WITHOUT_BODY.search(route.template) is None:
            yield route.name


def _inputs(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield each body, as `METHOD path`, and the name of each parameter that may be any text."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if "requestBody" in operation:
                yield f"{method.upper()} {path}"
            for parameter in operation.get("parameters", ()):
                if _is_any_text(parameter["schema"]):
                    yield parameter["name"]


def _is_any_text(schema: Mapping[str, Any]) -> bool:
    """Return whether a value may be a text that is neither of a few words nor a plain id."""
    choices = schema.get("anyOf", [schema])
    inner = (
        choice.get("items") or choice.get("additionalProperties") or choice for choice in choices
    )
    return any(
        choice["type"] == "string" and not choice.keys() & {"enum", "pattern"} for choice in inner
    )
