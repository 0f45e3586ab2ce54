"""What wires call the token figures of an answer: read as the catalogue's, and written back.

`domain.messages.TokenUsage` says what the catalogue's figures mean. A wire is a table of its words,
and of what it counts beside its input and output instead of in them.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from agentlog.domain.json.values import JsonObject, JsonValue, object_of, objects_of
from agentlog.domain.messages import TokenUsage
from agentlog.domain.usage import Inner, Wholes, settle

_FIGURES = {
    "input": "inputTokens",
    "output": "outputTokens",
    "total": "totalTokens",
    "read": "cachedInputTokens",
    "written": "cacheWriteTokens",
    "written_1h": "cacheWrite1hTokens",
    "audio": "inputAudioTokens",
    "thoughts": "reasoningTokens",
    "output_audio": "outputAudioTokens",
    "searches": "webSearches",
}
_STANDARD = frozenset({"standard", "default", "auto", "on_demand"})


class TokenWords(NamedTuple):
    """The words for each figure, separated by spaces: the first is written, all are read.

    A word is a key or a path, `details.cached`, or `details.ttl=1h.count` for an item of a list
    (read only). Of several the greatest counts, as some are 0 where others are told. `tool` are
    tokens of the input that no other figure counts; `omits_zero`: with no output told it is 0.
    `tier` are words whose values name a service tier: those with the usual prices are left out.
    """

    input: str
    output: str
    total: str = ""
    read: str = ""
    written: str = ""
    written_5m: str = ""
    written_1h: str = ""
    tool: str = ""
    audio: str = ""
    thoughts: str = ""
    output_audio: str = ""
    searches: str = ""
    tier: str = ""
    cache_beside: bool = False
    thoughts_beside: bool = False
    omits_zero: bool = False

    def figures(self, counts: JsonValue | Mapping[str, JsonValue]) -> JsonObject:
        """Return the figures of the catalogue that a wire's counts tell."""
        item = {**counts} if isinstance(counts, Mapping) else JsonObject()
        values: dict[str, int] = {}
        for part, paths in _parts_of(self) if item else ():
            count = _count(item, paths)
            if count is not None:
                values[part] = count
        if not values:
            return {}
        _sum_up(values)
        if self.omits_zero and {"input", "total"} <= values.keys():
            values.setdefault("output", 0)
        whole = settle(
            Wholes(values.get("input"), values.get("output")),
            values.get("total"),
            Inner(values.get("read", 0), values.get("written", 0), values.get("thoughts", 0)),
            cache_beside=self.cache_beside,
            thoughts_beside=self.thoughts_beside,
        )
        counted = {**values, "input": whole.input, "output": whole.output}
        if not counted.get("searches"):
            counted["searches"] = None
        figures: JsonObject = {
            ours: count
            for part, ours in _FIGURES.items()
            if (count := counted.get(part)) is not None
        }
        tiers = [item.get(word) for word in self.tier.split()] if self.tier else []
        named = [tier for tier in tiers if isinstance(tier, str) and tier not in _STANDARD]
        return figures | ({"serviceTier": named[0]} if named else {})

    def keys(self, counts: JsonObject) -> set[str]:
        """Return the keys of an object whose counts are figures."""
        words = {word for part in _FIGURES for word in getattr(self, part).split()}
        return {word for word in words & counts.keys() if _count(counts, _paths(word)) is not None}

    def counts(self, usage: TokenUsage, *, flat: bool = False) -> JsonObject:
        """Return known figures of the catalogue in the wire's words: the inverse.

        With `flat` their keys are the whole words.
        """
        read, written = usage.cached_input_tokens or 0, usage.cache_write_tokens or 0
        hour, thoughts = usage.cache_write_1h_tokens, usage.reasoning_tokens or 0
        values = {
            "input": _less(usage.input_tokens, read + written if self.cache_beside else 0),
            "output": _less(usage.output_tokens, thoughts if self.thoughts_beside else 0),
            "total": usage.total_tokens,
            "read": usage.cached_input_tokens,
            "written": usage.cache_write_tokens,
            "written_5m": None if hour is None else _less(written, hour),
            "written_1h": hour,
            "audio": usage.input_audio_tokens,
            "thoughts": usage.reasoning_tokens,
            "output_audio": usage.output_audio_tokens,
            "searches": usage.web_searches,
        }
        item: JsonObject = {}
        for part, count in values.items():
            paths = _paths(getattr(self, part))
            if count is not None and paths and "=" not in paths[0][0]:
                _put(item, paths[0][:1] * 2 if flat else paths[0], count)
        return item


def _sum_up(values: dict[str, int]) -> None:
    """Add up what some wires tell only by its parts: what is written to caches, and the input."""
    five, hour = values.pop("written_5m", None), values.get("written_1h")
    if five is not None or hour is not None:
        values["written"] = max(values.get("written", 0), (five or 0) + (hour or 0))
    tool = values.pop("tool", 0)
    if tool:
        values["input"] = values.get("input", 0) + tool


def _less(whole: int | None, part: int) -> int | None:
    return whole if whole is None or whole < part else whole - part


@lru_cache(maxsize=256)
def _parts_of(words: TokenWords) -> list[tuple[str, tuple[tuple[str, ...], ...]]]:
    """Return the paths of each part that a wire has words for."""
    parts = ((part, _paths(getattr(words, part))) for part in (*_FIGURES, "written_5m", "tool"))
    return [(part, paths) for part, paths in parts if paths]


@lru_cache(maxsize=512)
def _paths(words: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths of words, each a whole word and then its steps."""
    return tuple((word, *word.split(".")) for word in words.split())


def _count(item: JsonObject, paths: tuple[tuple[str, ...], ...]) -> int | None:
    """Return the greatest count at some paths."""
    most: int | None = None
    for path in paths:
        value = item.get(path[0])  # attributes of spans have keys with dots
        if value is None and path[2:]:
            value = _inner(item, path[1:])
        if type(value) is int and value >= (most or 0):
            most = value
    return most


def _inner(value: JsonValue, steps: Sequence[str]) -> JsonValue:
    for step in steps:
        if "=" in step:
            key, _, wanted = step.partition("=")
            value = next((one for one in objects_of(value) if one.get(key) == wanted), None)
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def _put(item: JsonObject, path: tuple[str, ...], count: int) -> None:
    _, *steps, last = path
    for step in steps:
        inner = object_of(item.get(step))
        item[step] = inner
        item = inner
    item[last] = count


CHAT = TokenWords(
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    read="prompt_tokens_details.cached_tokens cache_read_input_tokens prompt_cache_hit_tokens "
    "cached_tokens",
    written="prompt_tokens_details.cache_write_tokens "
    "prompt_tokens_details.cache_creation_tokens cache_creation_input_tokens",
    written_5m="prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens",
    written_1h="prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens",
    audio="prompt_tokens_details.audio_tokens",
    thoughts="completion_tokens_details.reasoning_tokens reasoning_tokens",
    output_audio="completion_tokens_details.audio_tokens",
    tier="service_tier",
)
"""Chat completions of OpenAI, and those who have them too: DeepSeek and Moonshot (what came from a
cache), OpenRouter and LiteLLM (what was written to one). xAI counts thoughts beside its output,
which its total shows."""

RESPONSES = TokenWords(
    "input_tokens",
    "output_tokens",
    "total_tokens",
    read="input_tokens_details.cached_tokens",
    written="input_tokens_details.cache_write_tokens",
    audio="input_tokens_details.audio_tokens",
    thoughts="output_tokens_details.reasoning_tokens",
    output_audio="output_tokens_details.audio_tokens",
    tier="service_tier",
)
"""OpenAI's Responses API."""

ANTHROPIC = TokenWords(
    "input_tokens",
    "output_tokens",
    read="cache_read_input_tokens",
    written="cache_creation_input_tokens",
    written_5m="cache_creation.ephemeral_5m_input_tokens",
    written_1h="cache_creation.ephemeral_1h_input_tokens",
    thoughts="output_tokens_details.thinking_tokens",
    searches="server_tool_use.web_search_requests",
    tier="speed service_tier",
    cache_beside=True,
)
"""Anthropic's Messages API: "total input tokens" are the sum of three (Prompt caching)."""

GEMINI = TokenWords(
    "promptTokenCount prompt_token_count",
    "candidatesTokenCount candidates_token_count responseTokenCount response_token_count",
    "totalTokenCount total_token_count",
    read="cachedContentTokenCount cached_content_token_count",
    tool="toolUsePromptTokenCount tool_use_prompt_token_count",
    audio="promptTokensDetails.modality=AUDIO.tokenCount "
    "prompt_tokens_details.modality=AUDIO.token_count",
    thoughts="thoughtsTokenCount thoughts_token_count",
    output_audio="candidatesTokensDetails.modality=AUDIO.tokenCount "
    "candidates_tokens_details.modality=AUDIO.token_count",
    thoughts_beside=True,
    omits_zero=True,
)
"""Gemini's API: the total is that of prompt, candidates, tool use and thoughts (UsageMetadata)."""

BEDROCK = TokenWords(
    "inputTokens",
    "outputTokens",
    "totalTokens",
    read="cacheReadInputTokens",
    written="cacheWriteInputTokens",
    written_5m="cacheDetails.ttl=5m.inputTokens",
    written_1h="cacheDetails.ttl=1h.inputTokens",
    cache_beside=True,
)
"""Bedrock's Converse (TokenUsage)."""

LANGCHAIN = TokenWords(
    f"input_tokens {CHAT.input}",
    f"output_tokens {CHAT.output}",
    "total_tokens",
    read="input_token_details.cache_read input_token_details.priority_cache_read "
    f"input_token_details.flex_cache_read {CHAT.read}",
    written=f"input_token_details.cache_creation {CHAT.written}",
    written_5m="input_token_details.ephemeral_5m_input_tokens",
    written_1h="input_token_details.ephemeral_1h_input_tokens",
    audio=f"input_token_details.audio {CHAT.audio}",
    thoughts="output_token_details.reasoning output_token_details.priority_reasoning "
    f"output_token_details.flex_reasoning {CHAT.thoughts}",
    output_audio=f"output_token_details.audio {CHAT.output_audio}",
)
"""LangChain's `usage_metadata`, and what its `response_metadata` has of a provider."""

PYDANTIC_AI = TokenWords(
    "input_tokens request_tokens",
    "output_tokens response_tokens",
    "total_tokens",
    read="cache_read_tokens",
    written="cache_write_tokens details.cache_creation_input_tokens",
    written_1h="cache_write_1h_tokens",
    audio="input_audio_tokens",
    thoughts="output_reasoning_tokens details.reasoning_tokens details.thoughts_tokens",
    output_audio="output_audio_tokens",
)
"""Pydantic AI's `RequestUsage`, and its `Usage` of old."""

LETTA = TokenWords(
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    read="cached_input_tokens",
    written="cache_write_tokens",
    thoughts="reasoning_tokens",
)
"""Letta's `usage_statistics`."""

OPENLETTA = TokenWords("input_tokens", "output_tokens", "total_tokens")
"""OpenLetta's `usage_statistics`."""

MARIA = TokenWords(
    f"{CHAT.input} input_tokens",
    f"{CHAT.output} output_tokens",
    "total_tokens",
    read=f"{CHAT.read} cache_read_tokens",
    written=f"{CHAT.written} cache_write_tokens",
    thoughts=CHAT.thoughts,
)
"""Maria's events: an answer's `usage` of the chat API, or with the names of its own."""
