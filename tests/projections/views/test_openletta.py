"""The OpenLetta view and its reader, held against OpenLetta's own reference."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.projections.readers.wires.openletta import READER
from agentlog.projections.view import Item, render
from agentlog.projections.views.letta.items import KEPT
from agentlog.projections.views.openletta import OpenLettaView
from tests.histories import event, histories, history, json_values

VIEW = OpenLettaView()

USER: Item = {
    "message_type": "user_message",
    "content": "What files are in the current directory?",
    "timestamp": "2026-02-17T10:30:00Z",
}
REASONING: Item = {
    "message_type": "reasoning_message",
    "content": "I should run 'ls' in the current directory.",
    "timestamp": "2026-02-17T10:30:01Z",
}
REQUEST: Item = {
    "message_type": "approval_request_message",
    "tool_call": {
        "tool_call_id": "call_abc123",
        "tool_name": "bash",
        "arguments": {"command": "ls -la /home/user"},
    },
}
SUCCESS: Item = {
    "message_type": "tool_return_message",
    "tool_call_id": "call_abc123",
    "tool_name": "bash",
    "status": "success",
    "result": "total 48\n-rw-r--r--  1 user staff 1234 Feb 10 15:30 README.md",
}
ERROR: Item = {
    "message_type": "tool_return_message",
    "tool_call_id": "call_def456",
    "tool_name": "bash",
    "status": "error",
    "result": "bash: cd: /nonexistent: No such file or directory",
}
ASSISTANT: Item = {"message_type": "assistant_message", "content": "It contains README.md.\n"}
USAGE: Item = {
    "message_type": "usage_statistics",
    "input_tokens": 42,
    "output_tokens": 156,
    "total_tokens": 198,
}
REFERENCE = [USER, REASONING, REQUEST, SUCCESS, ERROR, ASSISTANT, USAGE]

SAID = {"message_type", "content", "timestamp"}
KEYS = {
    "user_message": SAID,
    "reasoning_message": SAID,
    "assistant_message": SAID,
    "approval_request_message": {"message_type", "tool_call", "timestamp"},
    "tool_return_message": {
        "message_type",
        "tool_call_id",
        "tool_name",
        "status",
        "result",
        "timestamp",
    },
}


def _items(events: Sequence[Event]) -> list[Item]:
    return [placed.item for placed in render(VIEW, events).items]


def _imported(items: Sequence[Item]) -> list[Item]:
    return _items(history(*READER.read(items)))


def check_is_of_the_reference(item: Item) -> None:
    """Hold an item against the TypeScript of the reference, written out."""
    kind = item["message_type"]
    assert isinstance(item.get("timestamp"), str | None)
    match kind:
        case "user_message" | "reasoning_message" | "assistant_message":
            assert isinstance(item["content"], str)
        case "approval_request_message":
            call = item["tool_call"]
            assert isinstance(call["tool_call_id"], str)
            assert isinstance(call["tool_name"], str)
            assert isinstance(call["arguments"], dict)
        case "tool_return_message":
            assert item["status"] in {"success", "error"}
            assert all(
                isinstance(item[key], str) for key in ("tool_call_id", "tool_name", "result")
            )
        case _:
            assert kind == "usage_statistics"
            assert all(
                isinstance(item.get(key), int | float | None)
                for key in ("input_tokens", "output_tokens", "total_tokens")
            )


def test_every_message_type_has_the_keys_of_the_reference() -> None:
    events = history(
        {"type": "system", "text": "be kind"},
        {"type": "input", "text": "hi"},
        {"type": "reasoning", "title": "Plan", "summary": "look"},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "bash", "args": {"command": "ls"}}]},
        {"type": "approval_request", "callId": "a", "tool": "bash"},
        {"type": "approval_response", "callId": "a", "approved": True},
        {"type": "tool_results", "results": [{"callId": "a", "output": {"files": 5}}]},
        {"type": "reply", "text": "five"},
        {"type": "llm_response", "usage": {"inputTokens": 42}},
        {"type": "llm_response"},
        {"type": "exit", "reason": "complete"},
    )
    items = _items(events)
    assert {item["message_type"]: item.keys() for item in items[:-1]} == KEYS
    assert [item.get("content") for item in items[:2]] == ["hi", "Plan\nlook"]
    assert items[0]["timestamp"] == "2026-01-02T03:04:05.002Z"
    assert items[2]["tool_call"] == {
        "tool_call_id": "a",
        "tool_name": "bash",
        "arguments": {"command": "ls"},
    }
    assert (items[3]["tool_name"], items[3]["result"]) == ("bash", '{"files":5}')
    assert items[5] == {"message_type": "usage_statistics", "input_tokens": 42}


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ({}, {}),
        ({"args": None}, {}),
        ({"args": {"value": 1}}, {"value": 1}),
        ({"args": [1]}, {"value": [1]}),
        ({"args": "ls"}, {"value": "ls"}),
        ({"argumentsText": "{ls"}, {"raw": "{ls"}),
        ({"args": {"q": 1}, "argumentsText": '{ "q": 1 }'}, {"q": 1}),
    ],
)
def test_arguments_are_always_an_object(call: Item, arguments: Item) -> None:
    [item] = _items(history({"type": "tool_calls", "calls": [{"id": "a", "name": "f", **call}]}))
    assert item["tool_call"]["arguments"] == arguments
    assert _imported([item]) == [item]


def test_a_result_has_the_name_of_its_tool_or_of_its_call_or_none() -> None:
    asked, *events = history(
        {"type": "tool_calls", "calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]},
        {
            "type": "tool_results",
            "results": [
                {"callId": "a", "name": "own", "output": 1},
                {"callId": "b", "output": 1, "error": "no"},
                {"output": 1},
            ],
        },
        {"type": "tool_results", "results": [{"callId": "b", "output": 1}]},
    )
    own, known, unknown, late = _items([asked, *events])[2:]
    assert own["tool_name"] == "own"
    assert (known["tool_name"], known["status"], known["result"]) == ("g", "error", "Error: no")
    assert unknown["tool_name"] == "unknown"
    assert unknown["tool_call_id"] == f"call_{events[0].message_id}_2"
    assert late["tool_name"] == "unknown"  # answered before: the carry keeps open calls alone


def test_the_carry_forgets_calls_that_were_never_answered() -> None:
    calls = [{"id": f"c{n}", "name": "f"} for n in range(KEPT + 5)]
    carry = render(VIEW, history({"type": "tool_calls", "calls": calls})).carry
    assert carry.unanswered == tuple((f"c{n}", "f") for n in range(5, KEPT + 5))


def test_files_are_texts_or_named() -> None:
    files = [
        {"data": "aGk=", "mimeType": "text/plain"},
        {"data": "QQ==", "mimeType": "image/png", "filename": "cat.png"},
    ]
    [item] = _items(history({"type": "input", "text": "see", "files": files}))
    assert item["content"] == "see\nhi\n[cat.png: image/png]"


def test_the_messages_of_the_reference_come_back() -> None:
    for item in REFERENCE:
        check_is_of_the_reference(item)
    assert _imported(REFERENCE) == REFERENCE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("message_type", "user_message"),
        ("tool_call_id", "other"),
        ("status", "error"),
        ("result", 5),
        ("tool_name", None),
        ("timestamp", 5),
    ],
)
def test_a_residue_changes_neither_shape_nor_word(key: str, value: Any) -> None:
    draft = {"type": "tool_results", "results": [{"callId": "a", "name": "f", "output": "x"}]}
    residue = {"set": {"harmless": 1, key: value}}
    [plain] = _items([event(1, draft)])
    [item] = _items([event(1, {**draft, "metadata": {"wire": {"openletta": [residue]}}})])
    assert item == {**plain, "harmless": 1}


@given(events=histories())
def test_every_item_of_any_history_is_of_the_reference(events: list[Event]) -> None:
    items = _items(events)
    for item in items:
        check_is_of_the_reference(item)
    assert _imported(items) == items


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_when = st.fixed_dictionaries({}, optional={"timestamp": _texts | st.just(USER["timestamp"])})
_wire_items = st.one_of(
    st.fixed_dictionaries(
        {
            "message_type": st.sampled_from(
                ["user_message", "reasoning_message", "assistant_message"]
            ),
            "content": _texts,
        }
    ),
    st.fixed_dictionaries(
        {
            "message_type": st.just("approval_request_message"),
            "tool_call": st.fixed_dictionaries(
                {
                    "tool_call_id": st.sampled_from(["a", "b"]),
                    "tool_name": _texts,
                    "arguments": st.dictionaries(_texts | st.just("raw"), json_values, max_size=2),
                }
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "message_type": st.just("tool_return_message"),
            "tool_call_id": st.sampled_from(["a", "b"]),
            "tool_name": _texts,
            "status": st.sampled_from(["success", "error"]),
            "result": _texts | st.just("Error: x"),
        }
    ),
    st.fixed_dictionaries(
        {"message_type": st.just("usage_statistics")},
        optional={key: st.integers() for key in ("input_tokens", "output_tokens", "total_tokens")},
    ),
)


@given(
    items=st.lists(
        st.tuples(_wire_items, _when).map(lambda both: {**both[0], **both[1]}), max_size=6
    )
)
def test_any_list_of_the_reference_comes_back(items: list[Item]) -> None:
    assert _imported(items) == items


def test_an_import_keeps_what_the_kernel_has_a_word_for() -> None:
    user, _, calls, _, error, _, usage = READER.read(REFERENCE)
    assert (user["text"], user["timestamp"]) == (USER["content"], 1_771_324_200_000)
    assert calls["calls"] == [
        {"id": "call_abc123", "name": "bash", "args": {"command": "ls -la /home/user"}}
    ]
    assert error["results"][0]["error"] == ERROR["result"]
    assert usage["usage"] == {"inputTokens": 42, "outputTokens": 156, "totalTokens": 198}


def test_arguments_in_a_string_are_read_as_the_real_letta_has_them() -> None:
    [calls] = READER.read(
        [{**REQUEST, "tool_call": {**REQUEST["tool_call"], "arguments": '{"q":1}'}}]
    )
    assert calls["calls"][0]["args"] == {"q": 1}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"message_type": "system_message"}, r"messages\[1\]\.message_type: 'system_message' .* u"),
        ({}, r"messages\[1\]\.message_type"),
        ({"message_type": "user_message", "content": []}, r"messages\[1\]\.content: not a string"),
        ({"message_type": "approval_request_message"}, r"messages\[1\]\.tool_call: not a call"),
        (
            {"message_type": "approval_request_message", "tool_call": {"tool_name": "f"}},
            r"messages\[1\]\.tool_call\.tool_call_id: not an id",
        ),
        ({"message_type": "tool_return_message"}, r"messages\[1\]\.tool_call_id: not an id"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_place(item: Item, words: str) -> None:
    with pytest.raises(InvalidMessage, match=words):
        list(READER.read([USER, item]))
