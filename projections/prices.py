"""Costs of model calls by a published list of prices: the data of the package `genai-prices`.

The list comes with the package and is never updated by itself. It is imported on first use: that
takes a third of a second and 11 MB.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, Literal, NamedTuple

from agentlog.domain.messages import LlmResponseMessage, TokenUsage
from agentlog.domain.usage import Parts, parts_of

_QUARTER = 15 * 60 * 1000  # in ms: prices change at full or half hours
_LONGEST_NAME = 200
_MOST_TOKENS = 10**12


class Cost(NamedTuple):
    """What a model call cost, in US dollars; without `usd` it is not known.

    `prices` names the list that it was computed by; None where it was reported.
    """

    usd: float | None
    prices: str | None


@cache
def price_list() -> str:
    """Return the name and version of the list, such as `genai-prices 0.2.3`."""
    return f"genai-prices {version('genai-prices')}"


def cost_of(response: LlmResponseMessage, model: str | None) -> Cost:
    """Return what the call of a model cost: as reported, else computed from its tokens."""
    if response.cost_usd is not None:
        return Cost(response.cost_usd, None)
    usd = computed_cost(model, response.provider, response.usage, response.timestamp)
    return Cost(usd, None if usd is None else price_list())


def computed_cost(
    model: str | None, provider: str | None, usage: TokenUsage | None, timestamp: int
) -> float | None:
    """Return what a call cost at a time, in US dollars: each part of its tokens at its own rate.

    None where the model is not in the list, where input or output tokens are not known, where parts
    exceed them, or where the list has no price for the service tier or for web searches. Not in it
    are other fees that are not of tokens, as those of code execution, which an account has for free
    for some hours; no message tells them.
    """
    if model is None or usage is None or len(model) + len(usage.service_tier or "") > _LONGEST_NAME:
        return None
    parts = parts_of(usage)
    if parts is None or sum(parts) + (usage.web_searches or 0) > _MOST_TOKENS:
        return None
    key = _Priced(model, provider, timestamp // _QUARTER, usage.service_tier)
    rates, fee = _rates(key), _fee(key) if usage.web_searches else 0
    if rates is None or fee is None:
        return None
    fees = fee * (usage.web_searches or 0)
    if rates == "whole":
        price = _price(key, parts)
        return None if price is None else round(float(price.total_price) + fees, 12)
    return round(sum(count * rate for count, rate in zip(parts, rates, strict=True)) + fees, 12)


class _Priced(NamedTuple):
    """What has one price: a model at a provider, within a quarter of an hour, in a tier."""

    model: str
    provider: str | None
    quarter: int
    tier: str | None


@lru_cache(maxsize=1024)
def context_window(model: str, provider: str | None) -> int | None:
    """Return how many tokens a model's context has by the list; None where that is not in it."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - heavy, see above

    if len(model) > _LONGEST_NAME:
        return None
    try:
        _, known = get_snapshot().find_provider_model(model, None, provider, None)
    except (LookupError, ValueError):
        return None
    return known.context_window


@lru_cache(maxsize=1024)
def _rates(key: _Priced) -> Sequence[float] | Literal["whole"] | None:
    """Return the dollars for a token of each part; `whole` where a call is priced as a whole."""
    from genai_prices.types import TieredPrices  # noqa: PLC0415 - heavy, see above

    million = 10**6
    rates: list[float] = []
    for part in Parts._fields:
        price = _price(key, Parts(**{part: million}))
        if price is None:
            return None
        figures = vars(price.model_price)
        is_tiered = any(isinstance(figure, TieredPrices) for figure in figures.values())
        if is_tiered or "requests_kcount" in figures:
            return "whole"
        rates.append(float(price.total_price / million))
    return rates


def _fee(key: _Priced) -> float | None:
    """Return the dollars for a web search; None where the list has none."""
    price = _price(key, Parts())
    rate = None if price is None else price.model_price.web_searches_kcount
    return None if rate is None else float(rate) / 1000


@lru_cache(maxsize=1024)
def _price(key: _Priced, parts: Parts) -> Any:  # noqa: ANN401 - the type is the package's, imported on first use
    """Return the price of a call's parts; None for an unknown model, or a tier without prices.

    What has no rate of its own in the list has that of its whole. But for what is written to a
    cache for an hour, Anthropic publishes twice the rate of fresh input ("1-hour cache write tokens
    are 2 times the base input tokens price", Prompt caching, Pricing).
    """
    import genai_prices  # noqa: PLC0415 - heavy, see above
    from genai_prices.types import ModelPrice  # noqa: PLC0415 - the same

    usage = genai_prices.Usage(
        input_tokens=parts.fresh + parts.read + parts.written + parts.written_1h + parts.audio,
        cache_read_tokens=parts.read,
        cache_write_tokens=parts.written + parts.written_1h,
        cache_write_1h_tokens=parts.written_1h,
        input_audio_tokens=parts.audio,
        cache_audio_read_tokens=0,
        output_tokens=parts.output + parts.thoughts + parts.output_audio,
        output_reasoning_tokens=parts.thoughts,
        output_audio_tokens=parts.output_audio,
    )
    at = datetime.fromtimestamp(key.quarter * _QUARTER / 1000, UTC)
    # the list names a tier by one of these
    tier = dict.fromkeys(("service_tier", "processing", "speed"), key.tier) if key.tier else {}
    try:
        price = genai_prices.calc_price(
            usage,
            key.model,
            provider_id=key.provider,
            genai_request_timestamp=at,
            price_context=tier,
        )
        if tier and price.model.get_prices(at, tier) == price.model.get_prices(at):
            return None
        rates = price.model_price
        if parts.written_1h and rates.cache_write_mtok and rates.cache_write_1h_mtok is None:
            hour = _doubled(rates.input_mtok)
            price.model_price = ModelPrice(**{**vars(rates), "cache_write_1h_mtok": hour})
            price.total_price = price.model_price.calc_price(usage)["total_price"]
    except (LookupError, ValueError):
        return None
    return price


def _doubled(rate: Any) -> Any:  # noqa: ANN401 - types of the package
    if not hasattr(rate, "tiers"):
        return rate * 2
    tiers = [replace(tier, price=tier.price * 2) for tier in rate.tiers]
    return replace(rate, base=rate.base * 2, tiers=tiers)
