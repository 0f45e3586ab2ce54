"""Calls of a recorded run, and how they answer others."""

import pytest

from agentlog.projections.exchanges.recorded_tools import (
    CallNotRecorded,
    RecordedCall,
    RecordedTools,
    calls_of_messages,
)
from tests.histories import history

CALLS = [RecordedCall("look", {"at": at}, output) for at, output in [("a", 1), ("b", 2), ("a", 3)]]


def test_equal_calls_get_their_results_in_order_and_once() -> None:
    tools = RecordedTools(CALLS)
    outputs = [tools.answer("look", {"at": at}).output for at in ("b", "a", "a")]
    assert outputs == [2, 1, 3]
    with pytest.raises(CallNotRecorded):
        tools.answer("look", {"at": "a"})
    assert len(tools.missed) == 1


def test_only_expected_tools_are_unused() -> None:
    tools = RecordedTools([*CALLS, RecordedCall("other", {}, 4)])
    assert tools.unused == []
    tools.answer("look", {"at": "b"})
    assert tools.unused == [CALLS[0], CALLS[2]]


def test_results_are_paired_with_calls_whose_ids_come_again() -> None:
    drafts = [
        {"type": kind, key: [fields]}
        for n in (1, 2)
        for kind, key, fields in [
            ("tool_calls", "calls", {"id": "c", "name": "look", "args": {"n": n}}),
            ("tool_results", "results", {"callId": "c", "output": [{"type": "text", "text": "x"}]}),
        ]
    ]
    calls = calls_of_messages(event.message for event in history(*drafts))
    assert calls == [RecordedCall("look", {"n": n}, "x") for n in (1, 2)]
