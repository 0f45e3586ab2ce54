"""Words of wires for token figures: each token is counted once, and words come back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.messages import TokenUsage
from agentlog.domain.usage import Parts, parts_of
from agentlog.projections import token_words
from agentlog.projections.token_words import TokenWords
from tests.domain.test_usage import PARTS, usage_of
from tests.histories import examples

WIRES = {name: words for name, words in vars(token_words).items() if isinstance(words, TokenWords)}


def read(words: TokenWords, counts: Any) -> TokenUsage:
    """Return what is read of counts."""
    return TokenUsage.model_validate(words.figures(counts))


def check_words(words: TokenWords, parts: Parts) -> None:
    """Check that parts, as far as a wire has words for them, come back from its counts."""
    written = {
        part for part in Parts._fields if (word := getattr(words, part, "x")) and "=" not in word
    }
    if "written" not in written:
        written -= {"written_1h"}
    kept = Parts(**{part: getattr(parts, part) for part in written})
    counts = words.counts(usage_of(kept))
    usage = read(words, counts)
    assert parts_of(usage) == kept
    assert words.counts(usage) == counts


@pytest.mark.parametrize("name", WIRES)
@given(parts=PARTS)
@examples(25)
def test_what_a_wire_can_say_comes_back(name: str, parts: Parts) -> None:
    check_words(WIRES[name], parts)


EXAMPLES: list[tuple[str, dict[str, Any], Parts]] = [
    (  # docs.anthropic.com, Prompt caching, "1-hour cache duration"
        "ANTHROPIC",
        {
            "input_tokens": 2048,
            "cache_read_input_tokens": 1800,
            "cache_creation_input_tokens": 248,
            "output_tokens": 503,
            "cache_creation": {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 100},
        },
        Parts(2048, read=1800, written=148, written_1h=100, output=503),
    ),
    (
        "ANTHROPIC",
        {"input_tokens": 3, "output_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 9}},
        Parts(3, written_1h=9, output=5),
    ),
    (  # platform.openai.com, Prompt caching
        "CHAT",
        {
            "prompt_tokens": 2006,
            "completion_tokens": 300,
            "total_tokens": 2306,
            "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        Parts(86, read=1920, output=300),
    ),
    (  # xAI counts thoughts beside its output: docs.x.ai, Reasoning
        "CHAT",
        {
            "prompt_tokens": 32,
            "completion_tokens": 9,
            "total_tokens": 135,
            "completion_tokens_details": {"reasoning_tokens": 94},
            "prompt_tokens_details": {"cached_tokens": 6},
        },
        Parts(26, read=6, output=9, thoughts=94),
    ),
    (  # DeepSeek
        "CHAT",
        {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "prompt_cache_hit_tokens": 64,
            "prompt_cache_miss_tokens": 36,
        },
        Parts(36, read=64, output=20),
    ),
    (  # LiteLLM of an answer of Anthropic's
        "CHAT",
        {
            "prompt_tokens": 1060,
            "completion_tokens": 20,
            "total_tokens": 1080,
            "cache_creation_input_tokens": 1000,
            "cache_read_input_tokens": 50,
            "prompt_tokens_details": {
                "cached_tokens": 50,
                "cache_creation_tokens": 1000,
                "cache_creation_token_details": {
                    "ephemeral_5m_input_tokens": 400,
                    "ephemeral_1h_input_tokens": 600,
                },
            },
        },
        Parts(10, read=50, written=400, written_1h=600, output=20),
    ),
    (
        "RESPONSES",
        {
            "input_tokens": 75,
            "input_tokens_details": {"cached_tokens": 25},
            "output_tokens": 1186,
            "output_tokens_details": {"reasoning_tokens": 1024},
            "total_tokens": 1261,
        },
        Parts(50, read=25, output=162, thoughts=1024),
    ),
    (
        "GEMINI",
        {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 40,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 300,
            "toolUsePromptTokenCount": 7,
            "totalTokenCount": 427,
            "promptTokensDetails": [
                {"modality": "TEXT", "tokenCount": 70},
                {"modality": "AUDIO", "tokenCount": 30},
            ],
        },
        Parts(37, read=40, audio=30, output=20, thoughts=300),
    ),
    (  # cut off in its thoughts: its JSON omits what is 0
        "GEMINI",
        {"promptTokenCount": 10, "thoughtsTokenCount": 90, "totalTokenCount": 100},
        Parts(10, thoughts=90),
    ),
    ("GEMINI", {"promptTokenCount": 10, "totalTokenCount": 10}, Parts(10)),
    (
        "BEDROCK",
        {
            "inputTokens": 10,
            "outputTokens": 20,
            "totalTokens": 1030,
            "cacheReadInputTokens": 400,
            "cacheWriteInputTokens": 600,
            "cacheDetails": [{"ttl": "1h", "inputTokens": 500}, {"ttl": "5m", "inputTokens": 100}],
        },
        Parts(10, read=400, written=100, written_1h=500, output=20),
    ),
    (  # langchain-anthropic sets cache_creation to 0 where it has its parts
        "LANGCHAIN",
        {
            "input_tokens": 1010,
            "output_tokens": 20,
            "total_tokens": 1030,
            "input_token_details": {
                "cache_read": 400,
                "cache_creation": 0,
                "ephemeral_5m_input_tokens": 100,
                "ephemeral_1h_input_tokens": 500,
            },
        },
        Parts(10, read=400, written=100, written_1h=500, output=20),
    ),
]


@pytest.mark.parametrize(("name", "counts", "parts"), EXAMPLES)
def test_what_providers_document_is_each_token_once(
    name: str, counts: dict[str, Any], parts: Parts
) -> None:
    assert parts_of(read(WIRES[name], counts)) == parts


@given(parts=PARTS, cache_beside=st.booleans(), thoughts_beside=st.booleans())
@examples(60)
def test_a_total_decides_between_the_words_of_a_wire_and_the_habit_of_another(
    parts: Parts, *, cache_beside: bool, thoughts_beside: bool
) -> None:
    usage = usage_of(parts._replace(written_1h=0))
    habit = token_words.CHAT._replace(cache_beside=cache_beside, thoughts_beside=thoughts_beside)
    figures = read(token_words.CHAT, habit.counts(usage))
    assert (figures.input_tokens or 0) + (figures.output_tokens or 0) == usage.total_tokens


@given(
    counts=st.recursive(
        st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    sorted(
                        {
                            step
                            for words in WIRES.values()
                            for word in words[:-3]
                            for step in str(word).replace(".", " ").split()
                        }
                    )
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=12,
    ),
    words=st.sampled_from(list(WIRES.values())),
)
@examples(100)
def test_odd_counts_are_read_as_far_as_they_are_counts(counts: Any, words: TokenWords) -> None:
    read(words, counts)


def test_nothing_told_is_nothing() -> None:
    assert token_words.CHAT.figures({}) == {}
    assert token_words.CHAT.figures(None) == {}
    assert token_words.ANTHROPIC.figures({"output_tokens": 4}) == {"outputTokens": 4}


def test_searches_and_a_tier_with_prices_of_its_own_are_read() -> None:
    words = {"output_tokens": 4, "server_tool_use": {"web_search_requests": 2}}
    told = {"outputTokens": 4, "webSearches": 2}
    assert token_words.ANTHROPIC.figures({**words, "service_tier": "standard"}) == told
    for key, tier in (("service_tier", "batch"), ("speed", "fast")):
        figures = token_words.ANTHROPIC.figures({**words, "service_tier": "standard", key: tier})
        assert figures == {**told, "serviceTier": tier}
    none = {"output_tokens": 4, "server_tool_use": {"web_search_requests": 0}}
    assert token_words.ANTHROPIC.figures(none) == {"outputTokens": 4}
