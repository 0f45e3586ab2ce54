"""Tool calls: what a result has to say for its call to count as succeeded or failed."""

import dataclasses
from typing import Any

import pytest

from agentlog.domain.redaction import redacted_body
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.readmodels.tool_calls import ToolCalls
from agentlog.projections.view import Item
from tests.histories import event
from tests.projections.readmodels.folding import rows_of

RESULT = {"callId": "c", "output": "fine"}
LETTA = {
    "message_type": "tool_return_message",
    "id": "message-1",
    "date": "2026-01-02T09:30:45+00:00",
    "tool_call_id": "c",
    "tool_return": "fine",
}
OPENLETTA = {"message_type": "tool_return_message", "tool_call_id": "c", "result": "fine"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MARIA = {"msg": "PostToolCall", "tool_call": CALL, "name": "f", "text": "fine"}


def outcome_of(result: dict[str, Any]) -> str | None:
    (row,) = rows_of(ToolCalls(), [event(1, {"type": "tool_results", "results": [result]})])
    return row.outcome


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({}, "unstated"),
        ({"output": None}, "unstated"),
        ({"output": {"error": "no such user"}}, "told"),
        ({"error": None}, "succeeded"),
        ({"error": ""}, "failed"),
        ({"error": {"message": "no"}}, "failed"),
        ({"output": "Error: no"}, "told"),
        ({"output": "a log with a Traceback (most recent call last) in it"}, "unstated"),
        ({"output": "Error: no", "error": None}, "succeeded"),
    ],
)
def test_a_result_without_an_error_succeeded_only_if_it_says_so(
    said: dict[str, Any], outcome: str
) -> None:
    assert outcome_of({**RESULT, **said}) == outcome


def test_an_open_call_has_no_outcome() -> None:
    (row,) = rows_of(
        ToolCalls(), [event(1, {"type": "tool_calls", "calls": [{"id": "c", "name": "f"}]})]
    )
    assert row.outcome is None


@pytest.mark.parametrize(
    ("wire", "item", "outcome"),
    [
        ("openai", {"role": "tool", "tool_call_id": "c", "content": "fine"}, "unstated"),
        ("letta", {**LETTA, "status": "success"}, "succeeded"),
        ("letta", {**LETTA, "status": "error"}, "failed"),
        ("letta", LETTA, "unstated"),
        ("openletta", {**OPENLETTA, "status": "success"}, "succeeded"),
        ("openletta", OPENLETTA, "unstated"),
        ("maria", {**MARIA, "result": "fine"}, "succeeded"),
        ("maria", {**MARIA, "error": "no"}, "failed"),
    ],
)
def test_what_a_wire_says_of_a_call_is_kept(wire: str, item: Item, outcome: str) -> None:
    (history,) = choose_format(wire).read([item])
    rows = rows_of(
        ToolCalls(), [sample_event(draft, n) for n, draft in enumerate(history.drafts, 1)]
    )
    assert [row.outcome for row in rows] == [outcome]


@pytest.mark.parametrize("said", [{}, {"error": None}, {"error": "no"}])
def test_redaction_keeps_what_a_result_says(said: dict[str, Any]) -> None:
    before = event(1, {"type": "tool_results", "results": [{**RESULT, **said}]})
    left = redacted_body(before.type, before.message_id, before.body)
    (row,) = rows_of(ToolCalls(), [dataclasses.replace(before, body=left)])
    assert row.outcome == outcome_of({**RESULT, **said})
