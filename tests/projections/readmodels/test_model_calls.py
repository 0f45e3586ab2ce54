"""Model calls: requests matched with what ended them, and figures as they were reported."""

from statistics import median
from typing import Any

import pytest

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.projections.readmodels.model_calls import ModelCallRow, ModelCalls
from tests.histories import history
from tests.projections.readmodels.folding import rows_of

NOON = 1_767_268_800_000


def ask(at: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "llm_request", "timestamp": NOON + at, **fields}


def answer(at: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "llm_response", "timestamp": NOON + at, **fields}


def error(at: int = 0, text: str = "it broke") -> dict[str, Any]:
    return {"type": "runtime_error", "timestamp": NOON + at, "error": text}


def calls(*drafts: dict[str, Any]) -> list[ModelCallRow]:
    return rows_of(ModelCalls(), history(*drafts))


def test_a_call_has_the_figures_of_its_response() -> None:
    usage = {"inputTokens": 3, "outputTokens": 4, "cachedInputTokens": 2, "reasoningTokens": 0}
    (row,) = calls(
        ask(model="asked"),
        answer(
            2000,
            model="answered",
            provider="p",
            finishReason="stop",
            usage=usage,
            costUsd=0.5,
            metadata={"responseId": "r"},
        ),
    )
    assert (row.model, row.provider, row.finish_reason) == ("answered", "p", "stop")
    assert (row.version, row.answered_version, row.response_id) == (1, 2, "r")
    assert (row.input_tokens, row.output_tokens) == (3, 4)
    assert (row.cached_input_tokens, row.reasoning_tokens, row.cost_usd) == (2, 0, 0.5)
    assert (row.outcome, row.is_open, row.latency_ms) == ("answered", False, 2000.0)


def test_what_was_not_reported_is_missing_and_not_nought() -> None:
    (row,) = calls(ask(), answer())
    missing = (row.input_tokens, row.output_tokens, row.total_tokens, row.cost_usd, row.model)
    assert missing == (None,) * 5
    (row,) = calls(ask(), answer(usage={"inputTokens": 1, "outputTokens": 1}))
    assert row.total_tokens is None


def test_figures_that_no_column_holds_are_missing() -> None:
    odd = {"inputTokens": 2**63, "outputTokens": 2**63 - 1}
    (row,) = calls(
        ask(), answer(usage=odd, costUsd=WrittenFloat("1e400"), latencyMs=WrittenFloat("1e999"))
    )
    assert (row.input_tokens, row.output_tokens, row.cost_usd) == (None, 2**63 - 1, None)
    assert row.latency_ms is None


def test_the_latency_is_the_producers_own_figure_where_there_is_one() -> None:
    (row,) = calls(ask(), answer(2000, latencyMs=1850.5))
    assert row.latency_ms == 1850.5
    (row,) = calls(ask(2000), answer(0))
    assert row.latency_ms is None


def test_latencies_of_many_calls_come_to_their_median() -> None:
    waits = [10, 40, 20, 90, 30]
    drafts = [
        draft
        for number, wait in enumerate(waits)
        for draft in (ask(number * 1000), answer(number * 1000 + wait))
    ]
    latencies = [row.latency_ms for row in calls(*drafts)]
    assert latencies == waits
    assert median(latency for latency in latencies if latency is not None) == 30


def test_a_request_that_was_made_again_does_not_take_the_answers_after_it() -> None:
    given_up, again, next_one = calls(ask(0), ask(1000), answer(1500), ask(2000), answer(2100))
    assert (given_up.outcome, given_up.is_open, given_up.latency_ms) == (None, True, None)
    assert (again.latency_ms, next_one.latency_ms) == (500.0, 100.0)


def test_calls_at_one_time_are_told_apart_by_their_response_ids() -> None:
    one, other = calls(
        ask(0, metadata={"responseId": "one"}),
        ask(5, metadata={"responseId": "other"}),
        answer(10, model="first", metadata={"responseId": "one"}),
        answer(20, model="second", metadata={"responseId": "other"}),
    )
    assert (one.model, one.latency_ms) == ("first", 10.0)
    assert (other.model, other.latency_ms) == ("second", 15.0)


def test_a_runtime_error_fails_the_request_that_is_open() -> None:
    (row,) = calls(ask(), error(700, "connection reset"))
    assert (row.outcome, row.error_message, row.latency_ms) == ("failed", "connection reset", 700.0)
    assert row.answered_version == 2
    assert not row.is_open
    assert calls(error()) == []
    (row,) = calls(ask(), answer(), error())
    assert row.outcome == "answered"


@pytest.mark.parametrize("before", [[], [ask(), answer()]])
def test_a_response_that_nothing_asked_for_is_a_row_of_its_own(
    before: list[dict[str, Any]],
) -> None:
    *_, row = calls(*before, answer(model="m", usage={"totalTokens": 9}))
    assert row.version == row.answered_version == len(before) + 1
    assert (row.requested_at, row.requested_sent_at, row.latency_ms) == (None, None, None)
    assert (row.model, row.total_tokens, row.outcome) == ("m", 9, "answered")
