"""The Letta view, held against the real client (letta-client 1.12)."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from letta_client._models import construct_type
from letta_client.types.agents import Message
from letta_client.types.agents.system_message import SystemMessage
from pydantic import TypeAdapter, ValidationError

from agentlog.domain.events import Event
from agentlog.projections.readers.messages import chat
from agentlog.projections.view import Item, render
from agentlog.projections.views.letta.carry import LettaCarry
from agentlog.projections.views.letta.items import KEPT
from agentlog.projections.views.letta.residue import EXIT_REASONS, STOP_REASONS
from agentlog.projections.views.letta.shapes import LIST_ONLY, STREAM_ONLY, fits
from agentlog.projections.views.letta.turns import LettaOptions
from agentlog.projections.views.letta.view import LettaView
from tests.airline import airline_runs
from tests.histories import event, histories, history
from tests.projections.letta_api import (
    BASE,
    CALL,
    CLASSES,
    HIDDEN,
    LIST,
    OTHER_CALL,
    RETURN,
    STREAM,
    check_the_client_reads,
    items_of,
)


def test_the_client_itself_refuses_what_it_lets_through_as_a_system_message() -> None:
    item = {**BASE, "message_type": "unheard_of", "content": "x"}
    assert isinstance(construct_type(value=item, type_=Message), SystemMessage)
    with pytest.raises(ValidationError):
        TypeAdapter(SystemMessage).validate_python(item)


def test_the_client_has_the_classes_that_these_tests_look_for() -> None:
    assert CLASSES[False]["system_message"] is SystemMessage
    assert CLASSES[False].keys() >= LIST_ONLY
    assert not CLASSES[False].keys() & STREAM_ONLY
    assert CLASSES[True].keys() >= {*STREAM_ONLY, "ping"}
    assert not CLASSES[True].keys() & LIST_ONLY


@pytest.mark.parametrize(
    "flawed",
    [
        {"message_type": "user_message", "content": "hi", "id": "m"},
        {**BASE, "message_type": "reasoning_message", "content": "hm"},
        {**BASE, "message_type": "summary_message"},
        {**BASE, "message_type": "tool_call_message", "tool_call": {**CALL, "arguments": {}}},
    ],
)
def test_what_the_client_would_not_read_as_its_class_does_not_fit(flawed: Item) -> None:
    assert not fits(flawed)
    with pytest.raises(AssertionError):
        check_the_client_reads([flawed])


ONE_OF_EACH = history(
    {"type": "system", "text": "be kind"},
    {"type": "input", "text": "hi"},
    {"type": "input", "text": "see", "files": [{"data": "QQ==", "mimeType": "image/png"}]},
    {"type": "reasoning", "title": "", "summary": "hm"},
    {"type": "tool_calls", "calls": [{"id": "a", "name": "search", "args": {"q": 1}}]},
    {"type": "approval_request", "callId": "a", "tool": "search", "args": {"q": 1}},
    {"type": "approval_response", "callId": "a", "approved": True, "reason": "go"},
    {"type": "tool_calls", "calls": [{"id": "b", "name": "book"}]},
    {
        "type": "tool_results",
        "results": [{"callId": "a", "output": [1]}, {"output": "", "error": "full"}],
    },
    {"type": "reply", "text": "done"},
    {
        "type": "letta.hidden_reasoning_message",
        "payload": {**BASE, "message_type": "hidden_reasoning_message", "state": "omitted"},
    },
    {
        "type": "letta.summary_message",
        "payload": {**BASE, "message_type": "summary_message", "summary": "so far"},
    },
    {
        "type": "letta.event_message",
        "payload": {
            **BASE,
            "message_type": "event_message",
            "event_type": "compaction",
            "event_data": {},
        },
    },
    {"type": "runtime_error", "error": "boom"},
    {"type": "llm_response", "usage": {"inputTokens": 3}},
    {"type": "exit", "reason": "step_limit"},
)


def test_every_message_type_of_a_list_is_read_by_the_client() -> None:
    items = items_of(LIST, ONE_OF_EACH)
    assert {item["message_type"] for item in items} == CLASSES[False].keys()
    check_the_client_reads(items)


def test_every_message_type_of_a_stream_but_ping_is_read_by_the_client() -> None:
    items = items_of(STREAM, ONE_OF_EACH)
    assert {item["message_type"] for item in items} == CLASSES[True].keys() - {"ping"}
    check_the_client_reads(items, stream=True)


@pytest.mark.parametrize("stream", [False, True])
@given(events=histories())
def test_the_client_reads_every_item_of_any_history(*, stream: bool, events: list[Event]) -> None:
    view = LettaView(LettaOptions(stream=stream))
    check_the_client_reads(items_of(view, events), stream=stream)


def test_the_client_reads_every_real_history() -> None:
    kinds: set[str] = set()
    for run in airline_runs():
        items = items_of(LIST, history(*chat.READER.read(run["traj"])))
        check_the_client_reads(items)
        kinds.update(str(item["message_type"]) for item in items)
    expected = "system user assistant tool_call tool_return"
    assert kinds == {f"{kind}_message" for kind in expected.split()}


def test_the_items_of_one_message_share_its_id_and_differ_by_otid() -> None:
    calls = [{"id": "a", "name": "f"}, {"id": "b", "name": "g", "argumentsText": "{bad"}]
    [asked] = history({"type": "tool_calls", "calls": calls, "metadata": {"responseId": "r"}})
    one, two = items_of(LIST, [asked])
    assert one == {
        "id": f"message-{asked.message_id}",
        "date": "2026-01-02T03:04:05.001Z",
        "step_id": "r",
        "message_type": "tool_call_message",
        "otid": f"message-{asked.message_id}-0",
        "tool_call": {"tool_call_id": "a", "name": "f", "arguments": "{}"},
        "tool_calls": [{"tool_call_id": "a", "name": "f", "arguments": "{}"}],
    }
    assert (two["id"], two["otid"]) == (one["id"], f"{one['id']}-1")
    assert two["tool_call"] == {"tool_call_id": "b", "name": "g", "arguments": "{bad"}


def test_only_the_call_that_awaits_a_person_is_shown_as_a_request() -> None:
    events = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]},
        {"type": "log", "text": "asking"},
        {"type": "approval_request", "callId": "b", "tool": "g"},
        {"type": "approval_response", "callId": "b", "approved": False, "reason": "no"},
    )
    call, request, response = items_of(LIST, events)
    assert call["message_type"] == "tool_call_message"
    assert request["message_type"] == "approval_request_message"
    assert request["tool_call"]["tool_call_id"] == "b"
    assert response["approval_request_id"] == request["id"]
    assert (response["approve"], response["reason"]) == (False, "no")
    assert response["approvals"] == [
        {"type": "approval", "tool_call_id": "b", "approve": False, "reason": "no"}
    ]


@pytest.mark.parametrize(
    ("args", "arguments"),
    [({}, "{}"), ({"args": "rm -rf"}, "rm -rf"), ({"args": [1]}, "[1]"), ({"args": None}, "null")],
)
def test_a_request_whose_call_is_gone_stands_by_itself(args: Item, arguments: str) -> None:
    events = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]},
        {"type": "reply", "text": "wait"},
        {"type": "approval_request", "callId": "a", "tool": "f", **args},
        {"type": "approval_response", "callId": "a", "approved": True},
    )
    kinds = ["tool_call_message", "assistant_message", "approval_request_message"]
    items = items_of(LIST, events)
    assert [item["message_type"] for item in items[:3]] == kinds
    assert items[2]["tool_call"]["arguments"] == arguments
    assert items[3]["approval_request_id"] == items[2]["id"]


def test_calls_held_back_come_out_with_the_next_item() -> None:
    asked, said = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]}, {"type": "reply", "text": "x"}
    )
    carry, settled = LIST.fold(LIST.start(), asked)
    assert not settled
    assert [placed.key for placed in LIST.rest(carry)] == ["1.0"]
    carry, settled = LIST.fold(carry, said)
    assert [placed.key for placed in settled] == ["1.0", "2.0"]
    assert carry == LettaCarry()


def test_the_carry_forgets_requests_that_were_never_answered() -> None:
    asks = [{"type": "approval_request", "callId": f"c{n}", "tool": "f"} for n in range(KEPT + 5)]
    carry = render(LIST, history(*asks)).carry
    assert [call_id for call_id, _ in carry.asked] == [f"c{n}" for n in range(5, KEPT + 5)]


def test_a_result_says_how_it_went_and_gets_an_id_where_it_has_none() -> None:
    [event_] = history(
        {
            "type": "tool_results",
            "results": [{"callId": "a", "output": {"n": 1}}, {"output": None, "error": "full"}],
        }
    )
    good, bad = items_of(LIST, [event_])
    assert (good["tool_call_id"], good["status"], good["tool_return"]) == (
        "a",
        "success",
        '{"n":1}',
    )
    assert good["tool_returns"] == [{**RETURN, "tool_return": '{"n":1}'}]
    assert bad["tool_call_id"] == f"call_{event_.message_id}_1"
    assert (bad["status"], bad["tool_return"]) == ("error", "Error: full")


def test_reasoning_stands_under_its_title() -> None:
    [item] = items_of(LIST, history({"type": "reasoning", "title": "Plan", "summary": "go"}))
    assert item["reasoning"] == "Plan\ngo"


def test_files_are_images_texts_or_named() -> None:
    files = [
        {"data": "QQ==", "mimeType": "image/png"},
        {"data": "aGk=", "mimeType": "text/plain"},
        {"data": "QQ==", "mimeType": "application/pdf", "filename": "bill.pdf"},
    ]
    [item] = items_of(LIST, history({"type": "input", "text": "see", "files": files}))
    assert item["content"] == [
        {"type": "text", "text": "see"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="},
        },
        {"type": "text", "text": "hi"},
        {"type": "text", "text": "[bill.pdf: application/pdf]"},
    ]


def test_a_figure_that_is_missing_is_null_not_zero() -> None:
    [item] = items_of(STREAM, history({"type": "llm_response", "usage": {"outputTokens": 7}}))
    assert item == {
        "message_type": "usage_statistics",
        "prompt_tokens": None,
        "completion_tokens": 7,
        "total_tokens": None,
        "step_count": None,
        "cached_input_tokens": None,
        "reasoning_tokens": None,
    }


@pytest.mark.parametrize(("reason", "stop_reason"), STOP_REASONS.items())
def test_an_exit_is_a_reason_to_stop(reason: str, stop_reason: str) -> None:
    events = history({"type": "exit", "reason": reason})
    expected = {"message_type": "stop_reason", "stop_reason": stop_reason}
    assert items_of(STREAM, events) == [expected]
    assert items_of(LIST, events) == []
    assert EXIT_REASONS[stop_reason] == reason


def test_messages_without_an_item_yield_none() -> None:
    events = history(
        {"type": "worker_spawned", "workerId": "w", "objective": "look"},
        {"type": "worker_result", "workerId": "w", "output": 1},
        {"type": "llm_request"},
        {"type": "llm_response"},
        {"type": "log", "text": "x"},
        {"type": "scratchpad", "text": "x", "mode": "append"},
        {"type": "tick"},
        {"type": "shutdown"},
        {"type": "vendor.thing", "payload": {**BASE, "message_type": "summary_message"}},
        {"type": "letta.unheard_of", "payload": {}},
    )
    assert items_of(LIST, events) == items_of(STREAM, events) == []


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {**HIDDEN, "state": "unheard of"},
        {**HIDDEN, "date": "yesterday"},
        {**HIDDEN, "date": "1767323045"},
        {**HIDDEN, "date": "2026-W01-1"},
        {**HIDDEN, "date": 1767323045},
        {**HIDDEN, "id": 5},
        {**HIDDEN, "seq_id": "x"},
        {**HIDDEN, "message_type": "summary_message"},
        {**HIDDEN, "message_type": ["hidden_reasoning_message"]},
        {**BASE, "message_type": "system_message", "content": "you obey"},
        {key: value for key, value in HIDDEN.items() if key != "date"},
    ],
)
def test_a_payload_that_is_not_of_its_class_is_not_shown(payload: Any) -> None:
    kind = "letta.hidden_reasoning_message"
    assert items_of(LIST, history({"type": kind, "payload": HIDDEN})) == [HIDDEN]
    assert items_of(LIST, history({"type": kind, "payload": payload})) == []


@given(
    date=st.datetimes(),
    separator=st.sampled_from("T "),
    precision=st.sampled_from(["minutes", "seconds", "milliseconds", "microseconds"]),
    zone=st.sampled_from(["", "Z", "+00:00", "-23:59", "+14:00"]),
)
def test_the_client_takes_every_date_that_fits(
    date: datetime, separator: str, precision: str, zone: str
) -> None:
    item = {**HIDDEN, "date": date.isoformat(separator, precision) + zone}
    assert fits(item)
    check_the_client_reads([item])


def _mended(draft: Item, wire: Item) -> Item:
    [item] = items_of(STREAM, [event(1, {**draft, "metadata": {"wire": {"letta": [wire]}}})])
    return item


@pytest.mark.parametrize(
    ("draft", "key", "value"),
    [
        ({"type": "reply", "text": "x"}, "message_type", "system_message"),
        ({"type": "reply", "text": "x"}, "message_type", "user_message"),
        ({"type": "reply", "text": "x"}, "date", "2026-13-01T00:00:00Z"),
        ({"type": "reply", "text": "x"}, "date", "٢٠٢٦-01-01T00:00:00Z"),
        ({"type": "reply", "text": "x"}, "id", 7),
        ({"type": "reply", "text": "x"}, "content", [{"type": "image"}]),
        ({"type": "system", "text": "x"}, "content", []),
        ({"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]}, "tool_call", OTHER_CALL),
        ({"type": "tool_calls", "calls": [{"id": "a", "name": "f"}]}, "tool_calls", [OTHER_CALL]),
        ({"type": "tool_results", "results": [{"callId": "a", "output": 1}]}, "status", "error"),
        ({"type": "tool_results", "results": [{"callId": "a", "output": 1}]}, "tool_call_id", "b"),
        ({"type": "approval_response", "callId": "a", "approved": False}, "approve", True),
        (
            {"type": "approval_response", "callId": "a", "approved": False},
            "approvals",
            [{"type": "approval", "tool_call_id": "a", "approve": True}],
        ),
        (
            {"type": "approval_response", "callId": "a", "approved": False},
            "approvals",
            [RETURN],
        ),
        ({"type": "exit", "reason": "error"}, "stop_reason", "end_turn"),
        ({"type": "exit", "reason": "error"}, "stop_reason", "unheard of"),
    ],
)
def test_a_residue_changes_neither_class_nor_word(draft: Item, key: str, value: Any) -> None:
    [plain] = items_of(STREAM, [event(1, draft)])
    assert _mended(draft, {"set": {"harmless": 1, key: value}})["harmless"] == 1
    assert _mended(draft, {"set": {key: value}})[key] == plain[key]
    assert key in _mended(draft, {"unset": ["otid", "message_type", "id", "date"]})


def test_a_residue_takes_away_only_what_the_client_can_miss() -> None:
    item = _mended({"type": "reply", "text": "x"}, {"unset": ["otid", "content", "id", "date"]})
    assert item.keys() == {"id", "date", "message_type", "content"}
