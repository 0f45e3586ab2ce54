"""Laws of every reader: a value anywhere in a source is kept, or the source is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.history import Format
from agentlog.projections.readers.registry import FORMATS
from tests.histories import json_values
from tests.projections.readers.test_golden_readers import SOURCES, documents_of, path_is_json

MARK = "a mark that nothing else has"
MARKED = [MARK, [MARK], {"key": MARK}, [{"type": "text", "text": MARK}], {"key": {"inner": [MARK]}}]
NEW_KEY = "a new key"

Place = tuple[str | int, ...]


OTHERS: list[Any] = [None, True, 7, -1.5, "", [], {}, [[]], [{}], {"type": []}, ["x", {}]]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
@given(data=st.data())
def test_a_value_anywhere_is_kept_or_refused(path: Path, data: st.DataObject) -> None:
    """Marked values are found again; of any others, what is read is valid."""
    chosen, value = data.draw(st.sampled_from(parsed_documents(path)))
    place = draw_place(value, data)
    check_value(chosen, value, place, data.draw(json_values | st.sampled_from(MARKED)))


@pytest.mark.slow
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_value_is_kept_or_refused(path: Path) -> None:
    for chosen, value in parsed_documents(path):
        for place in places_in(value):
            for other in (*MARKED, *OTHERS):
                check_value(chosen, value, place, other)


def check_value(chosen: Format, value: Any, place: Place, new: Any) -> None:
    """Read a document with another value at a place; a mark is found in what is read."""
    changed = with_at(value, place, new)
    for format_ in FORMATS.values():
        for part in (changed, *(changed if isinstance(changed, list) else [])):
            format_.is_document(part)
            if format_.is_item(part) and format_.thread_of is not None:
                format_.thread_of(part)
    try:
        histories = list(chosen.read(changed))
    except InvalidMessage:
        return
    for history in histories:
        for version, draft in enumerate(history.drafts, 1):
            sample_event(draft, version)
    if place and new in MARKED:
        kept = [
            [read.drafts, read.id, read.goal, read.parent, dict(read.metadata), dict(read.beside)]
            for read in histories
        ]
        assert MARK.encode() in print_bytes(kept), f"{place}: {new}"


def parsed_documents(path: Path) -> list[tuple[Format, Any]]:
    """Return the documents of a source; lines of JSON as what they hold."""
    return [
        (chosen, parse(value) if isinstance(value, str) and path_is_json(path) else value)
        for chosen, _, value in documents_of(path)
    ]


def places_in(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the places in a value, new keys too; of a list the first six items."""
    if place:
        yield place
    keys: list[str | int] = []
    if isinstance(value, dict):
        keys = [*value]
        yield (*place, NEW_KEY)
    elif isinstance(value, list):
        keys = [*range(min(len(value), 6))]
    for key in keys:
        yield from places_in(value[key], (*place, key))


def draw_place(value: Any, data: st.DataObject) -> Place:
    """Draw a place in a value: all of it, something inside, or where nothing stands yet."""
    place: Place = ()
    while data.draw(st.integers(0, 9), label="1 in 10 is this place") != 0:
        keys: list[Any] = []
        if isinstance(value, dict):
            keys = [*value, NEW_KEY]
        elif isinstance(value, list):
            keys = list(range(len(value)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        place = (*place, key)
        value = None if key == NEW_KEY else value[key]
    return place


def with_at(value: Any, place: Place, new: Any) -> Any:
    """Return the value with another at a place in it."""
    if not place:
        return new
    key, *inner = place
    if isinstance(value, dict):
        return {**value, key: with_at(value.get(key), tuple(inner), new)}
    copy = list(value)
    copy[int(key)] = with_at(copy[int(key)], tuple(inner), new)
    return copy
