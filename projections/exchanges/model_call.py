"""A model call as one thing: what was sent, what came back, and what the request before it shares.

Providers cache the beginning of a request: tools, then the prompt, then messages. Where a request
differs from the one before, its cache ends.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.answers import answer
from agentlog.domain.json.text import print_bytes, print_text
from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at
from agentlog.domain.messages import LlmResponseMessage
from agentlog.projections.exchanges.answers import Answer, RecordedAnswer, answers_of
from agentlog.projections.exchanges.reconstruction import NothingToAsk, exchange_at, frozen_call
from agentlog.projections.exchanges.requests import (
    Api,
    is_assistants,
    is_system,
    item_key,
    request_of,
)
from agentlog.projections.prices import context_window
from agentlog.projections.view import Item

Part = Literal["tools", "system", "user", "assistant", "tool", "other"]

_ROLES: Mapping[str | None, Part] = {"user": "user", "tool": "tool", "function": "tool"}


FEWEST_CHARACTERS, MOST_CHARACTERS = 2.0, 6.0
"""Characters of JSON to a token between which a request can be what the provider counted."""
_OF_FILES = re.compile(r"[A-Za-z0-9+/]{512,}={0,2}")
"""Bytes of files, of which models count no characters."""


@answer
@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request: the places of its messages, and its characters as JSON.

    The part `system` has the prompt too. `tokens` is the part's share, by characters, of the input
    tokens that were reported; null where none were.
    """

    part: Part
    messages: Sequence[int]
    characters: int
    tokens: int | None


class Piece(NamedTuple):
    """The tools, the prompt or a message of a request as JSON; `place` is that of a message."""

    part: Part
    place: int | None
    text: str


def request_parts(pieces: Iterable[Piece], *, input_tokens: int | None) -> list[RequestPart]:
    """Return the parts of a request in the order in which a model reads them; none is empty."""
    places: dict[Part, list[int]] = {}
    characters: dict[Part, int] = {}
    for part, place, text in pieces:
        places.setdefault(part, []).extend([] if place is None else [place])
        characters[part] = characters.get(part, 0) + len(text)
    whole = sum(characters.values())
    return [
        RequestPart(
            part,
            places[part],
            count,
            None if input_tokens is None else round(input_tokens * count / whole),
        )
        for part, count in characters.items()
    ]


def _characters_per_token(pieces: Iterable[Piece], tokens: int | None) -> float | None:
    if not tokens:
        return None
    return round(sum(len(_OF_FILES.sub("", piece.text)) for piece in pieces) / tokens, 2)


def pieces_of(tools: JsonValue, prompt: JsonValue, messages: Sequence[Item]) -> Iterator[Piece]:
    """Yield the pieces of a request in the order in which a model reads them; none is empty."""
    if tools:
        yield Piece("tools", None, print_text(tools))
    if prompt:
        yield Piece("system", None, print_text(prompt))
    for place, message in enumerate(messages):
        yield Piece(_part_of(message), place, print_text(message))


def _part_of(message: Item) -> Part:
    if is_system(message):
        return "system"
    if is_assistants(message):
        return "assistant"
    blocks = [object_of(b) for b in array_of(message.get("content") or message.get("parts"))]
    are_results = [b.get("type") == "tool_result" or "functionResponse" in b for b in blocks]
    if (text_at(message, "type") or "").endswith("_output") or (are_results and all(are_results)):
        return "tool"
    return _ROLES.get(text_at(message, "role"), "other")


_OF_STREAMS = frozenset({"stream", "stream_options"})


class Sent(NamedTuple):
    """A request as its API writes it: a reconstructed one is of the chat API.

    `after` is the version of the last event before the answer; an exchange stands there where
    `is_exact`. `missing` names what is not on record. `prompt` is the system prompt where the API
    has it beside the messages.
    """

    after: int
    is_exact: bool
    missing: Sequence[str]
    api: Api
    model: str | None
    prompt: JsonValue
    tools: JsonValue
    parameters: Item
    messages: Sequence[Item]


@answer
@dataclass(frozen=True, slots=True)
class RequestChange:
    """The first place where a part of a request differs from the one before it.

    `place` is an index among tools or messages, or the name of a parameter.
    """

    part: Literal["model", "tools", "prompt", "messages", "parameters"]
    place: int | str | None
    before: Any
    after: Any


@answer
@dataclass(frozen=True, slots=True)
class PreviousRequest:
    """The request before: where its answer begins, how many messages it has, how many come again.

    Without `changes` this request goes on from it, and its cache holds as far as it goes.
    """

    answered_at: int
    messages: int
    shared_messages: int
    changes: Sequence[RequestChange]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of a model. `window` is the size of the model's context in tokens, if it is known."""

    sent: Sent
    parts: Sequence[RequestPart]
    window: int | None
    characters_per_token: float | None
    """Those of the request, without bytes of files, to an input token that was reported."""
    versions: Sequence[int]
    """Versions of the messages of its answer; none where it has not come."""
    answer: Answer | None
    previous: PreviousRequest | None

    @property
    def is_doubtful(self) -> bool:
        """Whether the request cannot be what the provider counted: it has too much, or too little.

        Only tokenizers of other scripts than Latin come below the range with the whole of it.
        """
        ratio = self.characters_per_token
        return ratio is not None and not FEWEST_CHARACTERS <= ratio <= MOST_CHARACTERS


def model_call(events: Sequence[Event], version: int) -> ModelCall:
    """Return the call whose answer stands at a version of a history, or comes next after it.

    Without a later answer it is the call that would come next, or the last one where the model has
    nothing to answer.

    Raises:
        NothingToAsk: no message stands before it.
    """
    sent, recorded = _sent(events, version)
    answer = None if recorded is None else recorded.answer(sent.model)
    first = sent.after + 1
    before = [other for other in answers_of(events) if other.first < first]
    model = sent.model if answer is None else answer.model or sent.model
    tokens = None if answer is None else answer.usage.input_tokens
    pieces = [*pieces_of(sent.tools, sent.prompt, sent.messages)]
    return ModelCall(
        sent,
        request_parts(pieces, input_tokens=tokens),
        None if model is None else context_window(model, _provider(recorded)),
        _characters_per_token(pieces, tokens),
        [] if recorded is None else [event.version for event in recorded.events],
        answer,
        _previous(events, before[-1], sent) if before else None,
    )


def _sent(events: Sequence[Event], version: int) -> tuple[Sent, RecordedAnswer | None]:
    call = frozen_call(events, version)
    exchange = exchange_at(events, call.version)
    api: Api = "chat" if exchange is None or exchange.api is None else exchange.api
    body = call.request if exchange is None else exchange.body
    request = request_of(api, body)
    beside = {name: value for name, value in request.beside.items() if name not in _OF_STREAMS}
    model, tools = text_at(beside, "model"), beside.pop("tools", None)
    beside.pop("model", None)
    is_exact = exchange is not None
    missing = [] if is_exact else call.missing
    parts = (request.prompt, tools, beside, request.items)
    return Sent(call.version, is_exact, missing, api, model, *parts), call.answer


def _provider(recorded: RecordedAnswer | None) -> str | None:
    messages = () if recorded is None else (event.message for event in recorded.events)
    return next((m.provider for m in messages if isinstance(m, LlmResponseMessage)), None)


def _previous(
    events: Sequence[Event], answer: RecordedAnswer, sent: Sent
) -> PreviousRequest | None:
    try:
        before, _ = _sent(events, answer.first)
    except NothingToAsk:  # a history may begin with an answer
        return None
    if before.api != sent.api:
        return None  # they are not written alike
    old, new = ([item_key(sent.api, item) for item in r.messages] for r in (before, sent))
    shared = _shared(old, new)
    changes = [*_changes(before, sent)]
    if shared < len(old):
        pair = _both(before.messages, sent.messages, shared)
        changes.append(RequestChange("messages", shared, *pair))
    return PreviousRequest(answer.first, len(old), shared, changes)


def _changes(before: Sent, after: Sent) -> Iterator[RequestChange]:
    """Yield where requests differ but for their messages."""
    if before.model != after.model:
        yield RequestChange("model", None, before.model, after.model)
    old, new = (_list(request.tools) for request in (before, after))
    place = _shared([*map(_printed, old)], [*map(_printed, new)])
    if place < max(len(old), len(new)):
        yield RequestChange("tools", place, *_both(old, new, place))
    if _printed(before.prompt) != _printed(after.prompt):
        yield RequestChange("prompt", None, before.prompt, after.prompt)
    for name in dict.fromkeys((*before.parameters, *after.parameters)):
        values = before.parameters.get(name), after.parameters.get(name)
        if _printed(values[0]) != _printed(values[1]):
            yield RequestChange("parameters", name, *values)


def _list(tools: JsonValue) -> list[JsonValue]:
    if tools is None:
        return []
    return tools if isinstance(tools, list) else [tools]


def _shared(old: Sequence[bytes], new: Sequence[bytes]) -> int:
    """Return how many items two lists begin with alike."""
    differing = (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    return next(differing, min(len(old), len(new)))


def _both(
    old: Sequence[JsonValue], new: Sequence[JsonValue], place: int
) -> tuple[JsonValue, JsonValue]:
    before, after = (items[place] if place < len(items) else None for items in (old, new))
    return before, after


def _printed(value: JsonValue) -> bytes:
    return print_bytes(value, sort_keys=True)
