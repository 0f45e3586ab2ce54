"""A model call of a history as a request: whatever is odd in it, an API takes the request."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.projections.exchanges.answers import answers_of
from agentlog.projections.exchanges.reconstruction import (
    FrozenCall,
    NothingToAsk,
    frozen_call,
)
from agentlog.projections.readers.messages.chat import READER
from tests.airline import airline_runs
from tests.histories import examples, histories, history
from tests.projections.chat_api import check_types, why_unsafe

Item = dict[str, Any]

GOLDEN = Path(__file__).parents[2] / "golden"
ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")

TOOL: Item = {"type": "function", "function": {"name": "track", "parameters": {"type": "object"}}}
SENT: list[Item] = [
    {"role": "system", "content": "You track parcels."},
    {"role": "user", "content": "Where is 4711?"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "track", "arguments": '{"parcel": 4711}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "in Hamburg"},
]
ANSWERED: Item = {"role": "assistant", "content": "In Hamburg."}


def _imported(items: Sequence[Item], *before: Item) -> list[Event]:
    return history(*before, *READER.read(items))


def _call_of(events: list[Event], version: int) -> FrozenCall | None:
    try:
        return frozen_call(events, version)
    except NothingToAsk:
        return None


def test_the_request_of_a_simple_history_is_the_one_that_was_sent() -> None:
    asked = {"type": "llm_request", "model": "gpt-4o", "maxTokens": 100, "temperature": 0.2}
    start = {"type": "thread.started", "metadata": {"tools": [TOOL]}}
    events = _imported([*SENT, ANSWERED], start, asked)
    call = frozen_call(events, events[-1].version)
    parameters = {"model": "gpt-4o", "max_tokens": 100, "temperature": 0.2}
    assert call.request == {"messages": SENT, "tools": [TOOL], **parameters}
    assert (call.source, call.missing, call.version) == ("reconstructed", [], events[-2].version)
    assert call.answer is not None
    assert call.answer.answer(None).text == "In Hamburg."


@pytest.mark.parametrize(
    ("version", "messages", "answer"),
    [
        (0, 1, 2),  # before all: the first answer comes next
        (1, 1, 2),  # a question: its answer
        (2, 1, 2),  # the text of an answer
        (3, 1, 2),  # the calls of the same answer
        (4, 3, 5),  # a result: the next answer
        (5, 3, 5),
        (6, 5, None),  # a question without an answer
    ],
)
def test_the_call_is_that_of_the_answer_at_a_version_or_of_the_next(
    version: int, messages: int, answer: int | None
) -> None:
    same = {"metadata": {"responseId": "r"}}
    events = history(
        {"type": "input", "text": "one"},
        {"type": "reply", "text": "I look.", **same},
        {"type": "tool_calls", "calls": [{"id": "c", "name": "f"}], **same},
        {"type": "tool_results", "results": [{"callId": "c", "output": 1}]},
        {"type": "reply", "text": "done"},
        {"type": "input", "text": "two"},
    )
    call = frozen_call(events, version)
    assert len(call.request["messages"]) == messages
    assert (None if call.answer is None else call.answer.first) == answer


def test_after_the_last_answer_that_is_asked_for_again() -> None:
    events = history(
        {"type": "input", "text": "one"},
        {"type": "reply", "text": "done"},
        {"type": "exit", "reason": "complete"},
    )
    call = frozen_call(events, 3)
    assert call.request == {"messages": [{"role": "user", "content": "one"}]}
    assert call.answer is not None
    assert call.answer.first == 2


def test_what_is_not_on_record_is_named() -> None:
    events = history({"type": "input", "text": "one"})
    whole = ["the system prompt", "tool definitions", "sampling parameters"]
    assert frozen_call(events, 1).missing == whole


def test_a_call_without_messages_before_it_is_refused() -> None:
    with pytest.raises(NothingToAsk, match="no message for a model before version 1"):
        frozen_call(history({"type": "reply", "text": "hello"}), 1)


def test_open_calls_are_answered_and_odd_ids_and_names_replaced() -> None:
    calls = [{"id": "a", "name": "f"}, {"id": "a", "name": "g/é"}, {"id": "é", "name": ""}]
    events = history(
        {"type": "input", "text": "one"},
        {"type": "tool_calls", "calls": calls},
        {"type": "tool_results", "results": [{"callId": "é", "output": "c"}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": "a"}]},
    )
    messages: Any = frozen_call(events, 4).request["messages"]
    _, turn, *results = messages
    asked = [(call["id"], call["function"]["name"]) for call in turn["tool_calls"]]
    assert asked == [("a", "f"), ("a_2", "g_e2a0dfaa"), ("_4a99557e", "_e3b0c442")]
    assert [(item["tool_call_id"], item["content"]) for item in results] == [
        ("_4a99557e", "c"),
        ("a", "a"),
        ("a_2", '{"status":"pending"}'),
    ]


def _check(call: FrozenCall) -> None:
    """Check the request by the rules of the API."""
    messages: Any = call.request["messages"]
    after: Item = {"role": "user", "content": ""}
    assert why_unsafe([*messages, after]) is None
    calls = [asked for item in messages for asked in item.get("tool_calls") or ()]
    names = [(asked.get("function") or asked["custom"])["name"] for asked in calls]
    assert all(ID.fullmatch(asked["id"]) for asked in calls)
    for item in messages:
        ids = [asked["id"] for asked in item.get("tool_calls") or ()]
        assert len(set(ids)) == len(ids)
    assert all(map(NAME.fullmatch, names))
    for item in messages:
        check_types(item)


@examples(40, long=1000)
@given(events=histories(), version=st.integers(0, 13))
def test_the_api_takes_the_request_whatever_is_odd(events: list[Event], version: int) -> None:
    call = _call_of(events, version)
    if call is not None:
        _check(call)


IMPORTED = sorted((GOLDEN / "readers").glob("*/*.histories.json"))


@pytest.mark.parametrize("file", IMPORTED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_api_takes_every_call_of_an_imported_run(file: Path) -> None:
    for read in json.loads(file.read_bytes()):
        events = history(*read["drafts"])
        calls = [_call_of(events, answer.first) for answer in answers_of(events)]
        for call in filter(None, calls):
            _check(call)


def test_calls_of_real_runs_are_as_they_were_sent() -> None:
    calls = 0
    for run in airline_runs()[::10]:
        sent = [_bare(item) for item in run["traj"]]
        events = _imported(run["traj"])
        places = [n for n, item in enumerate(sent) if item["role"] == "assistant"]
        answers = answers_of(events)
        assert len(answers) == len(places)
        for place, answer in zip(places, answers, strict=True):
            request = frozen_call(events, answer.first).request
            assert request["messages"] == sent[:place]
            calls += 1
    assert calls > 200


def _bare(item: Item) -> Item:
    """Return an item with the keys that an API takes."""
    known = {"role", "content", "tool_call_id", *(["tool_calls"] if item.get("tool_calls") else [])}
    return {key: value for key, value in item.items() if key in known}


@examples(40, long=1000)
@given(events=histories(), version=st.integers(0, 13))
def test_what_comes_after_the_call_does_not_change_it(events: list[Event], version: int) -> None:
    call = _call_of(events, version)
    if call is not None and call.answer is not None:
        cut = [event for event in events if event.version <= call.answer.first]
        same = frozen_call(cut, call.answer.first)
        assert (same.request, same.missing) == (call.request, call.missing)
