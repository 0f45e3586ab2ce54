"""A model call as lines of text for a terminal."""

from collections.abc import Iterator
from itertools import takewhile

from agentlog.api.shapes.lines.outline import cost_text, duration_text
from agentlog.api.shapes.lines.why import counted, labelled_line
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.model_call import (
    MOST_CHARACTERS,
    ModelCall,
    PreviousRequest,
    RequestChange,
    RequestPart,
)
from agentlog.projections.exchanges.requests import declared_tools
from agentlog.projections.why.calls import beginning

_LONGEST_VALUE = 60
_ALIKE = 10
"""Characters shown of what two values begin with alike."""


def model_call_lines(call: ModelCall) -> Iterator[str]:
    """Yield a line for the request and each part of it, its context, what changed, the answer."""
    sent = call.sent
    yield labelled_line("request", sent.after, _request(call))
    tools = len([*declared_tools(sent.tools)])
    characters = sum(part.characters for part in call.parts)
    for part in call.parts:
        text = _part(part, tools, characters)
        yield labelled_line(part.part, None, f"{text}?" if call.is_doubtful else text)
    yield labelled_line("context", None, _context(call))
    if call.is_doubtful:
        yield labelled_line("doubt", None, doubt_text(call))
    previous = call.previous
    if previous is None:
        yield labelled_line("before", None, "no request to compare with")
    else:
        yield labelled_line("before", previous.answered_at, _previous(previous, len(sent.messages)))
        for change in previous.changes:
            yield labelled_line("differs", None, _change(change))
    if call.answer is None:
        yield labelled_line("answer", None, "none yet")
    else:
        yield labelled_line("answer", call.versions[0], _answer(call.answer))


def _request(call: ModelCall) -> str:
    sent = call.sent
    source = "exactly as sent" if sent.is_exact else "reconstructed"
    missing = f" without {', '.join(sent.missing)}" if sent.missing else ""
    parameters = [f"{name} {print_text(value)}" for name, value in sent.parameters.items()]
    return ", ".join([f"{sent.model or 'unknown model'}: {source}{missing}", *parameters])


def _part(part: RequestPart, tools: int, characters: int) -> str:
    messages = len(part.messages)
    named = counted(tools, "tool") if part.part == "tools" else counted(messages, "message")
    share = f"{part.characters:,} characters ({part.characters / characters:.0%})"
    tokens = None if part.tokens is None else f"~{part.tokens:,} tokens"
    alone = None if part.part == "system" and not messages else named
    return ", ".join(filter(None, [alone, share, tokens]))


def _context(call: ModelCall) -> str:
    usage = None if call.answer is None else call.answer.usage
    used = None if usage is None else usage.input_tokens
    cached = None if usage is None else usage.cached_input_tokens
    size = "size not known" if call.window is None else f"{call.window:,} tokens"
    if used is None:
        return f"{size}, input not reported"
    text = f"{used:,} tokens, {size}"
    if call.window is not None:
        text = f"{used:,} of {size} ({used / call.window:.1%})"
    return text if cached is None else f"{text}, {cached:,} cached"


def doubt_text(call: ModelCall) -> str:
    """Return why a request cannot be what the provider counted."""
    ratio = call.characters_per_token or 0
    how = "more is here than" if ratio > MOST_CHARACTERS else "not all is here that"
    return f"{ratio:g} characters a token, not 2 to 6: {how} the provider counted"


def _previous(previous: PreviousRequest, messages: int) -> str:
    how = "differs from" if previous.changes else "goes on from"
    return (
        f"{how} the request answered there: {previous.shared_messages} of {previous.messages} "
        f"messages come again, {messages - previous.shared_messages} follow"
    )


def _change(change: RequestChange) -> str:
    before, after = (_text(value) for value in (change.before, change.after))
    pairs = zip(before, after, strict=False)
    begin = max(len([*takewhile(lambda pair: pair[0] == pair[1], pairs)]) - _ALIKE, 0)
    texts = [
        f"{'…' if begin else ''}{beginning(text[begin:], _LONGEST_VALUE)}"
        for text in (before, after)
    ]
    return f"{_place(change)}: {' → '.join(texts)}"


def _place(change: RequestChange) -> str:
    match change.part, change.place:
        case "messages", int(place):
            return f"message {place + 1}"
        case "tools", int(place):
            return f"tool {place + 1}"
        case part, None:
            return f"the {part}"
        case _, place:
            return str(place)


def _text(value: JsonValue) -> str:
    return "nothing" if value is None else print_text(value)


def _answer(answer: Answer) -> str:
    tokens, cost = answer.usage.output_tokens, answer.cost
    parts = [
        answer.model,
        answer.finish_reason,
        None if tokens is None else counted(tokens, "token"),
        cost_text(cost.usd, is_computed=cost.prices is not None),
        duration_text(answer.latency_ms),
    ]
    return ", ".join(filter(None, parts)) or "no figures on record"
