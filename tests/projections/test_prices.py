"""Costs computed by the list of prices."""

import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.messages import TokenUsage
from agentlog.domain.usage import Parts
from agentlog.projections.outline.step import total_of
from agentlog.projections.outline.steps import outline
from agentlog.projections.prices import computed_cost, price_list
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.domain.test_usage import PARTS, usage_of
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


PRICED = (
    "claude-sonnet-4-5",  # tiered
    "claude-opus-4-5",
    "claude-haiku-4-5",
    "gpt-4o",
    "gpt-4o-audio-preview",
    "gpt-5",
    "gemini-2.5-flash",  # audio has a rate of its own
    "gemini-2.5-pro",
    "deepseek-chat",
    "perplexity/sonar-deep-research",  # thoughts and requests have rates of their own
)


@given(model=st.sampled_from(PRICED), parts=PARTS, scale=st.sampled_from([1, 7, 40]))
@examples(80)
def test_a_cost_is_what_the_list_itself_makes_of_each_part(
    model: str, parts: Parts, scale: int
) -> None:
    parts = Parts(*(count * scale for count in parts))
    judged = genai_prices.Usage(
        input_tokens=sum(parts[:5]),
        cache_read_tokens=parts.read,
        cache_write_tokens=parts.written + parts.written_1h,
        cache_write_1h_tokens=parts.written_1h,
        input_audio_tokens=parts.audio,
        cache_audio_read_tokens=0,
        output_tokens=sum(parts[5:]),
        output_reasoning_tokens=parts.thoughts,
        output_audio_tokens=parts.output_audio,
    )
    at = datetime.fromtimestamp(AT / 1000, UTC)
    provider = model.partition("/")[0] if "/" in model else None
    model = model.rpartition("/")[2]
    price = genai_prices.calc_price(judged, model, provider_id=provider, genai_request_timestamp=at)
    assert computed_cost(model, provider, usage_of(parts), AT) == pytest.approx(
        float(price.total_price), abs=1e-11
    )


def test_writes_to_a_cache_cost_what_anthropic_publishes() -> None:
    """A million each, of Claude Sonnet 4 ($ 3, 3.75, 6, 0.30 and 15) and of Opus 4.1."""
    million = 10**5  # below the tier for long inputs
    for model, rates in (
        ("claude-sonnet-4-20250514", (0.3, 0.03, 0.375, 0.6, 1.5)),
        ("claude-opus-4-1-20250805", (1.5, 0.15, 1.875, 3.0, 7.5)),
    ):
        for part, rate in zip(
            ("fresh", "read", "written", "written_1h", "output"), rates, strict=True
        ):
            parts = Parts(**{part: million})
            assert computed_cost(model, "anthropic", usage_of(parts), AT) == pytest.approx(rate)


def test_an_hour_without_a_rate_in_the_list_costs_twice_the_input() -> None:
    model = "claude-3-7-sonnet-20250219-v1:0"
    five, hour, fresh = (
        computed_cost(model, "aws", usage_of(Parts(**{part: 1000})), AT)
        for part in ("written", "written_1h", "fresh")
    )
    assert fresh is not None
    assert five == pytest.approx(fresh * 1.25)
    assert hour == pytest.approx(fresh * 2)


LATE = 1_795_000_000_000  # 2026-11-18


def test_web_searches_cost_ten_dollars_a_thousand_beside_the_tokens() -> None:
    """As Anthropic publishes (Pricing, Web search tool); 0 of them cost nothing."""
    model = "claude-sonnet-4-5"
    searched = cost(model, "anthropic", web_searches=3)
    assert searched == pytest.approx((cost(model, "anthropic") or 0) + 0.03)
    assert cost(model, "anthropic", web_searches=0) == cost(model, "anthropic")
    assert cost("gpt-3.5-turbo", "openai", web_searches=3) is None  # the list has no price


def test_a_service_tier_has_its_own_prices_or_none() -> None:
    """Anthropic's batches cost half; OpenAI's flex half, priority of GPT-5 twice."""

    def priced(model: str, provider: str, tier: str | None) -> float | None:
        usage = TokenUsage(input_tokens=1000, output_tokens=100, service_tier=tier)
        return computed_cost(model, provider, usage, LATE)

    claude = priced("claude-sonnet-4-5", "anthropic", None)
    gpt = priced("gpt-5", "openai", None)
    assert (claude, gpt) == (0.0045, 0.00225)
    assert priced("claude-sonnet-4-5", "anthropic", "batch") == 0.0045 / 2
    assert priced("gpt-5", "openai", "flex") == 0.00225 / 2
    assert priced("gpt-5", "openai", "priority") == 0.00225 * 2
    for tier in ("priority", "no-such-tier", "x" * 1000):  # agreed upon, or unknown
        assert priced("claude-sonnet-4-5", "anthropic", tier) is None


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
    run, steps = total_of(spans), outline(spans)
    costs = {
        "thread": (_total([thread.cost_usd]), thread.computed_calls, thread.unpriced_calls),
        "model calls": (
            _total(call.cost_usd for call in calls),
            sum(call.cost_source == "computed" for call in calls),
            sum(call.outcome == "answered" and call.cost_usd is None for call in calls),
        ),
        "run": (_total([run.cost_usd]), run.computed_calls, run.unpriced_calls),
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
