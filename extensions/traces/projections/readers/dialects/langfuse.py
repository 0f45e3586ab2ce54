"""Spans of Langfuse's SDK."""

from collections.abc import Mapping

from agentlog.domain.json.values import (
    JsonValue,
    integer_at,
    number_at,
    object_at,
    object_of,
    text_at,
)
from agentlog.extensions.traces.projections.readers.dialects.contents import left_of, values_of
from agentlog.extensions.traces.projections.readers.span import (
    Kind,
    Span,
    count,
    error_of,
    ids,
    known,
    messages_of,
    times,
    tool_run,
)
from agentlog.projections.readers.fields import number, unpacked
from agentlog.projections.token_words import CHAT, RESPONSES, TokenWords
from agentlog.projections.view import Item

_PREFIX = "langfuse.observation."
_KINDS: Mapping[str, Kind] = {"generation": "chat", "tool": "tool", "agent": "agent"}
_NAMES = {
    "completion_tokens": "output",
    "input_tokens": "input",
    "output_tokens": "output",
    "prompt_tokens": "input",
    "total_tokens": "total",
}
_WORDS = TokenWords(
    *("input", "output", "total", "read", "written", "written_5m", "written_1h"),
    audio="audio",
    thoughts="thoughts",
    output_audio="output_audio",
    cache_beside=True,
    thoughts_beside=True,
)
"""What details are, by their names; they are beside the input and output, unless the total says
otherwise ("usage types must be mutually exclusive")."""


def is_known(attributes: Mapping[str, JsonValue]) -> bool:
    """Return whether a span is of Langfuse."""
    return f"{_PREFIX}type" in attributes


def read(span: Item) -> Span:
    """Return the row of a span."""
    attributes = object_at(span, "attributes")
    begin, end = times(span)
    kind = _KINDS.get(text_at(attributes, f"{_PREFIX}type") or "", "other")
    given, used, cost = (
        object_of(unpacked(attributes.get(_PREFIX + key)))
        for key in ("model.parameters", "usage_details", "cost_details")
    )
    asked, answered = (attributes.get(_PREFIX + key) for key in ("input", "output"))
    model = text_at(attributes, f"{_PREFIX}model.name")
    failed = error_of(span)
    if text_at(attributes, f"{_PREFIX}level") == "ERROR":
        failed = text_at(attributes, f"{_PREFIX}status_message") or failed or "failed"
    return Span(
        **ids(span),
        kind=kind,
        begin=begin,
        end=end,
        request=known(
            model=model,
            maxTokens=count(given, "max_tokens"),
            temperature=number_at(given, "temperature"),
        ),
        response=known(
            model=model,
            usage=figures_of(used),
            costUsd=number_at(cost, "total"),
        ),
        inputs=messages_of(asked) if kind == "chat" else (),
        outputs=messages_of(answered) if kind == "chat" else (),
        tool=tool_run(
            text_at(span, "name") or "unknown",
            call_id=None,
            arguments=unpacked(asked),
            output=answered,
        )
        if kind == "tool"
        else None,
        error=failed,
        records={text_at(span, "spanId") or "": span},
        left=left_of(values_of(span)),
    )


def figures_of(details: Item) -> Item:
    """Return token figures under the catalogue's names.

    Details such as `input_cached_tokens` are not among `input`, unless the total says so; those of
    OpenAI's own usage are.
    """
    for words, key in ((CHAT, "prompt_tokens_details"), (RESPONSES, "input_tokens_details")):
        if key in details:
            return words.figures(details)
    inner = {
        f"{key}.{name}": figure
        for key, figures in details.items()
        for name, figure in object_of(figures).items()
    }
    numbers = [
        (_part(key), figure)
        for key, detail in {**details, **inner}.items()
        if isinstance(figure := number(detail), int)
    ]
    if not any(figure for _, figure in numbers):  # 0: not known
        return {}
    parts: Item = {}
    for part, figure in numbers:
        parts[part] = max(integer_at(parts, part) or 0, figure)
    whole = (integer_at(parts, "input") or 0) + (integer_at(parts, "output") or 0)
    if parts.get("total") != whole:
        for side, audio in (("input", "audio"), ("output", "output_audio")):
            if side in parts:
                added = (side, audio, f"of_{side}")
                parts[side] = sum(integer_at(parts, part) or 0 for part in added)
    return _WORDS.figures(parts)


def _part(key: str) -> str:
    """Return what the figure of a name counts; names are free, these are those of Langfuse."""
    name = _NAMES.get(key, key)
    is_output = name.startswith(("output_", "completion_"))
    if name in {"input", "output", "total"}:
        return name
    if "cache" in name or "ephemeral" in name:
        for part, words in _OF_CACHES.items():
            if any(word in name for word in words):
                return part
        return "read"
    if any(word in name for word in ("reasoning", "thought", "thinking")):
        return "thoughts"
    if "audio" in name:
        return "output_audio" if is_output else "audio"
    if is_output:
        return "of_output"
    return "of_input" if name.startswith(("input_", "prompt_")) else name


_OF_CACHES = {"written_5m": ("5m",), "written_1h": ("1h",), "written": ("creation", "write")}
