"""Laws of every read model: no history is too odd for it, and batches make no difference."""

from math import isfinite
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.domain.messages import ToolCallsMessage, ToolResultsMessage
from agentlog.projections.readmodels.approvals import Approvals
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.registry import READ_MODELS, AnyReadModel
from agentlog.projections.readmodels.table import Table
from agentlog.projections.readmodels.threads import ThreadRow, Threads
from agentlog.projections.readmodels.tool_calls import ToolCalls
from agentlog.projections.readmodels.workers import Workers
from agentlog.projections.view import render
from agentlog.projections.views.agent_state import AgentStateView
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of
from tests.projections.readmodels.stories import stories
from tests.test_golden import THREADS

BIGGEST = 2**63 - 1
NUL = "call_\x00"


@given(events=stories, data=st.data())
@examples(25, long=600)
def test_every_read_model_keeps_its_laws(events: list[Event], data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(events)), max_size=4), label="cuts")
    for model in READ_MODELS.values():  # to draw a history takes longer than to fold it
        note(model.name)
        rows = rows_of(model, events)
        _check_batches_make_no_difference(model, rows, events, cuts)
        for row in rows:
            _check_columns(model.table, row)
    _check_thread(events)
    _check_every_ask_is_a_row_and_every_answer_ends_at_most_one(events)


def _check_batches_make_no_difference(
    model: AnyReadModel, rows: list[Any], events: list[Event], cuts: list[int]
) -> None:
    assert rows_of(model, events, cuts) == rows
    assert rows_of(model, events, range(len(events))) == rows


def _check_columns(table: Table, row: Any) -> None:
    kinds = {"text": str, "bigint": int, "double precision": float, "boolean": bool}
    for column in table.columns:
        value = getattr(row, column.name)
        if value is None:
            assert column.nullable, column.name
        elif column.type in kinds:
            assert isinstance(value, kinds[column.type]), column.name


@pytest.mark.parametrize(
    ("name", "ask", "answer"),
    [
        (
            "tool_calls",
            {"type": "tool_calls", "calls": [{"id": NUL, "name": "f"}]},
            {"type": "tool_results", "results": [{"callId": NUL, "output": ""}]},
        ),
        (
            "tool_calls",
            {"type": "tool_calls", "calls": [{"id": "a", "name": NUL}]},
            {"type": "tool_results", "results": [{"name": NUL, "output": ""}]},
        ),
        (
            "model_calls",
            {"type": "llm_request", "metadata": {"responseId": NUL}},
            {"type": "llm_response", "metadata": {"responseId": NUL}},
        ),
        (
            "approvals",
            {"type": "approval_request", "callId": NUL, "tool": "f"},
            {"type": "approval_response", "callId": NUL, "approved": True},
        ),
        (
            "workers",
            {"type": "worker_spawned", "workerId": NUL, "objective": ""},
            {"type": "worker_result", "workerId": NUL, "output": ""},
        ),
    ],
)
def test_an_id_that_no_column_holds_is_found_again(
    name: str, ask: dict[str, Any], answer: dict[str, Any]
) -> None:
    events = history(ask, answer)
    (row,) = rows_of(READ_MODELS[name], events, cuts=[1])
    assert (row.version, row.answered_version, row.is_open) == (1, 2, False)


@pytest.mark.parametrize("name", THREADS)
def test_the_counts_of_an_example_add_up(name: str) -> None:
    _check_thread(THREADS[name])


def _check_thread(events: list[Event]) -> None:
    rows = rows_of(Threads(), events)
    if not events:
        assert rows == []
        return
    (row,) = rows
    _check_ends(row, events)
    _check_counts(row, events)
    _check_sums(row, events)
    view = AgentStateView()
    metadata = parse_stored(row.metadata.encode())
    assert all(isinstance(value, str | int | float) for value in metadata.values())
    assert row.steps == view.agent_state(render(view, events).carry).step_count


def _check_ends(row: ThreadRow, events: list[Event]) -> None:
    first, last = events[0], events[-1]
    assert (row.version, row.position, row.recorded_at) == (1, first.position, first.recorded_at)
    assert (row.last_version, row.last_position) == (len(events), last.position)
    assert row.last_recorded_at == last.recorded_at


def _check_counts(row: ThreadRow, events: list[Event]) -> None:
    read = [event for event in events if event.message is not None]
    types = [event.type for event in read]
    facts = sum(event.type.startswith("thread.") for event in events)
    calls = rows_of(ToolCalls(), events)
    approvals = rows_of(Approvals(), events)
    models = rows_of(ModelCalls(), events)
    assert row.messages == len(events) - facts
    assert (row.inputs, row.replies) == (types.count("input"), types.count("reply"))
    assert row.runtime_errors == types.count("runtime_error")
    assert row.tool_calls == sum(call.called_at is not None for call in calls)
    stated = [call.outcome for call in calls if call.outcome in {"succeeded", "failed"}]
    assert row.tool_failures == (stated.count("failed") if stated else None)
    assert row.model_calls == len(models)
    assert row.requests_open == sum(call.is_open for call in models)
    assert row.approvals_asked == sum(approval.asked_at is not None for approval in approvals)
    assert row.approvals_denied == sum(approval.outcome == "denied" for approval in approvals)
    assert row.workers == sum(row.spawned_at is not None for row in rows_of(Workers(), events))
    answers = [event.message for event in read if event.type == "tool_results"]
    asked = [event.message for event in read if event.type == "tool_calls"]
    results = sum(
        len(answer.results) for answer in answers if isinstance(answer, ToolResultsMessage)
    )
    assert row.tool_calls == sum(
        len(message.calls) for message in asked if isinstance(message, ToolCallsMessage)
    )
    assert results == sum(call.outcome is not None for call in calls)


def _check_sums(row: ThreadRow, events: list[Event]) -> None:
    calls = rows_of(ModelCalls(), events)
    for name in ("input_tokens", "output_tokens"):
        reported = [value for call in calls if (value := getattr(call, name)) is not None]
        assert (getattr(row, name) is None) == (not reported)
        if sum(reported) <= BIGGEST:
            assert sum(reported) == (getattr(row, name) or 0)
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    assert (row.cost_usd is None) == (not costs)
    if isfinite(sum(costs)):
        assert (row.cost_usd or 0.0) == pytest.approx(sum(costs))


def _check_every_ask_is_a_row_and_every_answer_ends_at_most_one(events: list[Event]) -> None:
    for model, asking, answering in (
        (ModelCalls(), "llm_request", "llm_response"),
        (Approvals(), "approval_request", "approval_response"),
        (Workers(), "worker_spawned", "worker_result"),
    ):
        read = [event for event in events if event.message is not None]
        asks = {event.version for event in read if event.type == asking}
        answers = {event.version for event in read if event.type == answering}
        rows: list[Any] = rows_of(model, events)
        ended = [row.answered_version for row in rows if row.answered_version is not None]
        assert {row.version for row in rows if row.version != row.answered_version} == asks
        assert len(set(ended)) == len(ended)
        assert answers <= set(ended)
        for row in rows:
            assert row.is_open == (row.outcome is None) == (row.answered_version is None)
            assert row.is_open or row.version <= row.answered_version
