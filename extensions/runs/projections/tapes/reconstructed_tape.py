"""A tape built from messages: for runs that have no exchanges, as those of imported files.

What was sent beside the conversation is not known, so requests are matched by their conversation
alone: the items of the view `openai` of the context of each answer, without system prompts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from typing_extensions import override

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_at, objects_of
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.tape import (
    Answered,
    Difference,
    Live,
    ReplayReport,
    Tape,
)
from agentlog.extensions.runs.projections.written.answers import written_exchange
from agentlog.projections.context.context import Contexts
from agentlog.projections.exchanges.answers import RecordedAnswer, answers_of
from agentlog.projections.exchanges.exchange import Exchange, payload_of
from agentlog.projections.exchanges.requests import SHAPES, Api, request_of
from agentlog.projections.item_content import arguments_of
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.view import Item, render
from agentlog.projections.views.openai import OpenAIView

_PATH = "/v1/chat/completions"
_SAID = ("role", "content", "tool_calls", "tool_call_id")
_SYSTEM = frozenset({"system", "developer"})


class ReconstructedTape(Tape):
    """Answers the requests of a run as a history's model answered, in the words of their API."""

    def __init__(self, events: Sequence[Event], values: Mapping[str, str]) -> None:
        self._answers = [answer for answer in answers_of(events) if _is_said(answer)]
        requests = (
            _request(number, _conversation(items))
            for number, items in enumerate(_contexts(events, self._answers), 1)
        )
        super().__init__(RecordedRun("", [payload_of(sent, "") for sent in requests], {**values}))

    @property
    def is_empty(self) -> bool:
        """Whether the history has no answer of a model."""
        return not self._answers

    @override
    def answer(
        self, exchange: Exchange, values: Mapping[str, str]
    ) -> Answered | Live | Difference | None:
        if exchange.api is None:
            return super().answer(exchange, values)
        asked = _request(exchange.attempt, _conversation_of(exchange, exchange.api))
        match = super().answer(asked, values)
        if not isinstance(match, Answered):
            self.report.unmatched[-1] = (exchange, match if isinstance(match, Difference) else None)
            return match
        self.report.reconstructed += 1
        recorded = self._answers[match.exchange.attempt - 1]
        given = written_exchange(exchange, recorded.answer(None), answer_id=recorded.response_id)
        return match._replace(exchange=given)

    @override
    def finish(self) -> ReplayReport:
        self.report.unused = [
            exchange
            for number, (exchange, _) in enumerate(self._recorded)
            if number not in self._used
        ]
        return self.report


def _contexts(
    events: Sequence[Event], answers: Sequence[RecordedAnswer]
) -> Iterator[Iterable[Item]]:
    """Yield the items of the view `openai` of what each answer was made of."""
    contexts = Contexts()
    for event in events:
        contexts.add(event)
    placed = [] if contexts.has_links else render(OpenAIView(), events).items
    for answer in answers:
        if contexts.has_links:
            context = contexts.of_answer([event.version for event in answer.events])
            yield (one.item for one in render(OpenAIView(), context.events).items)
        else:
            yield (one.item for one in placed if one.version < answer.first)


def _conversation_of(exchange: Exchange, api: Api) -> list[JsonValue]:
    """Return the conversation of a request as the chat API has it; empty where it is off."""
    shape = SHAPES[api]
    document: JsonObject = {shape.items: [*request_of(api, exchange.body).items]}
    try:
        drafts = [draft for history in shape.requests.read(document) for draft in history.drafts]
    except InvalidMessage:
        return []
    events = [sample_event(draft, version) for version, draft in enumerate(drafts, 1)]
    return _conversation(placed.item for placed in render(OpenAIView(), events).items)


def _conversation(items: Iterable[Item]) -> list[JsonValue]:
    """Return what items say, without system prompts; an assistant's in a row are one."""
    conversation: list[JsonObject] = []
    for item in items:
        if item["role"] in _SYSTEM:
            continue
        message = {key: item[key] for key in _SAID if item.get(key)}
        if calls := objects_of(message.get("tool_calls")):
            message["tool_calls"] = [_with_parsed_arguments(call) for call in calls]
        last = conversation[-1] if conversation else {}
        if message["role"] == "assistant" == last.get("role"):
            both = [*array_of(last.get("tool_calls")), *array_of(message.get("tool_calls"))]
            texts = [text for text in (last.get("content"), message.get("content")) if text]
            message = {"role": "assistant", **({"tool_calls": both} if both else {})}
            if texts:
                message["content"] = texts[0] if len(texts) == 1 else [*texts]
            conversation.pop()
        conversation.append(message)
    return [*conversation]


def _with_parsed_arguments(call: JsonObject) -> JsonObject:
    """Return a call whose arguments are a value: not every API has them as a text."""
    function = object_at(call, "function")
    if not function:
        return call
    return {**call, "function": {**function, "arguments": arguments_of(function.get("arguments"))}}


def _request(attempt: int, conversation: list[JsonValue]) -> Exchange:
    body = print_bytes({"messages": conversation})
    return Exchange(attempt, "POST", _PATH, body, "complete", 0)


def _is_said(answer: RecordedAnswer) -> bool:
    given = answer.answer(None)
    return given.text is not None or bool(given.calls)
