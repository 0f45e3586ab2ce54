"""Answers of models in a history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_of, text_at
from agentlog.domain.messages import (
    CustomMessage,
    InputMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    ReasoningMessage,
    ReplyMessage,
    SystemMessage,
    TokenUsage,
    ToolCall,
    ToolCallsMessage,
    ToolResultsMessage,
)
from agentlog.projections.outcomes.pairs import MADE_ID
from agentlog.projections.prices import Cost, cost_of


class Answer(NamedTuple):
    """What a model said and called, and the figures of its response as far as they are known."""

    model: str | None = None
    text: str | None = None
    calls: Sequence[ToolCall] = ()
    finish_reason: str | None = None
    usage: TokenUsage = TokenUsage()
    cost: Cost = Cost(None, None)
    latency_ms: float | None = None


@dataclass(slots=True)
class RecordedAnswer:
    """The messages of one model response in a history, and the id that they share."""

    events: list[Event] = field(default_factory=list)
    response_id: str | None = None
    kinds: set[type] = field(default_factory=set)

    def add(self, event: Event, kind: type) -> None:
        """Add a message of a kind."""
        self.events.append(event)
        self.response_id = self.response_id or event.response_id
        if kind is LlmResponseMessage and self.kinds & _SPOKEN:
            self.kinds |= _ANSWERS  # its figures come last: nothing without an id follows
        self.kinds.add(kind)

    @property
    def first(self) -> int:
        """The version of its first message."""
        return self.events[0].version

    def has(self, version: int) -> bool:
        """Return whether the message at a version is one of its."""
        return any(event.version == version for event in self.events)

    def answer(self, model: str | None) -> Answer:
        """Return what was said and called; `model` was asked, if the answer names none."""
        return answer_of((event.message for event in self.events), model)


def answer_of(messages: Iterable[object], model: str | None) -> Answer:
    """Return what these messages say; `model` was asked, if they name none."""
    answer = Answer(model)
    texts: list[str] = []
    calls: list[ToolCall] = []
    for message in messages:
        match message:
            case ReplyMessage(text=text):
                texts.append(text)
            case ToolCallsMessage():
                calls += message.calls
            case LlmResponseMessage():
                answer = _with_figures(message, model)
            case CustomMessage(type="openai.message", payload=payload):
                texts.append(text_at(object_of(payload), "refusal", "content") or "")
            case _:
                pass
    text = "\n\n".join(text for text in texts if text)
    return answer._replace(text=text or None, calls=calls)


def _with_figures(response: LlmResponseMessage, model: str | None) -> Answer:
    named = response.model or model
    return Answer(
        named,
        finish_reason=response.finish_reason,
        usage=response.usage or TokenUsage(),
        cost=cost_of(response, named),
        latency_ms=response.latency_ms,
    )


class _Splitter:
    """Splits a history into answers.

    Messages with one `responseId` are an answer, whatever stands between them. Without ids an
    answer is at most a text and then calls, its thoughts before them, and its response before or
    after all; an input, a request or a result ends it.
    """

    def __init__(self) -> None:
        self.answers: list[RecordedAnswer] = []
        self._by_id: dict[str, RecordedAnswer] = {}
        self._by_made_id: dict[str, RecordedAnswer] = {}
        self._last: RecordedAnswer | None = None

    def add(self, event: Event) -> None:
        """Add an event of the history."""
        kind = _kind(event.message)
        if kind in _ANSWERS:
            self._answer(event, kind)
        elif kind in _ENDS:
            self._last = None
            if kind is InputMessage:
                self._by_made_id = {}

    def _answer(self, event: Event, kind: type) -> None:
        response_id = event.response_id
        # ids that a reader made up are others' too in another import into the thread
        is_made = response_id is not None and response_id.startswith(MADE_ID)
        known = self._by_made_id if is_made else self._by_id
        answer = None if response_id is None else known.get(response_id)
        if answer is None and self._goes_on(response_id, kind):
            answer = self._last
        if answer is None:
            answer = RecordedAnswer()
            self.answers.append(answer)
        answer.add(event, kind)
        if response_id is not None:
            known[response_id] = answer
        self._last = answer

    def _goes_on(self, response_id: str | None, kind: type) -> bool:
        if self._last is None or None not in {response_id, self._last.response_id}:
            return False
        return not self._last.kinds & _BEGIN_ANEW[kind]


_SPOKEN = frozenset({ReplyMessage, ToolCallsMessage})
_ANSWERS = frozenset({*_SPOKEN, ReasoningMessage, LlmResponseMessage})
_ENDS = frozenset({InputMessage, LlmRequestMessage, SystemMessage, ToolResultsMessage})
_BEGIN_ANEW: Mapping[type, frozenset[type]] = {
    ReasoningMessage: _SPOKEN,
    ReplyMessage: _SPOKEN,
    ToolCallsMessage: frozenset({ToolCallsMessage}),
    LlmResponseMessage: frozenset({LlmResponseMessage}),
}
"""What of the answer before makes a message the first of the next one."""


def _kind(message: object) -> type:
    match message:
        case CustomMessage(type="openai.message", payload={"role": "assistant"}):
            return ReplyMessage
        case CustomMessage(
            type="openai.message", payload={"role": "user" | "system" | "developer"}
        ):
            return InputMessage
        case _:
            return type(message)


def answers_of(events: Iterable[Event]) -> list[RecordedAnswer]:
    """Return the answers of a history in their order."""
    splitter = _Splitter()
    for event in events:
        splitter.add(event)
    return splitter.answers
