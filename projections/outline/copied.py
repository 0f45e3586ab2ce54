"""Answers that count in another thread: their items of the timeline, with figures of 0."""

from collections.abc import Iterable, Mapping

from agentlog.domain.json.values import integer_at, text_at
from agentlog.projections.outcomes.pairs import MADE_ID
from agentlog.projections.view import Item

_FIGURES = frozenset({"inputTokens", "outputTokens", "totalTokens", "costUsd"})


def may_be_copy(item: Item) -> bool:
    """Return whether an item is of an answer that its thread did not ask for."""
    if item["kind"] != "model" or item["version"] is not None:
        return False
    response_id = text_at(item, "responseId")
    return response_id is not None and not response_id.startswith(MADE_ID)


def uncounted(items: Iterable[Item], copies: Mapping[int, str]) -> Iterable[Item]:
    """Return items, those of copies with `copyOf` and figures of 0, told again or not.

    `copies` says of answers, by version, in which thread they count.
    """
    if not copies:
        return items
    origins = {
        text_at(item, "responseId"): origin
        for item in items
        if may_be_copy(item)
        and (origin := copies.get(integer_at(item, "endVersion") or 0)) is not None
    }
    return [
        {**item, **{key: 0 for key in _FIGURES & item.keys() if item[key] is not None}}
        | {"copyOf": origin, "prices": None}
        if (origin := origins.get(text_at(item, "responseId"))) is not None
        and (may_be_copy(item) or item["kind"] == "llm_response")
        else item
        for item in items
    ]
