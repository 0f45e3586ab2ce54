"""Costs of model calls by a published list of prices: the data of the package `genai-prices`.

The list comes with the package and is never updated by itself. It is imported on first use: that
takes a third of a second and 11 MB.
"""

from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, Literal, NamedTuple

from agentlog.domain.messages import LlmResponseMessage, TokenUsage

_QUARTER = 15 * 60 * 1000  # in ms: prices change at full or half hours
_LONGEST_NAME = 200
_MOST_TOKENS = 10**12


class Cost(NamedTuple):
    """What a model call cost, in US dollars; without `usd` it is not known.

    `prices` names the list that it was computed by; None where it was reported.
    """

    usd: float | None
    prices: str | None


class Rates(NamedTuple):
    """Dollars a token."""

    input: float
    cached_input: float
    output: float

    def cost(self, *, input_tokens: int, cached: int, output_tokens: int) -> float:
        """Return the dollars for tokens; `cached` are among the input tokens."""
        fresh = input_tokens - cached
        return fresh * self.input + cached * self.cached_input + output_tokens * self.output


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
    """Return what a call cost at a time, in US dollars, computed from its tokens.

    None where the model is not in the list, or where input or output tokens are not known.
    """
    if model is None or usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    fresh, out, cached = usage.input_tokens, usage.output_tokens, usage.cached_input_tokens or 0
    quarter = timestamp // _QUARTER
    if cached > fresh or fresh + out > _MOST_TOKENS or len(model) > _LONGEST_NAME:
        return None
    rates = _rates(model, provider, quarter)
    if rates is None:
        return None
    if rates == "tiered":
        price = _price(model, provider, quarter, (fresh, cached, out))
        return None if price is None else float(price.total_price)
    return round(rates.cost(input_tokens=fresh, cached=cached, output_tokens=out), 12)


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
def _rates(model: str, provider: str | None, quarter: int) -> Rates | Literal["tiered"] | None:
    from genai_prices.types import TieredPrices  # noqa: PLC0415 - heavy, see above

    million = 10**6
    prices: list[float] = []
    for tokens in ((million, 0, 0), (million, million, 0), (0, 0, million)):
        price = _price(model, provider, quarter, tokens)
        if price is None:
            return None
        if any(isinstance(figure, TieredPrices) for figure in vars(price.model_price).values()):
            return "tiered"
        prices.append(float(price.total_price / million))
    return Rates(*prices)


@lru_cache(maxsize=1024)
def _price(model: str, provider: str | None, quarter: int, tokens: tuple[int, int, int]) -> Any:  # noqa: ANN401 - the type is the package's, imported on first use
    """Return the price of input, cached input and output tokens; None for an unknown model."""
    import genai_prices  # noqa: PLC0415 - heavy, see above

    usage = genai_prices.Usage(
        input_tokens=tokens[0], cache_read_tokens=tokens[1], output_tokens=tokens[2]
    )
    at = datetime.fromtimestamp(quarter * _QUARTER / 1000, UTC)
    try:
        return genai_prices.calc_price(
            usage, model, provider_id=provider, genai_request_timestamp=at
        )
    except (LookupError, ValueError):
        return None
