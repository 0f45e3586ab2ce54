"""Turns on the Letta wire: where they end, how often, and what they used."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.projections.followed_view import PatientLive
from agentlog.projections.view import Item, render
from agentlog.projections.views.letta.turns import DONE, LettaOptions
from agentlog.projections.views.letta.view import LettaView
from tests.histories import histories, history
from tests.projections.laws import (
    check_places_ascend,
    check_rebuilding_gives_equal_bytes,
    check_resuming_equals_replaying,
)
from tests.projections.letta_api import check_the_client_reads

ASKED = {"type": "input", "text": "Go"}
SAID = {"type": "reply", "text": "Gone"}
CALLED = {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "f"}]}
MAY_I = {"type": "approval_request", "callId": "a", "tool": "f"}
AND_THIS = {"type": "approval_request", "callId": "b", "tool": "f"}
DONE_WITH_IT = {"type": "exit", "reason": "complete"}
CLOSED = {"type": "thread.closed"}
TURNS = LettaView(LettaOptions(stream=True)).followed()
USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


def used(**usage: int) -> dict[str, Any]:
    """Return a response that used these tokens."""
    return {"type": "llm_response", "usage": usage}


def words(items: Sequence[JsonValue]) -> str:
    """Return what stands on the wire, in short words."""
    return " ".join(_word(item) for item in items)


def _word(item: Item) -> str:
    kind = str(item["message_type"]).removesuffix("_message").removesuffix("_statistics")
    return f"stop:{item['stop_reason']}" if kind == "stop_reason" else kind


def told(*drafts: dict[str, Any], end: bool = False) -> str:
    """Return what a follower hears who is at the present after each message."""
    live = PatientLive(TURNS, TURNS.start())
    heard: list[JsonValue] = []
    for event in history(*drafts):
        heard += [update.data for update in (*live.fold(event), *live.present())]
    if end:
        heard += [update.data for update in live.end()]
    return words(heard)


def replayed(*drafts: dict[str, Any], end: bool = True) -> list[Item]:
    """Return what a follower hears who comes later."""
    live = PatientLive(TURNS, TURNS.start())
    heard = [update.data for event in history(*drafts) for update in live.fold(event)]
    return [*heard, *(update.data for update in (live.end() if end else live.present()))]


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        ([ASKED, SAID, DONE_WITH_IT], "user assistant stop:end_turn usage [DONE]"),
        (
            [ASKED, SAID, {"type": "exit", "reason": "step_limit"}],
            "user assistant stop:max_steps usage [DONE]",
        ),
        (
            [ASKED, SAID, ASKED, SAID],
            "user assistant stop:end_turn usage [DONE] user assistant",
        ),
        ([ASKED, ASKED, SAID], "user user assistant"),
        ([ASKED, SAID, CLOSED], "user assistant stop:end_turn usage [DONE]"),
        ([ASKED, SAID, DONE_WITH_IT, CLOSED], "user assistant stop:end_turn usage [DONE]"),
        ([ASKED, SAID, DONE_WITH_IT, DONE_WITH_IT], "user assistant stop:end_turn usage [DONE]"),
        (
            [CALLED, MAY_I],
            "tool_call tool_call approval_request stop:requires_approval usage [DONE]",
        ),
        (
            [CALLED, MAY_I, AND_THIS],
            (
                "tool_call tool_call approval_request stop:requires_approval usage [DONE] "
                "approval_request stop:requires_approval usage [DONE]"
            ),
        ),
    ],
)
def test_a_turn_is_heard_to_end_once(drafts: list[dict[str, Any]], expected: str) -> None:
    assert told(*drafts) == expected


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        ([ASKED], "user stop:end_turn usage [DONE]"),
        ([ASKED, SAID], "user assistant stop:end_turn usage [DONE]"),
        (
            [CALLED, MAY_I, AND_THIS],
            "approval_request approval_request stop:requires_approval usage [DONE]",
        ),
        (
            [CALLED, MAY_I, used(totalTokens=1), ASKED, SAID, DONE_WITH_IT],
            (
                "approval_request tool_call stop:requires_approval usage [DONE] "
                "user assistant stop:end_turn usage [DONE]"
            ),
        ),
        ([{"type": "system", "text": "You help."}], "system"),
        ([], ""),
    ],
)
def test_who_asks_for_no_more_hears_the_end(drafts: list[dict[str, Any]], expected: str) -> None:
    assert words(replayed(*drafts)) == expected


def test_a_stop_reason_that_was_imported_ends_the_turn_and_no_second_one_does() -> None:
    imported = {
        "type": "letta.stop_reason",
        "payload": {"message_type": "stop_reason", "stop_reason": "requires_approval"},
    }
    expected = "approval_request tool_call stop:requires_approval usage [DONE]"
    assert words(replayed(CALLED, MAY_I, imported)) == expected
    assert told(CALLED, MAY_I, imported).count("stop:") == 1


def test_what_a_turn_used_is_added_up_and_what_nobody_said_stays_unsaid() -> None:
    items = replayed(
        ASKED,
        used(inputTokens=3, totalTokens=5),
        used(inputTokens=4),
        SAID,
        DONE_WITH_IT,
        ASKED,
        used(outputTokens=1),
        SAID,
    )
    usages = [item for item in items if item["message_type"] == "usage_statistics"]
    assert [[usage[key] for key in USAGE] for usage in usages] == [[7, None, 5], [None, 1, None]]


@given(events=histories(), data=st.data())
def test_turns_keep_the_laws_of_views_and_hold_the_views_own_items(
    events: list[Event], data: st.DataObject
) -> None:
    view = TURNS
    check_resuming_equals_replaying(view, events, data.draw(st.integers(0, len(events))))
    check_rebuilding_gives_equal_bytes(view, events)
    check_places_ascend(view, events)
    ends = {"usage_statistics", "stop_reason", DONE}
    turns = [item.item for item in render(view, events).items]
    plain = [item.item for item in render(LettaView(LettaOptions(stream=True)), events).items]
    assert [item for item in turns if item["message_type"] not in ends] == [
        item for item in plain if item["message_type"] not in ends
    ]
    check_the_client_reads([item for item in turns if item["message_type"] != DONE], stream=True)
    kinds = [item["message_type"] for item in turns if item["message_type"] in ends]
    assert kinds == ["stop_reason", "usage_statistics", DONE] * (len(kinds) // 3)
