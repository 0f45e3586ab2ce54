"""The view `source` of Claude Code's sessions."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.histories import examples, history, json_values
from tests.projections.views.test_source import items_in, reader_of, shown


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
