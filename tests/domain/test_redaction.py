"""A redacted message is a message of the catalogue that says nothing."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from pydantic import StringConstraints

from agentlog.domain.catalogue import FACT_TYPES, MESSAGE_TYPES, read_stored
from agentlog.domain.drafts import prepare
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.fields import (
    REDACTED,
    Answers,
    Asks,
    Content,
    Dropped,
    Model,
    models_in,
)
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import CustomMessage
from agentlog.domain.redaction import (
    is_left_by_files,
    left_digest,
    redacted_body,
    redacted_metadata,
    without_files,
)
from tests.histories import counts, drafts, json_values, numbers, texts, timestamps
from tests.test_golden import EVENTS, _prepared

ID = "01KE6Q4Z8N2V7X3B5C9D1F0G2H"

SAID = "Zarquon"
"""Stands in every free text of what follows."""


@pytest.mark.parametrize("name", EVENTS)
def test_every_type_has_one_that_the_catalogue_reads(name: str) -> None:
    before = _prepared(name)
    kind = name.partition("-")[0]
    left = redacted_body(kind, before.message.id, before.body)
    raw, was = parse_stored(left), parse_stored(before.body)
    assert read_stored(kind, raw) is not None
    assert [raw[key] for key in ("id", "timestamp", "type")] == [
        was[key] for key in ("id", "timestamp", "type")
    ]
    assert redacted_body(kind, before.message.id, left) == left


figures = st.builds(
    lambda cost, tokens: {
        "type": "llm_response",
        "costUsd": parse_stored(cost.lstrip("-").encode()),
        "usage": {"inputTokens": tokens},
    },
    numbers,
    counts,
)
noted = st.fixed_dictionaries({}, optional={"responseId": texts, "actor": texts, "x": json_values})


@given(drafts | figures, timestamps, noted)
def test_what_an_append_binds_is_what_a_redaction_leaves(
    draft: dict[str, Any], timestamp: int, metadata: dict[str, Any]
) -> None:
    try:
        message = prepare({**draft, "metadata": metadata}, message_id=ID, timestamp=timestamp)
    except InvalidMessage:
        reject()
    left = redacted_body(draft["type"], ID, message.body)
    assert left_digest(left, redacted_metadata(message.metadata)) == message.left[:32]
    files = draft.get("files") or ()
    assert len(message.left) == 32 * (len(files) + 2 if files else 1)
    for place in range(len(files)):
        assert is_left_by_files(without_files(message.body, [place]), message.left)


def test_every_type_is_among_them() -> None:
    assert {name.partition("-")[0] for name in EVENTS} >= {*MESSAGE_TYPES, *FACT_TYPES}


MARKS = Content | Asks | Answers

KEPT = {
    "ToolCall.name",
    "ToolResult.name",
    "ApprovalRequestMessage.tool",
    "WorkerSpawnedMessage.allowed_tools",
    "WorkerSpawnedMessage.model",
    "LlmRequestMessage.model",
    "LlmResponseMessage.model",
    "LlmResponseMessage.provider",
    "LlmResponseMessage.finish_reason",
    "TokenUsage.service_tier",
    "ThreadRedacted.reason",
    "ThreadJudged.criterion",
    "ThreadJudged.verdict",
}
"""Free texts that stay: names of tools, models and criteria, words of verdicts, and the record of
an erasure."""


def free(annotation: object) -> bool:
    """Return whether a value of this type may hold any text."""
    if annotation in (str, JsonValue):
        return True
    if get_origin(annotation) is Annotated:
        base, *marks = get_args(annotation)
        patterns = [mark.pattern for mark in marks if isinstance(mark, StringConstraints)]
        return free(base) and not any(str(pattern or "").startswith("^") for pattern in patterns)
    return any(free(part) for part in get_args(annotation))


def unmarked(model: type[Model]) -> Iterator[str]:
    for name, hint in get_type_hints(model, include_extras=True).items():
        field = model.model_fields.get(name)
        if field is None or any(isinstance(mark, Dropped) for mark in field.metadata):
            continue
        if free(hint) and not any(isinstance(mark, MARKS) for mark in field.metadata):
            yield f"{model.__name__}.{name}"
        for nested in models_in(field.annotation):
            yield from unmarked(nested)


def test_every_free_text_is_marked_or_named_here() -> None:
    models: set[type[Model]] = {CustomMessage, *MESSAGE_TYPES.values(), *FACT_TYPES.values()}
    assert {name for model in models for name in unmarked(model)} == KEPT


SAYING: list[dict[str, Any]] = [
    {
        "type": "input",
        "text": SAID,
        "files": [{"data": "QQ==", "filename": SAID, "mimeType": SAID}],
    },
    {"type": "input", "files": [{"data": "QQ==", "filename": SAID}]},
    {"type": "reply", "text": SAID},
    {"type": "reasoning", "title": SAID, "summary": SAID},
    {
        "type": "tool_calls",
        "calls": [{"id": "a", "name": "f", "args": [SAID], "argumentsText": SAID}],
    },
    {"type": "tool_results", "results": [{"callId": "a", "output": {SAID: SAID}, "error": SAID}]},
    {
        "type": "tool_results",
        "results": [{"output": SAID, "error": {"name": SAID, "message": SAID, "stack": SAID}}],
    },
    {"type": "system", "text": SAID},
    {"type": "log", "text": SAID},
    {"type": "approval_request", "callId": "a", "tool": "f", "args": {SAID: SAID}, "reason": SAID},
    {"type": "approval_response", "callId": "a", "approved": True, "reason": SAID},
    {"type": "worker_spawned", "workerId": "w", "objective": SAID, "context": SAID},
    {"type": "worker_result", "workerId": "w", "output": {SAID: SAID}},
    {"type": "worker_result", "workerId": "w", "error": {"message": SAID, "code": SAID}},
    {"type": "llm_request", "model": "m", "responseFormat": {"schema": SAID}},
    {"type": "scratchpad", "text": SAID, "mode": "append"},
    {"type": "runtime_error", "error": SAID},
    {"type": "shutdown", "reason": SAID},
    {"type": "exit", "reason": "error", "message": SAID},
    {"type": "vendor.note", "payload": {SAID: SAID}},
    {"type": "thread.started", "goal": SAID, "metadata": {SAID: SAID}, "parent": "p"},
    {"type": "thread.closed", "reason": SAID},
    {"type": "thread.annotated", "metadata": {SAID: SAID}},
    {"type": "thread.hidden", "reason": SAID},
    {"type": "thread.noted", "text": SAID, "on": 1},
    {"type": "thread.labelled", "add": [SAID], "remove": [SAID]},
    {"type": "thread.judged", "criterion": "c", "score": 1, "comment": SAID},
    {"type": "reply", "text": SAID, "unknown": SAID},
    {"type": "no such type", "text": SAID},
]


@pytest.mark.parametrize("raw", SAYING, ids=lambda raw: raw["type"])
def test_nothing_is_left_of_what_was_said(raw: dict[str, Any]) -> None:
    body = print_bytes({"id": ID, "timestamp": 1, **raw})
    left = redacted_body(raw["type"], ID, body)
    assert SAID.encode() not in left
    assert (read_stored(raw["type"], parse_stored(left)) is None) == (
        read_stored(raw["type"], parse_stored(body)) is None
    )


def test_errors_stay_errors_and_ids_and_figures_stay() -> None:
    def left(raw: dict[str, Any]) -> JsonValue:
        body = print_bytes({"id": ID, "timestamp": 1, **raw})
        stored = object_of(parse_stored(redacted_body(raw["type"], ID, body)))
        return {key: stored[key] for key in stored if key not in {"id", "timestamp", "type"}}

    assert left(SAYING[4]) == {"calls": [{"id": "a", "name": "f"}]}
    assert left(SAYING[5]) == {"results": [{"callId": "a", "output": REDACTED, "error": REDACTED}]}
    assert left(SAYING[6]) == {"results": [{"output": REDACTED, "error": {"message": REDACTED}}]}
    response: dict[str, Any] = {
        "model": "m",
        "usage": {"totalTokens": 7},
        "finishReason": "stop",
        "costUsd": 0.1,
    }
    assert left({"type": "llm_response", **response}) == response
    assert left({"type": "thread.started", "policy": "record", "parent": "p", "limits": None}) == {
        "parent": "p",
        "limits": None,
        "policy": "record",
    }


@pytest.mark.parametrize("body", [b"", b"garbage", b"[]", b"\xff", b'{"timestamp":true}'])
def test_what_cannot_be_read_leaves_its_type_and_id(body: bytes) -> None:
    assert parse_stored(redacted_body("reply", ID, body)) == {
        "id": ID,
        "timestamp": 0,
        "type": "reply",
    }


ALL_OF_IT = b'{"responseId":"r","actor":"x","appendedBy":"k"}'


@given(st.binary(max_size=40) | st.just(ALL_OF_IT))
def test_of_metadata_only_the_response_and_the_key_stay(metadata: bytes) -> None:
    left = redacted_metadata(metadata)
    assert left is None or parse_stored(left).keys() == {"responseId", "appendedBy"}
    assert redacted_metadata(None) is None
    assert redacted_metadata(b'{"responseId":"r","actor":"x"}') == b'{"responseId":"r"}'
    assert redacted_metadata(b'{"actor":"x","appendedBy":"k"}') == b'{"appendedBy":"k"}'


def test_a_file_goes_and_the_others_stay() -> None:
    body = print_bytes(
        {
            "id": ID,
            "timestamp": 1,
            "type": "input",
            "text": "see",
            "files": [{"data": "QQ=="}, {"data": "Qg==", "filename": "b"}],
        }
    )
    raw = parse_stored(without_files(body, [0]))
    assert (raw["text"], raw["files"][1]) == ("see", {"data": "Qg==", "filename": "b"})
    assert raw["files"][0]["filename"] == REDACTED
    assert read_stored("input", raw) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"messages": []},
        {"messages": [ID], "all": True},
        {"all": True, "blob": "0" * 64},
        {"messages": [ID], "reason": " "},
        {"messages": [ID], "blob": "nonsense"},
        {"messages": ["nonsense"]},
    ],
)
def test_a_redaction_says_clearly_what_it_is_of(wrong: dict[str, Any]) -> None:
    raw = {"id": ID, "timestamp": 1, "type": "thread.redacted", "reason": "why", **wrong}
    assert read_stored("thread.redacted", raw) is None
    right: dict[str, Any] = {
        "id": ID,
        "timestamp": 1,
        "type": "thread.redacted",
        "reason": "why",
        "all": True,
    }
    assert isinstance(read_stored("thread.redacted", right), ThreadRedacted)
