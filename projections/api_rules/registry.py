"""Checks of conversations by the rules of each API."""

from collections.abc import Callable, Mapping, Sequence

from agentlog.domain.json.values import JsonObject
from agentlog.projections.api_rules import anthropic, chat, gemini, responses
from agentlog.projections.api_rules.rule import ApiName, Refusal, Rule

_CHECKS: Mapping[ApiName, Callable[[Sequence[JsonObject]], list[Refusal]]] = {
    "openai": chat.refusals,
    "responses": responses.refusals,
    "anthropic": anthropic.refusals,
    "gemini": gemini.refusals,
}
RULES: Mapping[ApiName, Mapping[str, Rule]] = {
    "openai": chat.RULES,
    "responses": responses.RULES,
    "anthropic": anthropic.RULES,
    "gemini": gemini.RULES,
}
"""The rules of each API, by short names."""


def refusals(api: ApiName, items: Sequence[JsonObject]) -> list[Refusal]:
    """Return what an API refuses of a conversation; nothing where it takes all.

    Calls at the very end may stay open: who sends the conversation adds their results.
    """
    return _CHECKS[api](items)
