"""Reading the Letta wire: what the real client reads comes back as it was."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage, UnknownFormat
from agentlog.domain.events import Event
from agentlog.projections.readers.messages import chat
from agentlog.projections.readers.registry import FORMATS, choose_format
from agentlog.projections.readers.wires.letta import READER
from agentlog.projections.view import Item
from agentlog.projections.views.letta.shapes import STREAM_ONLY
from agentlog.projections.views.letta.view import LettaView
from tests.airline import airline_runs
from tests.histories import histories, history
from tests.projections.letta_api import (
    BASE,
    CALL,
    CLASSES,
    HIDDEN,
    LIST,
    RETURN,
    STREAM,
    check_the_client_reads,
    items_of,
)
from tests.projections.readers.letta_items import (
    LISTED,
    RESPONSE,
    RETURNED,
    STREAMED,
    YES,
    tool_item,
    wire_items,
)


def imported(items: Sequence[Item], view: LettaView = LIST) -> list[Item]:
    return items_of(view, history(*READER.read(items)))


@pytest.mark.parametrize("items", LISTED.values(), ids=LISTED)
def test_an_imported_list_comes_back(items: list[Item]) -> None:
    check_the_client_reads(items)
    assert imported(items) == items


@pytest.mark.parametrize("items", STREAMED.values(), ids=STREAMED)
def test_an_imported_stream_comes_back(items: list[Item]) -> None:
    check_the_client_reads(items, stream=True)
    assert imported(items, STREAM) == items


def test_the_examples_have_every_message_type() -> None:
    listed = {item["message_type"] for items in LISTED.values() for item in items}
    streamed = {item["message_type"] for items in STREAMED.values() for item in items}
    assert listed == CLASSES[False].keys()
    assert streamed == STREAM_ONLY


@given(items=st.lists(wire_items, max_size=6))
def test_any_list_that_the_client_reads_comes_back(items: list[Item]) -> None:
    check_the_client_reads(items)
    assert imported(items) == items


@pytest.mark.parametrize("view", [LIST, STREAM], ids=["list", "stream"])
@given(events=histories())
def test_what_the_view_shows_of_any_history_can_be_imported(
    view: LettaView, events: list[Event]
) -> None:
    items = items_of(view, events)
    assert imported(items, view) == items


def test_every_real_history_comes_back() -> None:
    for run in airline_runs():
        items = items_of(LIST, history(*chat.READER.read(run["traj"])))
        assert imported(items) == items


def test_an_import_keeps_what_the_kernel_has_a_word_for() -> None:
    item = {**tool_item("approval_request_message", CALL), "step_id": "step-1"}
    calls, request = READER.read([item])
    assert calls["calls"] == [
        {"id": "a", "name": "search", "args": {"q": 1}, "argumentsText": '{ "q": 1 }'}
    ]
    assert calls["timestamp"] == request["timestamp"] == 1_767_323_045_000
    assert calls["metadata"]["responseId"] == request["metadata"]["responseId"] == "step-1"
    assert request["callId"] == "a"
    assert request["args"] == {"q": 1}
    [usage] = READER.read(STREAMED["usage"])
    assert usage["usage"] == {"inputTokens": 3, "totalTokens": 3}
    [stop] = READER.read(STREAMED["max_tokens_exceeded"])
    assert (stop["reason"], stop["message"]) == ("error", "max_tokens_exceeded")
    [results] = READER.read(LISTED["returns in one"])
    assert results["results"] == [
        {"callId": "a", "output": "found", "error": None},
        {"callId": "b", "output": None, "error": "full"},
    ]


def test_a_ping_is_skipped() -> None:
    assert list(READER.read([{**BASE, "message_type": "ping"}])) == []


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"message_type": "unheard_of"}, r"messages\[1\]\.message_type: 'unheard_of' .* ping"),
        ({}, r"messages\[1\]\.message_type: 'None' is none of Letta's"),
        ({"message_type": {}}, r"messages\[1\]\.message_type"),
        ({"message_type": "user_message"}, r"messages\[1\]\.content: missing"),
        ({"message_type": "system_message", "content": 5}, r"messages\[1\]\.content: not a string"),
        (
            tool_item("tool_call_message", CALL, {}),
            r"messages\[1\]\.tool_calls\[1\]: not a whole call",
        ),
        ({"message_type": "tool_call_message"}, r"messages\[1\]\.tool_call: not a whole call"),
        (
            tool_item("tool_call_message", {**CALL, "tool_call_id": ""}),
            r"\.tool_call_id: not an id",
        ),
        ({"message_type": "tool_return_message"}, r"messages\[1\]\.tool_call_id: not an id"),
        ({**RETURNED, "tool_returns": [RETURN, 5]}, r"\.tool_returns\[1\]\.tool_call_id: not an"),
        ({**RESPONSE, "approvals": [{**YES, "approve": 1}]}, r"\.approvals\[0\]\.approve: neither"),
        (RESPONSE, r"messages\[1\]\.approve: neither true nor false"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_place(item: Item, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words):
        list(READER.read([HIDDEN, item]))


def test_readers_are_chosen_by_the_name_of_their_format() -> None:
    assert choose_format("letta").name == READER.name
    assert {"openai", "letta", "openletta"} <= FORMATS.keys()
    with pytest.raises(UnknownFormat, match=r"'letter': choose one of .*letta") as caught:
        choose_format("letter")
    assert caught.value.known == tuple(FORMATS)
