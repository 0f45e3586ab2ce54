"""Whatever stands anywhere in a source is found again in what was read of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.readers.history import Format
from tests.projections.readers.test_golden_readers import SOURCES, documents_of, path_is_json

MARK = "a mark that nothing else has"
MARKED = [MARK, [MARK], {"key": MARK}, [{"type": "text", "text": MARK}], {"key": {"inner": [MARK]}}]


JSON_SOURCES = [path for path in SOURCES if path_is_json(path)]


@pytest.mark.parametrize("path", JSON_SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
@given(data=st.data())
def test_a_value_anywhere_is_kept_or_refused(path: Path, data: st.DataObject) -> None:
    documents = [
        (chosen, parse(value) if isinstance(value, str) else value)
        for chosen, _, value in documents_of(path)
    ]
    chosen, value = data.draw(st.sampled_from(documents))
    place = data.draw(st.sampled_from(list(places_in(value))))
    changed = with_at(value, place, data.draw(st.sampled_from(MARKED)))
    assert is_told(chosen, changed)


def is_told(chosen: Format, value: Any) -> bool:
    try:
        read = [
            [
                history.drafts,
                history.id,
                history.goal,
                history.parent,
                dict(history.metadata),
                dict(history.beside),
            ]
            for history in chosen.read(value)
        ]
    except InvalidMessage:
        return True
    return MARK.encode() in print_bytes(read)


def places_in(value: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of all values inside, and one in each object where nothing stands yet."""
    inside = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        inside = list(enumerate(value))
    for key, inner in inside:
        yield (key,)
        yield from ((key, *rest) for rest in places_in(inner))
    if isinstance(value, dict):
        yield ("a new key",)


def with_at(value: Any, place: tuple[str | int, ...], new: Any) -> Any:
    """Return the value with another at a place in it."""
    if not place:
        return new
    key, *rest = place
    if isinstance(value, dict):
        return {**value, key: with_at(value.get(key), tuple(rest), new)}
    copy = list(value)
    copy[int(key)] = with_at(copy[int(key)], tuple(rest), new)
    return copy
