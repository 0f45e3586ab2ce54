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
from agentlog.projections.readers.registry import FORMATS
from agentlog.projections.readers.source_items import SourceReader
from agentlog.projections.view import Item, render
from agentlog.projections.views.source import SourceView
from tests.histories import examples, history, json_values
from tests.projections.readers.of_format import read
from tests.test_golden import GOLDEN

READERS = GOLDEN / "readers"
FILES = {
    "claude-code": READERS / "claude-code" / "session.jsonl",
    "pydantic-ai": READERS / "pydantic-ai" / "tools.json",
    "adk": READERS / "adk" / "events.jsonl",
}


def items_in(name: str) -> list[Any]:
    text = FILES[name].read_bytes()
    if FILES[name].suffix == ".jsonl":
        return [parse(line) for line in text.splitlines()]
    return array_of(parse(text))


def reader_of(name: str, **more: Any) -> SourceReader:
    begin = FORMATS[name].begin
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


@given(st.lists(st.dictionaries(st.text(), json_values, max_size=4), max_size=4))
@examples(50, long=1000)
def test_items_of_no_known_kind_come_back_too(items: list[Any]) -> None:
    given_items = [{"type": "x", **item, "n": n} for n, item in enumerate(items)]
    events = history(*reader_of("claude-code").read(given_items, key="k"))
    assert shown(events) == given_items


def test_an_item_that_came_before_is_not_read_again() -> None:
    items = items_in("claude-code")
    reader = reader_of("claude-code")
    first = reader.read(items, key="k")
    with_id = [item for item in items if "uuid" in item]
    assert first
    assert not reader.read(with_id, key="l")


def test_a_cleared_session_takes_the_same_items_again() -> None:
    items = items_in("claude-code")
    before = reader_of("claude-code").read(items, key="k")
    after = reader_of("claude-code", clearings=1).read(items, key="k")
    assert not {draft["id"] for draft in before} & {draft["id"] for draft in after}
    started, cleared = {"type": "session.started"}, {"type": "session.cleared"}
    assert shown(history(started, *before, cleared)) == []
    assert shown(history(started, *before, cleared, *after)) == items


def test_messages_of_others_are_not_shown() -> None:
    assert shown(history({"type": "input", "text": "hi"}, {"type": "log", "text": "on"})) == []


def test_a_worker_is_named_by_the_thread_that_its_session_is_here() -> None:
    line = {"type": "user", "sessionId": "s", "uuid": "u1", "parentUuid": None}
    call = {"type": "tool_use", "id": "c", "name": "Task", "input": {"prompt": "look"}}
    answer = {"id": "m", "role": "assistant", "content": [call]}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "seen"}
    lines: list[Any] = [
        {**line, "type": "assistant", "message": answer},
        {
            **line,
            "uuid": "u2",
            "message": {"role": "user", "content": [result]},
            "toolUseResult": {"agentId": "a1"},
        },
    ]
    drafts = reader_of("claude-code").read(lines, key="k")
    (spawned,) = [draft for draft in drafts if draft["type"] == "worker_spawned"]
    assert spawned["threadId"] == "thread:a1"
