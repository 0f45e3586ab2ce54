"""Costs computed by the list of prices."""

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import number_at
from agentlog.domain.messages import TokenUsage
from agentlog.projections.outline.steps import outline
from agentlog.projections.prices import computed_cost, price_list
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of

AT = 1_767_600_000_000
THOUSAND = TokenUsage(input_tokens=1000, output_tokens=100)


def cost(model: str | None = "gpt-4o", provider: str | None = None, **usage: Any) -> float | None:
    """Return what a call cost, by default of 1,000 and 100 tokens."""
    counts = {"input_tokens": 1000, "output_tokens": 100, **usage}
    return computed_cost(model, provider, TokenUsage(**counts), AT)


def test_a_cost_counts_fresh_cached_and_output_tokens() -> None:
    assert cost() == 0.0035
    assert cost(cached_input_tokens=400) == 0.003
    assert cost(provider="openai") == 0.0035


def test_the_price_is_that_of_the_time() -> None:
    in_2025 = computed_cost("o3", "openai", THOUSAND, 1_746_000_000_000)
    assert in_2025 is not None
    assert in_2025 > (cost("o3", "openai") or 0)


def test_a_price_that_depends_on_the_number_of_tokens_is_computed_for_one_call_alone() -> None:
    few, many = cost("gemini-2.5-pro"), cost("gemini-2.5-pro", input_tokens=1_000_000)
    assert few is not None
    assert many is not None
    assert many > 1100 * few


@pytest.mark.parametrize(
    "given",
    [
        {"model": None},
        {"model": "no-such-model"},
        {"model": ""},
        {"model": "x" * 10_000},
        {"provider": "no-such-provider"},
        {"input_tokens": None},
        {"output_tokens": None},
        {"cached_input_tokens": 1001},
        {"input_tokens": 2**70},
    ],
)
def test_what_is_not_known_has_no_cost(given: dict[str, Any]) -> None:
    assert cost(**given) is None


def test_the_list_has_a_name_and_a_version() -> None:
    name, _, version = price_list().partition(" ")
    assert name == "genai-prices"
    assert version[0].isdigit()


def test_the_list_is_imported_on_first_use_and_asks_no_network() -> None:
    code = """
import socket, sys
import agentlog.projections.registry
from agentlog.domain.messages import TokenUsage
from agentlog.projections.prices import computed_cost
assert "genai_prices" not in sys.modules
def refuse(*_):
    raise AssertionError("it opens a connection")
socket.socket.connect = refuse
usage = TokenUsage(input_tokens=1000, output_tokens=100)
assert computed_cost("gpt-4o", None, usage, 1_767_600_000_000) == 0.0035
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


_models = st.sampled_from(["gpt-4o", "gpt-4o-mini", "no-such-model"])
_response_ids = st.fixed_dictionaries({}, optional={"responseId": st.sampled_from(["r1", "r2"])})
_drafts = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("llm_request"), "metadata": _response_ids}, optional={"model": _models}
    ),
    st.fixed_dictionaries(
        {"type": st.just("llm_response"), "metadata": _response_ids},
        optional={
            "model": _models,
            "usage": st.just({"inputTokens": 1000, "outputTokens": 100}),
            "costUsd": st.sampled_from([0, 0.25]),
        },
    ),
    st.just({"type": "runtime_error", "error": "reset"}),
    st.just({"type": "reply", "text": "done"}),
)


@given(drafts=st.lists(_drafts, min_size=1, max_size=16))
@examples(40)
def test_a_thread_costs_the_same_in_every_answer(drafts: list[dict[str, Any]]) -> None:
    events = history(*({**draft, "metadata": {**draft.get("metadata", {})}} for draft in drafts))
    (thread,) = rows_of(Threads(), events)
    calls = rows_of(ModelCalls(), events)
    spans = [placed.item for placed in render(choose_view("timeline", {}), events).items]
    models = [span for span in spans if span["kind"] == "model"]
    steps = outline(spans)
    costs = {
        "thread": (_total([thread.cost_usd]), thread.computed_calls, thread.unpriced_calls),
        "model calls": (
            _total(call.cost_usd for call in calls),
            sum(call.cost_source == "computed" for call in calls),
            sum(call.outcome == "answered" and call.cost_usd is None for call in calls),
        ),
        "timeline": (
            _total(number_at(span, "costUsd") for span in models),
            sum(span["prices"] is not None for span in models),
            sum(span["outcome"] == "succeeded" and span["costUsd"] is None for span in models),
        ),
        "outline": (
            _total(step.cost_usd for step in steps),
            sum(step.computed_calls for step in steps),
            sum(step.unpriced_calls for step in steps),
        ),
    }
    assert len(set(costs.values())) == 1, costs


def _total(costs: Iterable[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 9) if known else None
