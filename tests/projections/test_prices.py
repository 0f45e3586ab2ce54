"""Costs computed by the list of prices."""

import subprocess
import sys
from typing import Any

import pytest

from domain.messages import TokenUsage
from projections.prices import computed_cost, price_list

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
import projections.registry
from domain.messages import TokenUsage
from projections.prices import computed_cost
assert "genai_prices" not in sys.modules
def refuse(*_):
    raise AssertionError("it opens a connection")
socket.socket.connect = refuse
usage = TokenUsage(input_tokens=1000, output_tokens=100)
assert computed_cost("gpt-4o", None, usage, 1_767_600_000_000) == 0.0035
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
