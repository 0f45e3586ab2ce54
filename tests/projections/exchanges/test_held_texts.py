"""What is erased of a run is found in its exchanges with MCP servers, and in reports of replays."""

from typing import Any

import pytest

from agentlog.projections.exchanges.exchange import REPLAY_TYPE
from agentlog.projections.exchanges.held_texts import MCP_TYPE, ErasedTexts
from tests.histories import history

ERASED = {"type": "tool_results", "results": [{"callId": "c", "output": "Ada lives in Porto"}]}


def is_held(type_name: str, payload: Any) -> bool:
    erased, other = history(ERASED, {"type": type_name, "payload": payload})
    texts = ErasedTexts()
    texts.add_message(erased)
    return texts.are_held_by(other)


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({"params": {"name": "look"}, "result": {"content": [{"text": "sunny"}]}}, False),
        ({"result": {"content": [{"text": "Ada lives in Porto"}]}}, True),
        ({"result": {"content": [{"text": "found: Ada lives in Porto."}]}}, True),
        ({"params": {"arguments": {"text": "Ada lives in Porto"}}}, True),
        ({"error": {"code": 1, "message": "Ada lives in Porto"}}, True),
        ({"params": '{"a text": "that the log could not have as JSON'}, True),
    ],
)
def test_an_exchange_with_a_server_holds_what_passed(fields: Any, *, held: bool) -> None:
    assert is_held(MCP_TYPE, {"server": "travel", "method": "tools/call", **fields}) is held


@pytest.mark.parametrize(
    ("report", "held"),
    [
        ({"unmatched": [], "unused": [1], "tools": {"unmatched": [], "unused": []}}, False),
        ({"unmatched": [], "unused": []}, False),
        ({"unmatched": [], "tools": {"unmatched": [{"tool": "look"}]}}, True),
        ({"unmatched": [], "tools": {"unused": [{"tool": "look"}]}}, True),
        ({"answers": [{"request": 1, "by": "exact"}]}, False),
        ({"answers": [{"request": 1, "by": "outputs", "place": "items[1]"}]}, True),
    ],
)
def test_a_report_with_arguments_may_hold_any_text(report: Any, *, held: bool) -> None:
    assert is_held(REPLAY_TYPE, report) is held
