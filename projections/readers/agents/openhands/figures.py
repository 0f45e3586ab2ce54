"""Figures of OpenHands conversations: tokens, cost and latency by model answer."""

from collections.abc import Iterator

from agentlog.domain.json.text import JsonValue
from agentlog.projections.readers.reading import Fields, usage
from agentlog.projections.view import Item

_TOKENS = {
    "prompt_tokens": "inputTokens",
    "completion_tokens": "outputTokens",
    "cache_read_tokens": "cachedInputTokens",
    "reasoning_tokens": "reasoningTokens",
}


def figures_of(state: Item) -> dict[str, Item]:
    """Return the fields of `llm_response` by response id, from the `stats` of a base state."""
    match state.get("stats"):
        case {"usage_to_metrics": dict(found)}:
            return {name: each for metrics in found.values() for name, each in _figures(metrics)}
        case _:
            return {}


def _figures(metrics: JsonValue) -> Iterator[tuple[str, Item]]:
    tokens = _objects(metrics, "token_usages")
    costs = _objects(metrics, "costs")  # name no answer, but each call adds one of each
    latencies = {
        each["response_id"]: latency
        for each in _objects(metrics, "response_latencies")
        if isinstance(each.get("response_id"), str)
        and (latency := Fields(each, "").amount("latency")) is not None
    }
    for number, each in enumerate(tokens):
        response_id = each.get("response_id")
        if not isinstance(response_id, str) or not response_id:
            continue
        found: Item = {}
        if isinstance(each.get("model"), str) and each["model"]:
            found["model"] = each["model"]
        # 0 is what OpenHands writes where the model told nothing
        counted = usage({key: value for key, value in each.items() if value != 0}, _TOKENS)
        if counted is not None:
            found["usage"] = counted
        cost = Fields(costs[number], "").amount("cost") if len(costs) == len(tokens) else None
        if cost is not None:
            found["costUsd"] = cost
        if response_id in latencies:
            found["latencyMs"] = latencies[response_id] * 1000
        yield response_id, found


def _objects(metrics: JsonValue, key: str) -> list[Item]:
    found = metrics.get(key) if isinstance(metrics, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
