"""Token figures and models among attributes: by words of tracers, else by the shape of names."""

from collections.abc import Mapping, Sequence

from agentlog.domain.json.values import JsonObject, JsonValue, object_of, text_at
from agentlog.extensions.traces.projections.readers.dialects.words import words_of
from agentlog.projections.readers.fields import unpacked
from agentlog.projections.token_words import (
    ANTHROPIC,
    BEDROCK,
    GEMINI,
    LANGCHAIN,
    RESPONSES,
    TokenWords,
)
from agentlog.projections.view import Item

_CODEX = "codex.turn.token_usage"
SEMCONV = TokenWords(
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    read="gen_ai.usage.cache_read.input_tokens",
    written="gen_ai.usage.cache_creation.input_tokens",
    thoughts="gen_ai.usage.reasoning.output_tokens",
)
"""The GenAI conventions: what caches have is of the input, thoughts of the output."""

USAGE = TokenWords(
    f"{SEMCONV.input} gen_ai.usage.prompt_tokens ai.usage.inputTokens "
    "ai.usage.promptTokens llm.token_count.prompt llm.usage.prompt_tokens "
    f"{_CODEX}.input_tokens",
    f"{SEMCONV.output} gen_ai.usage.completion_tokens ai.usage.outputTokens "
    "ai.usage.completionTokens llm.token_count.completion llm.usage.completion_tokens "
    f"{_CODEX}.output_tokens",
    "gen_ai.usage.total_tokens llm.usage.total_tokens ai.usage.totalTokens "
    f"codex.usage.total_tokens llm.token_count.total {_CODEX}.total_tokens",
    read=f"{SEMCONV.read} gen_ai.usage.cache_read_input_tokens gen_ai.usage.input_tokens.cached "
    "gen_ai.usage.details.cache_read_input_tokens gen_ai.usage.details.cache_read_tokens "
    "gen_ai.usage.input_token_details.cache_read gen_ai.usage.details.cached_tokens "
    "ai.usage.cachedInputTokens ai.usage.inputTokenDetails.cacheReadTokens "
    f"llm.token_count.prompt_details.cache_read {_CODEX}.cached_input_tokens",
    written=f"{SEMCONV.written} gen_ai.usage.cache_creation_input_tokens "
    "gen_ai.usage.input_tokens.cache_write "
    "gen_ai.usage.details.cache_creation_input_tokens gen_ai.usage.details.cache_write_tokens "
    "gen_ai.usage.cache_write.input_tokens gen_ai.usage.input_token_details.cache_creation "
    "ai.usage.inputTokenDetails.cacheWriteTokens llm.token_count.prompt_details.cache_write",
    audio="llm.token_count.prompt_details.audio gen_ai.usage.details.input_audio_tokens",
    thoughts=f"{SEMCONV.thoughts} gen_ai.usage.reasoning_tokens "
    "gen_ai.usage.output_tokens.reasoning gen_ai.usage.details.thoughts_tokens "
    "gen_ai.usage.details.reasoning_tokens gen_ai.usage.output_token_details.reasoning "
    "ai.usage.reasoningTokens ai.usage.outputTokenDetails.reasoningTokens "
    "codex.usage.reasoning_output_tokens "
    f"llm.token_count.completion_details.reasoning {_CODEX}.reasoning_output_tokens",
    output_audio="llm.token_count.completion_details.audio "
    "gen_ai.usage.details.output_audio_tokens",
)
"""OpenTelemetry's conventions and those who trace OpenAI and others by names of their own."""
_PART_OF = {
    word: part
    for part, words in USAGE._asdict().items()
    if isinstance(words, str)
    for word in words.split()
}
_PARTS_ALONE = TokenWords(
    *("input", "output", "total", "read", "written"),
    audio="audio",
    thoughts="thoughts",
    output_audio="output_audio",
)
_USAGE = ("usage", "usage_metadata", "usageMetadata")
"""Keys under which answers have their counts."""
_LIMITS = frozenset("budget estimated limit max min per rate remaining".split())
_SHAPES = (  # the first that a name has
    ("thoughts", {"reasoning", "thinking", "thoughts", "thought"}),
    ("written", {"creation", "write", "written"}),
    ("read", {"cache", "cached"}),
    ("total", {"total"}),
    ("input", {"input", "prompt"}),
    ("output", {"output", "completion", "candidates"}),
)


def figures_in(attributes: Mapping[str, JsonValue]) -> Item:
    """Return token figures under the catalogue's names.

    What an object of the provider's own counts has more is added, as Logfire (`gen_ai.usage.raw`)
    and LangSmith (`langsmith.metadata.usage_metadata`) have it. Where no attribute counts, the
    answer of the API may.
    """
    more: Item = {}
    named: dict[str, int] = {}
    shaped: dict[str, int] = {}
    answers: list[str | JsonObject] = []
    for key, value in attributes.items():
        if type(value) is int and value >= 0:
            if (part := _PART_OF.get(key)) is not None:
                named[part] = max(value, named.get(part, 0))
            elif "oken" in key and (part := _part_of(key)) is not None:
                shaped[part] = value
        elif isinstance(value, str | dict):
            if ("sage" in key or "etrics" in key) and {"usage", "metrics"} & {*words_of(key)}:
                more |= _counted(unpacked(value))
            elif isinstance(value, dict) or (value[:1] == "{" and "oken" in value):
                answers.append(value)
    counts = named or ({} if more else shaped)
    if not (counts or more):
        inner = (object_of(unpacked(value)) for value in answers)
        figures = (_counted(answer.get(key)) for answer in inner for key in _USAGE)
        return next(filter(None, figures), {})
    return {**more, **_PARTS_ALONE.figures({**counts})} if counts else more


def _counted(usage: JsonValue) -> Item:
    """Return the figures of an object of counts, whichever API's it is."""
    counts = object_of(usage)
    is_beside = "input_tokens" in counts and "cache_read_input_tokens" in counts
    wires = (GEMINI, BEDROCK, *([ANTHROPIC] if is_beside else []))
    figures = next(filter(None, (wire.figures(counts) for wire in wires)), {})
    return figures or {**LANGCHAIN.figures(counts), **RESPONSES.figures(counts)}


def _part_of(name: str) -> str | None:
    words = {*words_of(name)}
    if not words & {"token", "tokens"} or words & _LIMITS:
        return None
    return next((part for part, some in _SHAPES if words & some), None)


def model_in(attributes: Mapping[str, JsonValue], side: str) -> str | None:
    """Return the model that a name ends with, one of the side `request` or `response` first.

    Else that of an object of metadata, as Braintrust has it.
    """
    models = {
        key: value
        for key, value in attributes.items()
        if isinstance(value, str) and value and _names_model(words_of(key))
    }
    if models:
        return models[min(models, key=lambda key: side not in key)]
    metadata = (object_of(unpacked(attributes[key])) for key in attributes if "metadata" in key)
    return next((model for item in metadata if (model := text_at(item, "model"))), None)


def _names_model(words: Sequence[str]) -> bool:
    return words[-1:] == ("model",) or words[-2:] in {("model", "name"), ("model", "id")}
