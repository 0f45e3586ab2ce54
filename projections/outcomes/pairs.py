"""Which answer is of which call: the one rule that views, read models, exports and replays read.

- The result of a tool answers the oldest open call of its id; without an id, of its name.
- The response of a model answers the latest open request of its response id; else of the model that
  it names; else the latest of all, since an agent waits for one model at a time.
- A runtime error fails the latest open request.
- The response to an approval, and the result of a worker, answer the oldest open one of their id.

Any other answer stands alone; a runtime error then is none, and a response of an id that answered
before tells the figures of that answer again. While an answer comes its figures grow, and its lines
may be read in any order: the most counts, of equals the last told, and what it leaves out stays. A
time is measured by the producer's clock, and only where it went on: an import fills in equal times.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from agentlog.domain.events import Event
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    RuntimeErrorMessage,
    ToolCallsMessage,
    ToolError,
    ToolResult,
    ToolResultsMessage,
    WorkerResultMessage,
    WorkerSpawnedMessage,
)
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.outcomes.suspicion import suspicions
from agentlog.projections.values import held, shown

ValueT = TypeVar("ValueT")
Kind = Literal["call", "model", "approval", "worker"]
Outcome = Literal["succeeded", "failed", "told", "unstated", "granted", "denied"]

MOST_OPEN: Mapping[Kind, int] = {
    "call": 10_000,
    "model": 100,
    "approval": 10_000,
    "worker": 10_000,
}
"""How many of a kind can be answered, the latest; earlier ones are given up."""

MOST_TOLD = 10_000
"""Of how many answers of a thread, the latest at least, figures can be told again.

One that comes again after twice as many others counts once more in a timeline and a thread's sums;
the table `model_calls` knows it by its identity, however late. Each takes 60 bytes of a row there.
"""

MADE_ID = "import-"
"""How ids of responses begin that readers make up: these are others' too in another import."""


class Ask(NamedTuple):
    """A call, a request to a model, a request for approval, or a worker.

    `id` is that of the call or worker, of a request that of the model response; `name` is the tool
    or the model. Both are as columns hold them.
    """

    kind: Kind
    id: str | None
    name: str | None


class Answer(NamedTuple):
    """What may answer an ask of its kind; `id` and `name` as there, None where it names none.

    `error_class` is the code of an error, or its text without particulars; `error_message` its
    beginning. `rules` are those of `suspicion` that the output of a call without an error meets.
    """

    kind: Kind
    id: str | None
    name: str | None
    outcome: Outcome
    error_class: str | None = None
    error_message: str | None = None
    rules: tuple[str, ...] = ()


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Open(Generic[ValueT]):
    """The open asks of one kind, oldest first, with a value of the reader's for each.

    Immutable by convention; survives JSON.
    """

    asks: tuple[Ask, ...] = ()
    values: tuple[ValueT, ...] = ()

    def ask(self, asks: Iterable[Ask], values: Iterable[ValueT]) -> "Open[ValueT]":
        """Return what is open after asks, with their values."""
        return Open((*self.asks, *asks), (*self.values, *values))

    def answer(self, answer: Answer) -> tuple[ValueT | None, "Open[ValueT]"]:
        """Return the value of the ask that an answer is of, None of none, and what stays open."""
        place = self._place(answer)
        if place is None:
            return None, self
        asks, values, after = self.asks, self.values, place + 1
        left = Open((*asks[:place], *asks[after:]), (*values[:place], *values[after:]))
        return values[place], left

    def within(self, most: int) -> tuple[Sequence[ValueT], "Open[ValueT]"]:
        """Return the values of the asks that are given up, all but the latest, and the others."""
        excess = len(self.values) - most
        if excess <= 0:
            return (), self
        return self.values[:excess], Open(self.asks[excess:], self.values[excess:])

    def _place(self, answer: Answer) -> int | None:
        kind, answer_id, name, *_ = answer
        if kind == "model":
            return self._place_of_request(answer_id, name)
        key, field = (name, 2) if answer_id is None else (answer_id, 1)
        if key is not None:
            for place, ask in enumerate(self.asks):
                if ask[field] == key:
                    return place
        return None

    def _place_of_request(self, response_id: str | None, model: str | None) -> int | None:
        last = len(self.asks) - 1
        if last > 0:
            for field, key in ((1, response_id), (2, model)):
                if key is not None:
                    for place in range(last, -1, -1):
                        if self.asks[place][field] == key:
                            return place
        return None if last < 0 else last


def asks_in(event: Event) -> Sequence[Ask]:
    """Return what an event asks for, in order; all are of one kind."""
    message = event.message
    asks = _ASKS.get(type(message))
    return () if asks is None else asks(event, message)


def answers_in(event: Event) -> Sequence[Answer]:
    """Return the answers in an event, in order; all are of one kind."""
    message = event.message
    answers = _ANSWERS.get(type(message))
    return () if answers is None else answers(event, message)


def identity_of(event: Event) -> str | None:
    """Return by what an answer of a model is known, as columns hold it; None where by nothing."""
    response_id = held(event.response_id)
    return None if response_id is None or response_id.startswith(MADE_ID) else response_id


def told_of(known: Layers[ValueT], identity: str | None) -> ValueT | None:
    """Return the figures last told of an answer; None where none are known."""
    return None if identity is None else known.get(_digest(identity))


def with_told(known: Layers[ValueT], identity: str | None, figures: ValueT) -> Layers[ValueT]:
    """Return the figures of the latest answers by their identity, with those last told of one."""
    if identity is None:
        return known
    known = known.with_changes({_digest(identity): figures})
    if known.size <= 2 * MOST_TOLD:
        return known
    latest: dict[str, ValueT | None] = dict([*known.items()][-MOST_TOLD:])
    return Layers((latest,), len(latest))


def _digest(identity: str) -> str:
    """Return a short name of an identity, which may be long; of a thread's none are equal."""
    return blake2b(identity.encode(errors="surrogatepass"), digest_size=6).hexdigest()


def rank(output_tokens: float | None, input_tokens: float | None) -> tuple[float, float]:
    """Return the rank of an answer's figures: later ones replace those that rank no higher."""
    return output_tokens or 0, input_tokens or 0


def elapsed_ms(begun: int | None, ended: int) -> int | None:
    """Return the milliseconds between two times; None where the clock did not go on."""
    return None if begun is None or ended <= begun else ended - begun


def _calls(_: Event, message: ToolCallsMessage) -> Sequence[Ask]:
    return [Ask("call", held(call.id), held(call.name)) for call in message.calls]


def _request(event: Event, message: LlmRequestMessage) -> Sequence[Ask]:
    return (Ask("model", held(event.response_id), held(message.model)),)


def _approval(_: Event, message: ApprovalRequestMessage) -> Sequence[Ask]:
    return (Ask("approval", held(message.call_id), held(message.tool)),)


def _worker(_: Event, message: WorkerSpawnedMessage) -> Sequence[Ask]:
    return (Ask("worker", held(message.worker_id), held(message.model)),)


def _results(_: Event, message: ToolResultsMessage) -> Sequence[Answer]:
    return [
        Answer("call", held(result.call_id), held(result.name), *result_outcome(result))
        for result in message.results
    ]


def _response(event: Event, message: LlmResponseMessage) -> Sequence[Answer]:
    return (Answer("model", held(event.response_id), held(message.model), "succeeded"),)


def _error(_: Event, message: RuntimeErrorMessage) -> Sequence[Answer]:
    return (Answer("model", None, None, "failed", None, shown(message.error)),)


def _decision(_: Event, message: ApprovalResponseMessage) -> Sequence[Answer]:
    outcome: Outcome = "granted" if message.approved else "denied"
    return (Answer("approval", held(message.call_id), None, outcome),)


def _worker_result(_: Event, message: WorkerResultMessage) -> Sequence[Answer]:
    worker_id, error = held(message.worker_id), message.error
    if error is None:
        return (Answer("worker", worker_id, None, "succeeded"),)
    code, text = held(error.code), shown(error.message)
    return (Answer("worker", worker_id, None, "failed", code, text),)


# by type, not by `match`: each failed class pattern would call pydantic's metaclass
_ASKS: Mapping[type, Callable[[Event, Any], Sequence[Ask]]] = {
    ToolCallsMessage: _calls,
    LlmRequestMessage: _request,
    ApprovalRequestMessage: _approval,
    WorkerSpawnedMessage: _worker,
}
_ANSWERS: Mapping[type, Callable[[Event, Any], Sequence[Answer]]] = {
    ToolResultsMessage: _results,
    LlmResponseMessage: _response,
    RuntimeErrorMessage: _error,
    ApprovalResponseMessage: _decision,
    WorkerResultMessage: _worker_result,
}


CallOutcome = Literal["succeeded", "failed", "told", "unstated"]

_ERROR_HEAD = re.compile(r"Error\s*(?::|\Z)\s*")
"""Matches how this project's views and most agents begin an output that reports an error."""

_PARTICULARS = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\b\w*\d[\w.,:/-]*""")
"""Variable parts of an error text: names in quotes, and numbers."""


def result_outcome(
    result: ToolResult,
) -> tuple[CallOutcome, str | None, str | None, tuple[str, ...]]:
    """Return a call's outcome, the class of its error, its text, and the rules that it meets.

    It has failed where it has an `error`; `"error": null` says that it succeeded. Without the
    field the output may tell of a failure, by its own words: histories on OpenAI's wire have no
    other way to say so, and a file that was read may begin with the same words.
    """
    match result.error:
        case ToolError(name=name, message=message):
            return "failed", name or _class_of(message), shown(message), ()
        case str(message):
            return "failed", _class_of(message), shown(message), ()
        case None:
            rules, text = suspicions(result.output)
    if "error" in result.model_fields_set:
        return "succeeded", None, None, rules
    if text is None:
        return "unstated", None, None, rules
    head = _ERROR_HEAD.match(text)
    message = text if head is None else text[head.end() :]
    return "told", _class_of(message), shown(message), rules


def _class_of(message: str) -> str:
    """Return the class of an error: its first line without quoted names and numbers."""
    line = message.strip().partition("\n")[0][:200]
    return " ".join(_PARTICULARS.sub("…", line).split()) or "Error"
