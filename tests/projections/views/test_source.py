"""The view `source`: items read as they come are shown exactly as they came, and nothing else."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import array_of
from agentlog.infrastructure.transfer.open_histories import SourceReader
from agentlog.projections.readers.appended import APPENDABLE, begin_of
from agentlog.projections.view import Item, render
from agentlog.projections.views.source import SourceView
from tests.histories import examples, history
from tests.projections.readers.of_format import read
from tests.test_golden import GOLDEN

READERS = GOLDEN / "readers"
_FILES = {
    "claude-code": READERS / "claude-code" / "session.jsonl",
    "pydantic-ai": READERS / "pydantic-ai" / "tools.json",
    "adk": READERS / "adk" / "events.jsonl",
}
FILES = {name: _FILES[name] for name in APPENDABLE if begin_of(name) is not None}


def items_in(name: str) -> list[Any]:
    text = FILES[name].read_bytes()
    if FILES[name].suffix == ".jsonl":
        return [parse(line) for line in text.splitlines()]
    return array_of(parse(text))


def reader_of(name: str, **more: Any) -> SourceReader:
    begin = begin_of(name)
    assert begin is not None
    return SourceReader(begin(), family="thread", **more)


def shown(events: Sequence[Event]) -> list[Item]:
    return [placed.item for placed in render(SourceView(), events).items]


def plain(drafts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without metadata, and without ids that were made of a place or key."""
    return [
        {key: value for key, value in draft.items() if key not in {"id", "metadata", "threadId"}}
        for draft in drafts
    ]


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
@examples(10, long=100)
def test_items_that_come_in_pieces_are_the_messages_of_the_whole(
    name: str, data: st.DataObject
) -> None:
    items = items_in(name)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(items)), max_size=4)))
    reader = reader_of(name)
    drafts = [
        draft
        for begin, end in zip([0, *cuts], [*cuts, len(items)], strict=True)
        for draft in reader.read(items[begin:end], key=str(begin))
    ]
    whole = read(name, items)
    assert plain(drafts) == plain(whole.drafts)
    given_ids = [draft["id"] for draft in whole.drafts if "id" in draft]
    assert set(given_ids) <= {draft["id"] for draft in drafts}
    assert len({draft["id"] for draft in drafts}) == len(drafts)
    assert dict(reader.metadata) == dict(whole.metadata)


@pytest.mark.parametrize("name", FILES)
def test_items_come_back_exactly_as_they_came(name: str) -> None:
    items = items_in(name)
    events = history(*reader_of(name).read(items, key="k"))
    assert json.dumps(shown(events)) == json.dumps(items)


def test_messages_of_others_are_not_shown() -> None:
    assert shown(history({"type": "input", "text": "hi"}, {"type": "log", "text": "on"})) == []
