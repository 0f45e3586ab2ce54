"""Words of formats for token figures: each token once, and the source's own sums and costs."""

from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.json.values import JsonObject, object_of
from agentlog.domain.messages import TokenUsage
from agentlog.domain.usage import Parts, parts_of
from agentlog.extensions.formats import cline, gemini_cli, opencode, pi
from agentlog.extensions.formats.atif import trajectory
from agentlog.extensions.formats.codex import events as codex
from agentlog.extensions.formats.inspect_ai import events as inspect_ai
from agentlog.extensions.formats.openhands import conversation
from agentlog.projections.prices import computed_cost
from agentlog.projections.token_words import TokenWords
from tests.domain.test_usage import PARTS
from tests.histories import examples
from tests.projections.test_prices import AT
from tests.projections.test_token_words import check_words

FORMATS = (cline, codex, conversation, gemini_cli, inspect_ai, opencode, pi, trajectory)
WORDS = {
    f"{module.__name__.removeprefix('agentlog.extensions.formats.')}.{name}": words
    for module in FORMATS
    for name, words in vars(module).items()
    if isinstance(words, TokenWords) and name.startswith("_") and name != "_METRICS"
}


@pytest.mark.parametrize("name", WORDS)
@given(parts=PARTS)
@examples(25)
def test_what_a_format_can_say_comes_back(name: str, parts: Parts) -> None:
    check_words(WORDS[name], parts)


@pytest.mark.parametrize("version", ["thoughts in the output", "beside it"])
@given(parts=PARTS)
@examples(40)
def test_sessions_of_opencode_cost_what_opencode_says(version: str, parts: Parts) -> None:
    """As `Session.getUsage` counts, with the rates of Claude Sonnet 4 that models.dev has."""
    parts = parts._replace(audio=0, output_audio=0, written_1h=0)
    is_beside = version == "beside it"
    tokens: JsonObject = {
        "total": sum(parts),
        "input": parts.fresh,
        "output": parts.output + (0 if is_beside else parts.thoughts),
        "reasoning": parts.thoughts,
        "cache": {"read": parts.read, "write": parts.written},
    }
    spent = (3 * parts.fresh + 0.3 * parts.read + 3.75 * parts.written) / 1_000_000
    spent += 15 * (parts.output + parts.thoughts) / 1_000_000
    assert _cost(opencode, tokens, "claude-sonnet-4-20250514") == pytest.approx(spent, abs=1e-9)


def test_an_answer_of_cline_alone_has_its_metrics() -> None:
    """`metrics.tokens.cached` are those that were written and read, beside the prompt."""
    message = {
        "role": "assistant",
        "content": [{"type": "text", "text": "done"}],
        "metrics": {"tokens": {"prompt": 4, "completion": 9, "cached": 100}, "cost": 0.01},
    }
    task = {"api_conversation_history": [message], "ui_messages": []}
    (history,) = cline.FORMAT.read(task)
    assert history.drafts[0]["usage"] == {"inputTokens": 104, "outputTokens": 9}
    assert history.drafts[0]["costUsd"] == 0.01


def _cost(module: Any, counts: JsonObject, model: str) -> float | None:
    words: TokenWords = vars(module)["_FIGURES"]
    usage = TokenUsage.model_validate(object_of(words.figures(counts)))
    assert parts_of(usage) is not None
    return computed_cost(model, "anthropic", usage, AT)
