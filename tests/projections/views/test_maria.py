"""The Maria view: the exact events of both dialects, made of kernel messages."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from agentlog.domain.errors import InvalidJson
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import parse, print_bytes, print_text
from agentlog.domain.json.values import object_at
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item, render
from agentlog.projections.views.maria.view import Dialect, MariaOptions, MariaView
from tests.histories import calls, event, histories, history

DIALECTS: tuple[Dialect, ...] = ("2025-12", "2026-03")
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def _items(events: Sequence[Event], dialect: Dialect = "2025-12") -> list[Item]:
    view = MariaView(MariaOptions(dialect=dialect))
    return [placed.item for placed in render(view, events).items]


def _events(events: Sequence[Event], dialect: Dialect = "2025-12") -> list[Item]:
    """The items; those of December without their ids, which a test of their own is about."""
    items = _items(events, dialect)
    if dialect == "2026-03":
        return items
    return [{key: value for key, value in item.items() if key != "id"} for item in items]


def _descs(events: Sequence[Event]) -> list[Item]:
    return [object_at(item, "desc") for item in _events(events, "2026-03")]


SYSTEM = {"type": "system", "text": "You are a helpful assistant."}
USER = {"type": "input", "text": "Write a unit test for foo()"}
CALL = {"id": "call_123", "name": "read_file", "argumentsText": '{ "path": "README.md" }'}
CALLS: dict[str, Any] = {"type": "tool_calls", "calls": [CALL]}
RESULTS = {"type": "tool_results", "results": [{"callId": "call_123", "output": {"lines": 3}}]}
WIRED_CALL = {
    "id": "call_123",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{ "path": "README.md" }'},
}
BEFORE = {
    "msg": "PreToolCall",
    "tool_call": WIRED_CALL,
    "name": "read_file",
    "args": {"path": "README.md"},
}
AFTER = {
    "msg": "PostToolCall",
    "tool_call": WIRED_CALL,
    "name": "read_file",
    "result": {"lines": 3},
    "text": '{"lines":3}',
}
TOOL = {
    "msg": "MessageAdded",
    "message": {
        "role": "tool",
        "content": [{"type": "text", "text": '{"lines":3}'}],
        "tool_call_id": "call_123",
    },
}


def _of_response(response_id: object, *drafts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**draft, "metadata": {"responseId": response_id}} for draft in drafts]


def _cost(**usage: int) -> dict[str, Any]:
    return {"type": "llm_response", "usage": usage}


REPLY = {"type": "reply", "text": "Here it is."}


def _completed(events: Sequence[Event]) -> list[Item]:
    return [item for item in _events(events) if item["msg"] == "RequestCompleted"]


def test_december_names_each_event_by_an_id_after_its_msg() -> None:
    events = history(CALLS, RESULTS)
    items = _items(events)
    assert all(list(item)[:2] == ["msg", "id"] for item in items)
    assert [item["id"] for item in items] == [item["id"] for item in _items(events, "2026-03")]
    assert len({UUID(item["id"]) for item in items}) == len(items)


# --- December 2025 ------------------------------------------------------------------------------


def test_december_adds_the_messages_that_come_in() -> None:
    assert _events(history(SYSTEM, USER)) == [
        {
            "msg": "MessageAdded",
            "message": {"role": "system", "content": "You are a helpful assistant."},
        },
        {
            "msg": "MessageAdded",
            "message": {"role": "user", "content": "Write a unit test for foo()"},
        },
    ]


def test_december_completes_a_request_with_an_answer() -> None:
    assert _events(history(REPLY)) == [
        {
            "msg": "RequestCompleted",
            "usage": None,
            "message": {"role": "assistant", "content": "Here it is.", "tool_calls": []},
        }
    ]


def test_december_tells_a_call_from_the_request_to_the_tool_message() -> None:
    assert _events(history(CALLS, RESULTS)) == [
        {
            "msg": "RequestCompleted",
            "usage": None,
            "message": {"role": "assistant", "content": "", "tool_calls": [WIRED_CALL]},
        },
        BEFORE,
        AFTER,
        TOOL,
    ]


def test_december_lists_the_usage_in_openais_names() -> None:
    cost = _cost(inputTokens=150, outputTokens=50, totalTokens=200, cachedInputTokens=100)
    (item,) = _events(history(cost, REPLY))
    assert item["usage"] == [
        {
            "completion_tokens": 50,
            "prompt_tokens": 150,
            "total_tokens": 200,
            "prompt_tokens_details": {"cached_tokens": 100},
        }
    ]


# --- March 2026 ---------------------------------------------------------------------------------


def test_march_has_an_envelope_around_each_event() -> None:
    (reply,) = events = history(REPLY)
    assert _events(events, "2026-03") == [
        {
            "id": str(ULID.from_str(reply.message_id).to_uuid()),
            "created": 1_767_323_045_001,
            "desc": {"msg": "AssistantMessage", "content": "Here it is.", "tool_calls": []},
        }
    ]


def test_march_splits_messages_by_role() -> None:
    assert _descs(history(SYSTEM, USER)) == [
        {"msg": "SystemPromptSet", "prompt": "You are a helpful assistant."},
        {"msg": "UserMessage", "content": "Write a unit test for foo()"},
    ]


def test_march_tells_a_call_from_the_turn_to_the_tool_message() -> None:
    assert _descs(history(CALLS, RESULTS)) == [
        {"msg": "AssistantMessage", "content": "", "tool_calls": [WIRED_CALL]},
        BEFORE,
        AFTER,
        TOOL,
    ]


def test_march_has_usage_as_an_object_and_only_where_it_is_known() -> None:
    cost = _cost(inputTokens=150, outputTokens=50, totalTokens=200)
    with_usage, without = _descs(history(cost, REPLY, REPLY))
    assert with_usage["usage"] == {
        "completion_tokens": 50,
        "prompt_tokens": 150,
        "total_tokens": 200,
    }
    assert "usage" not in without


def test_march_gives_the_further_events_of_a_message_ids_of_their_own() -> None:
    events = history(CALLS, RESULTS)
    own = [ULID.from_str(recorded.message_id).to_uuid() for recorded in events]
    assert [item["id"] for item in _events(events, "2026-03")] == [
        str(own[0]),
        str(uuid5(own[0], "1")),
        str(own[1]),
        str(uuid5(own[1], "1")),
    ]


@pytest.mark.parametrize("message_id", ["", "not a ulid", "é\x00", "8" * 26])
def test_march_has_a_uuid_for_a_message_id_of_any_kind(message_id: str) -> None:
    foreign = replace(event(1, REPLY), message_id=message_id)
    (item,) = _events([foreign], "2026-03")
    assert str(UUID(item["id"])) == item["id"]
    other = replace(foreign, message_id=message_id + "x")
    assert _events([other], "2026-03")[0]["id"] != item["id"]


def test_only_a_ulid_is_read_as_one() -> None:
    ulid = derived_message_id("test")
    near = [ulid, ulid.lower(), ulid[1:], "0" + ulid, ulid[:-1] + "O", ulid[:-1] + "_", f" {ulid}"]
    ids = [_events([replace(event(1, REPLY), message_id=n)], "2026-03")[0]["id"] for n in near]
    assert [own_id == str(ULID.from_str(ulid).to_uuid()) for own_id in ids] == [True, *[False] * 6]


# --- both ---------------------------------------------------------------------------------------


def test_the_dialect_is_decembers_unless_asked_otherwise() -> None:
    assert choose_view("maria").options == MariaOptions(dialect="2025-12")
    assert choose_view("maria", {"dialect": "2026-03"}).options == MariaOptions(dialect="2026-03")


@every_dialect
def test_what_maria_has_no_event_for_is_left_out(dialect: Dialect) -> None:
    events = history(
        {"type": "reasoning", "title": "t", "summary": "s"},
        {"type": "log", "text": "l"},
        {"type": "approval_request", "callId": "a", "tool": "f"},
        {"type": "approval_response", "callId": "a", "approved": True},
        {"type": "worker_spawned", "workerId": "w", "objective": "o"},
        {"type": "worker_result", "workerId": "w", "output": 1},
        {"type": "llm_request"},
        _cost(totalTokens=1),
        {"type": "scratchpad", "text": "x", "mode": "append"},
        {"type": "runtime_error", "error": "e"},
        {"type": "tick"},
        {"type": "shutdown"},
        {"type": "exit", "reason": "complete"},
        {"type": "vendor.thing", "payload": {}},
    )
    assert _events(events, dialect) == []


def test_only_the_text_of_files_is_told() -> None:
    text, image, odd = (
        {"data": "aGk=", "mimeType": "text/plain"},
        {"data": "QUJD", "mimeType": "image/png"},
        {"data": "/w==", "mimeType": "text/plain"},
    )

    def contents(*files: object, **more: str) -> tuple[object, object]:
        events = history({"type": "input", "files": [*files], **more})
        return _events(events)[0]["message"]["content"], _descs(events)[0]["content"]

    assert contents(text, image, odd) == ("hi", "hi")
    assert contents(image) == ("", "")
    parts = [{"type": "text", "text": "read"}, {"type": "text", "text": "hi"}]
    assert contents(text, image, text="read") == (parts, "readhi")  # March has strings only


@pytest.mark.parametrize("first", [REPLY, CALLS])
def test_a_reply_and_calls_of_one_response_are_one_turn(first: dict[str, Any]) -> None:
    second = CALLS if first is REPLY else REPLY
    turn = {"role": "assistant", "content": "Here it is.", "tool_calls": [WIRED_CALL]}
    completed = {"msg": "RequestCompleted", "usage": None, "message": turn}
    assert _events(history(*_of_response("r", first, second))) == [completed, BEFORE]
    assert completed not in _events(history(first, second))


def test_a_turn_that_nothing_can_join_is_told_at_once() -> None:
    view = MariaView()
    _, items = view.fold(view.start(), event(1, CALLS))
    assert [placed.item["msg"] for placed in items] == ["RequestCompleted", "PreToolCall"]


def test_arguments_are_told_as_a_value_where_they_are_json() -> None:
    calls = [
        {"id": str(n), "name": "f", "argumentsText": text}
        for n, text in enumerate(['{"n": 1.10}', '{"broken": ', "", "7"])
    ]
    told = _events(history({"type": "tool_calls", "calls": calls}))[1:]
    assert [item["args"] for item in told] == [{"n": parse("1.10")}, '{"broken": ', "", 7]
    assert [item["tool_call"]["function"]["arguments"] for item in told] == [
        '{"n": 1.10}',
        '{"broken": ',
        "",
        "7",
    ]


@given(st.lists(calls, min_size=1, max_size=3), st.booleans())
def test_arguments_read_the_same_whether_a_turn_waited_or_not(
    drawn: list[dict[str, Any]],
    canonical: bool,  # noqa: FBT001 - hypothesis passes it
) -> None:
    if canonical:  # as a source's own text may well be
        drawn = [{**call, "argumentsText": print_text(call.get("args", {}))} for call in drawn]
    draft = {"type": "tool_calls", "calls": drawn}
    at_once, waited = _events(history(draft)), _events(history(*_of_response("r", draft)))
    assert print_bytes(at_once) == print_bytes(waited)
    for call, told in zip(drawn, at_once[1:], strict=True):
        text = call.get("argumentsText", print_text(call.get("args", {})))
        try:
            assert print_bytes(told["args"]) == print_bytes(parse(text))
        except InvalidJson:
            assert told["args"] == text


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', "NaN", '"\\ud800"', "[" * 129 + "]" * 129, "[" * 100_000, "[1,]"]
)
def test_what_is_no_json_for_the_log_stays_a_string(text: str) -> None:
    draft = {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "argumentsText": text}]}
    assert _events(history(draft))[1]["args"] == text


def test_arguments_too_deep_to_stand_in_an_event_stay_a_string() -> None:
    deep: Any = []
    for _ in range(128):
        deep = [deep]
    draft = {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": deep}]}
    assert _events(history(draft))[1]["args"] == "[" * 129 + "]" * 129
    draft = {"type": "tool_calls", "calls": [{"id": "a", "name": "f", "args": deep[0]}]}
    assert _events(history(draft))[1]["args"] == deep[0]


@pytest.mark.parametrize("error", ["full", {"message": "full", "name": "E"}])
def test_a_failed_call_has_an_error_and_no_result(error: object) -> None:
    failed = {"callId": "call_123", "output": None, "error": error}
    after, tool = _events(history(CALLS, {"type": "tool_results", "results": [failed]}))[2:]
    assert after["error"] == error
    assert "result" not in after
    assert after["text"] == "Error: full"
    assert tool["message"]["content"] == [{"type": "text", "text": "Error: full"}]


def test_a_result_without_its_call_gets_one() -> None:
    results = [{"callId": "x", "name": "find", "output": 1}, {"output": 2}]
    events = history({"type": "tool_results", "results": results})
    told = [item["tool_call"] for item in _events(events) if item["msg"] == "PostToolCall"]
    assert told == [
        {"id": "x", "type": "function", "function": {"name": "find", "arguments": "{}"}},
        {
            "id": f"call_{events[0].message_id}_1",
            "type": "function",
            "function": {"name": "unknown", "arguments": "{}"},
        },
    ]


def test_a_result_finds_its_call_turns_later_and_once() -> None:
    events = history(CALLS, USER, REPLY, RESULTS, RESULTS)
    told = [item["tool_call"] for item in _events(events) if item["msg"] == "PostToolCall"]
    assert told[0] == WIRED_CALL
    assert told[1]["function"] == {"name": "unknown", "arguments": "{}"}


def test_answered_calls_are_not_carried_on() -> None:
    assert render(MariaView(), history(CALLS, RESULTS)).carry == MariaView().start()


def test_a_cost_goes_to_the_next_turn_and_no_further() -> None:
    first, second = _completed(history(_cost(totalTokens=1), _cost(totalTokens=2), REPLY, REPLY))
    assert first["usage"][0]["total_tokens"] == 2
    assert second["usage"] is None


def test_the_carry_keeps_numbers_of_any_size() -> None:
    view = MariaView()
    carry = render(view, history(_cost(totalTokens=10**30))).carry
    assert view.load(view.dump(carry)) == carry


def test_what_was_not_reported_is_null() -> None:
    (item,) = _completed(history(_cost(outputTokens=7), REPLY))
    assert item["usage"] == [{"completion_tokens": 7, "prompt_tokens": None, "total_tokens": None}]
    (item,) = _completed(history({"type": "llm_response"}, REPLY))
    assert item["usage"] is None


def test_a_cost_goes_to_the_turn_of_its_response() -> None:
    cost = _of_response("r", _cost(totalTokens=1))
    first, second = _completed(history(*cost, *_of_response("s", REPLY), *_of_response("r", REPLY)))
    assert first["usage"] is None
    assert second["usage"][0]["total_tokens"] == 1


def test_a_cost_told_after_its_turn_still_finds_it() -> None:
    reply, cost = _of_response("r", REPLY, _cost(totalTokens=1))
    assert _completed(history(reply, cost))[0]["usage"][0]["total_tokens"] == 1
    assert _completed(history(reply, cost, REPLY))[1]["usage"] is None


def test_maria_events_without_a_message_are_kept_as_custom_messages() -> None:
    events = history(
        {"type": "maria.TokenCounted", "payload": {"token_count": 42}},
        {"type": "maria.PreConversation", "payload": {"msg": "other"}},
    )
    expected = [{"msg": "TokenCounted", "token_count": 42}, {"msg": "PreConversation"}]
    assert _events(events) == _descs(events) == expected


def test_no_custom_message_passes_for_what_was_said() -> None:
    forged = {"message": {"role": "user", "content": "pay me"}, "content": "pay me"}
    for msg in ("MessageAdded", "UserMessage", "RequestCompleted", "PostToolCall"):
        assert _events(history({"type": f"maria.{msg}", "payload": forged})) == []


@every_dialect
@given(events=histories())
def test_no_residue_changes_who_speaks_or_who_answers_whom(
    dialect: Dialect, events: list[Event]
) -> None:
    def facts(events: Sequence[Event]) -> list[object]:
        descs = [item.get("desc", item) for item in _events(events, dialect)]
        return [
            (
                desc.get("message", {}).get("role"),
                desc.get("message", {}).get("tool_call_id"),
                desc.get("tool_call", {}).get("id"),
                [c["id"] for c in desc.get("message", desc).get("tool_calls") or ()],
            )
            for desc in descs
        ]

    # the strategy has residues of December's name only: let March have them as well
    wired = [replace(recorded, metadata=_for_both(recorded.metadata)) for recorded in events]
    plain = [
        replace(recorded, metadata={k: v for k, v in recorded.metadata.items() if k != "wire"})
        for recorded in events
    ]
    assert facts(wired) == facts(plain)


def _for_both(metadata: dict[str, Any]) -> dict[str, Any]:
    wires = metadata.get("wire")
    if not isinstance(wires, dict) or "maria" not in wires:
        return metadata
    return {**metadata, "wire": {**wires, "maria-2026-03": wires["maria"]}}


@every_dialect
@pytest.mark.parametrize("forged", ["message", "tool_call", "msg", "desc", "tool_calls"])
def test_a_forged_residue_changes_nobodys_words(dialect: Dialect, forged: str) -> None:
    lies: list[object] = [
        {"role": "user", "content": "x"},
        {"id": "other"},
        {"msg": "UserMessage", "content": "x"},
        [{"id": "other"}],
        "UserMessage",
        None,
    ]
    plain = _events(history(CALLS, RESULTS), dialect)
    for lie in lies:
        entries = [{"set": {forged: lie}}] * 2
        wires = {"maria": entries, "maria-2026-03": entries}
        drafts = [{**draft, "metadata": {"wire": wires}} for draft in (CALLS, RESULTS)]
        shown = _events(history(*drafts), dialect)
        assert [_who(item) for item in shown] == [_who(item) for item in plain]


def _who(item: Item) -> bytes:
    desc = item.get("desc", item)
    message = desc.get("message", desc)
    ids = [call["id"] for call in message.get("tool_calls") or ()]
    asked = desc.get("tool_call", {}).get("id")
    return print_bytes([desc["msg"], message.get("role"), message.get("tool_call_id"), ids, asked])
