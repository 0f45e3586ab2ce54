"""Texts of messages: all contents with their places, and nothing of what was erased."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.events import Event
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.places import path
from agentlog.domain.json.values import JsonValue
from agentlog.domain.redaction import redacted_body
from agentlog.projections.search.message_texts import (
    MOST_CHARACTERS,
    content_of,
    role_of,
    texts_of,
    tools_of,
)
from tests.histories import event, histories
from tests.projections.readmodels.stories import with_facts


def texts(draft: dict[str, Any]) -> dict[str, str]:
    (made,) = with_facts(draft)
    return {path(place): text for place, text in texts_of(content_of(made))}


def test_a_calls_arguments_are_texts_with_their_keys_and_numbers() -> None:
    call = {
        "id": "c1",
        "name": "book",
        "args": {"user": "mia", "bags": [{"kg": WrittenFloat("1.10")}], "paid": True, "by": None},
        "argumentsText": '{"user": …',
    }
    (made,) = [event(1, {"type": "tool_calls", "calls": [call]})]
    assert [(path(place), text) for place, text in texts_of(content_of(made))] == [
        ("calls[0].id", "c1"),
        ("calls[0].name", "book"),
        ("calls[0].args.user", "user"),
        ("calls[0].args.user", "mia"),
        ("calls[0].args.bags", "bags"),
        ("calls[0].args.bags[0].kg", "kg"),
        ("calls[0].args.bags[0].kg", "1.10"),
        ("calls[0].args.paid", "paid"),
        ("calls[0].args.by", "by"),
        ("calls[0].argumentsText", '{"user": …'),
    ]


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ({"type": "reply", "text": "hello", "metadata": {"actor": "x"}}, {"text": "hello"}),
        (
            {"type": "reasoning", "title": "T", "summary": "S"},
            {"title": "T", "summary": "S"},
        ),
        (
            {
                "type": "input",
                "text": "see",
                "files": [{"data": "aGVsbG8=", "filename": "a.txt"}],
            },
            {"text": "see", "files[0].filename": "a.txt"},
        ),
        (
            {"type": "tool_results", "results": [{"output": 7, "error": {"message": "no"}}]},
            {"results[0].output": "7", "results[0].error.message": "no"},
        ),
        (
            {"type": "acme.note", "payload": {"4711": ["deep", {"x": -1}]}},
            {
                "payload.4711": "4711",
                "payload.4711[0]": "deep",
                "payload.4711[1].x": "-1",
            },
        ),
        ({"type": "acme.note", "payload": "plain"}, {"payload": "plain"}),
        ({"type": "worker_result", "workerId": "w", "output": 5}, {"workerId": "w", "output": "5"}),
        ({"type": "llm_response", "usage": {"inputTokens": 3668}}, {}),
        ({"type": "tick"}, {}),
        ({"type": "thread.started", "goal": "win", "policy": "record"}, {"goal": "win"}),
        ({"type": "thread.annotated", "metadata": {"team": "ops"}}, {}),
        ({"type": "thread.closed", "reason": "done"}, {"reason": "done"}),
    ],
)
def test_texts_of_a_message(draft: dict[str, Any], expected: dict[str, str]) -> None:
    assert texts(draft) == expected


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[1]", b"null", b'"text"', b"{}"])
def test_a_body_that_no_catalogue_reads_has_no_texts(body: bytes) -> None:
    broken = dataclasses_replaced(body)
    assert list(texts_of(content_of(broken))) == []
    assert tools_of(content_of(broken)) == []


def dataclasses_replaced(body: bytes) -> Event:
    return dataclasses.replace(event(1, {"type": "tick"}), body=body)


def test_a_type_of_another_catalogue_has_its_texts() -> None:
    body = b'{"id":"x","timestamp":1,"type":"later","calls":[5,{"name":3}],"words":{"said":"yes"}}'
    assert [text for _, text in texts_of(content_of(dataclasses_replaced(body)))] == ["yes"]


def test_a_message_is_searched_up_to_a_bound() -> None:
    half = "x" * (MOST_CHARACTERS // 2)
    draft = {"type": "acme.note", "payload": [half, half + "beyond", "beyond"]}
    halves = [text for _, text in texts_of(content_of(event(1, draft)))]
    assert halves == [half, half]


@given(histories(max_size=4))
def test_an_erased_message_has_no_texts_and_no_tools(events: list[Event]) -> None:
    for recorded in events:
        body = redacted_body(recorded.type, recorded.message_id, recorded.body)
        erased = dataclasses.replace(recorded, body=body, redacted=9)
        assert content_of(erased) == {}
        assert content_of(recorded) == (recorded.raw or {})


def test_one_that_lost_only_a_file_has_its_texts() -> None:
    made = event(1, {"type": "input", "text": "stays", "files": [{"data": "aGVsbG8="}]})
    erased = dataclasses.replace(made, redacted=9)
    assert [text for _, text in texts_of(content_of(erased))] == ["stays"]


def test_tools_and_roles() -> None:
    calls: JsonValue = [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]
    assert tools_of({"calls": calls}) == ["f", "g"]
    assert tools_of({"results": [{"name": "f"}, {"callId": "b"}]}) == ["f"]
    assert tools_of({"type": "approval_request", "tool": "h"}) == ["h"]
    assert (role_of("input"), role_of("tool_results"), role_of("log")) == ("user", "tool", None)
