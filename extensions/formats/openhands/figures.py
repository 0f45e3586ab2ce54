"""Figures of OpenHands conversations: tokens, cost and latency by model answer."""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue, object_of, objects_of
from agentlog.projections.readers.fields import Fields, usage
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
        case {"usage_to_metrics": dict(by_usage)}:
            return {
                name: figures
                for metrics in by_usage.values()
                for name, figures in _figures(metrics)
            }
        case _:
            return {}


def _figures(metrics: JsonValue) -> Iterator[tuple[str, Item]]:
    given = object_of(metrics)
    tokens = objects_of(given.get("token_usages"))
    costs = objects_of(given.get("costs"))  # name no answer, but each call adds one of each
    latencies = {
        item["response_id"]: latency
        for item in objects_of(given.get("response_latencies"))
        if isinstance(item.get("response_id"), str)
        and (latency := Fields(item, "").amount("latency")) is not None
    }
    for number, token in enumerate(tokens):
        response_id = token.get("response_id")
        if not isinstance(response_id, str) or not response_id:
            continue
        draft: Item = {}
        if isinstance(token.get("model"), str) and token["model"]:
            draft["model"] = token["model"]
        # 0 is what OpenHands writes where the model reported nothing
        counted = usage({key: value for key, value in token.items() if value != 0}, _TOKENS)
        if counted:
            draft["usage"] = counted
        cost = Fields(costs[number], "").amount("cost") if len(costs) == len(tokens) else None
        if cost is not None:
            draft["costUsd"] = cost
        if response_id in latencies:
            draft["latencyMs"] = latencies[response_id] * 1000
        yield response_id, draft
