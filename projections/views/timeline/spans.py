"""How messages begin and end the spans of the view `timeline`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadClosed
from agentlog.domain.json.values import number_at, text_at
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    ExitMessage,
    InputMessage,
    KernelMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    ReplyMessage,
    RuntimeErrorMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResultsMessage,
    WorkerResultMessage,
    WorkerSpawnedMessage,
)
from agentlog.projections.call_texts import arguments_value, call_digest
from agentlog.projections.outcomes.attempts import place_of
from agentlog.projections.outcomes.pairs import answers_in, identity_of, told_of, with_told
from agentlog.projections.outcomes.words import may_have_failed
from agentlog.projections.values import figure_held
from agentlog.projections.view import Item
from agentlog.projections.views.timeline.carry import OpenItem, TimelineCarry
from agentlog.projections.views.timeline.items import (
    begin,
    end,
    model_figures,
    point,
    summed,
    suspect,
    told_again,
)

Items = Sequence[Item]


def _input(now: TimelineCarry, event: Event, _: InputMessage) -> Items:
    now.count_step()
    return (point(event, now.step),)


def _reply(now: TimelineCarry, event: Event, _: ReplyMessage) -> Items:
    now.count_step(event.response_id)
    return (point(event, now.step),)


def _call(now: TimelineCarry, event: Event, message: ToolCallsMessage) -> Items:
    now.count_step(event.response_id)
    spans: list[OpenItem] = []
    for ordinal, call in enumerate(message.calls):
        digest = call_digest(call) if event.redacted is None else None
        now.past, rules = now.past.called(digest)
        named: Item = {"ordinal": ordinal, "callId": call.id, "digest": digest}
        span = begin("call", call.name, event, message, step=now.step, named=named)
        span.item["suspected"] = list(rules)
        spans.append(span)
    now.ask(event, spans)
    return ()


def _answer(now: TimelineCarry, event: Event, message: ToolResultsMessage) -> Items:
    items: list[Item] = []
    answers = answers_in(event)
    for ordinal, (result, answer) in enumerate(zip(message.results, answers, strict=True)):
        span = now.answer(answer)
        now.count_step()
        if span is None:
            named: Item = {"ordinal": ordinal, "callId": result.call_id, "digest": None}
            name = result.name or "unknown"
            span = begin("call", name, event, message, step=now.step, is_asked=False, named=named)
        item = end(span, event, message, answer.outcome)
        if event.redacted is None:
            item = suspect(item, answer.rules)
        items.append(item)
    return items


def _request_model(now: TimelineCarry, event: Event, message: LlmRequestMessage) -> Items:
    now.ask(event, [begin("model", message.model, event, message, step=now.step)])
    return ()


def _respond(now: TimelineCarry, event: Event, message: LlmResponseMessage) -> Items:
    (answer,) = answers_in(event)
    span, identity = now.answer(answer), identity_of(event)
    if span is None:
        before = told_of(now.told, identity)
        if before is not None:  # its span has been shown: this is the point where it grew
            figures, more = told_again(before, message)
            now.told = with_told(now.told, identity, figures)
            return ({**point(event, now.step), **more},)
        span = begin("model", None, event, message, step=now.step, is_asked=False)
    figures = model_figures(message, text_at(span.item, "name"))
    now.told = with_told(now.told, identity, summed(figures))
    if event.response_id is not None:
        figures["responseId"] = event.response_id
    item = end(span, event, message, answer.outcome, **figures)
    now.past, slow = now.past.took("ms", figure_held(number_at(item, "elapsedMs")))
    now.past, dear = now.past.took("usd", figure_held(number_at(item, "costUsd")))
    return (suspect(item, (*slow, *dear)),)


def _fail(now: TimelineCarry, event: Event, message: RuntimeErrorMessage) -> Items:
    """Return the error, and the model call that it failed."""
    (answer,) = answers_in(event)
    span = now.answer(answer)
    failed = () if span is None else (end(span, event, message, answer.outcome),)
    return (*failed, point(event, now.step))


def _ask(now: TimelineCarry, event: Event, message: ApprovalRequestMessage) -> Items:
    named: Item = {"callId": message.call_id}
    now.ask(event, [begin("approval", message.tool, event, message, step=now.step, named=named)])
    return ()


def _decide(now: TimelineCarry, event: Event, message: ApprovalResponseMessage) -> Items:
    (answer,) = answers_in(event)
    span = now.answer(answer)
    if message.approved:
        now.count_step()
    if span is None:
        named: Item = {"callId": message.call_id}
        span = begin("approval", None, event, message, step=now.step, is_asked=False, named=named)
    return (end(span, event, message, answer.outcome),)


def _spawn(now: TimelineCarry, event: Event, message: WorkerSpawnedMessage) -> Items:
    named: Item = {"workerId": message.worker_id, "threadId": message.thread_id}
    now.ask(event, [begin("worker", message.model, event, message, step=now.step, named=named)])
    return ()


def _return(now: TimelineCarry, event: Event, message: WorkerResultMessage) -> Items:
    (answer,) = answers_in(event)
    span = now.answer(answer)
    now.count_step()
    if span is None:
        named: Item = {"workerId": message.worker_id, "threadId": None}
        span = begin("worker", None, event, message, step=now.step, is_asked=False, named=named)
    return (end(span, event, message, answer.outcome),)


def number_attempts(now: TimelineCarry, event: Event, items: Items) -> None:
    """Number the calls that an event began, and record those of `items` that failed."""
    message = event.message
    if isinstance(message, ToolCallsMessage):
        spans = now.open["call"].values[-len(message.calls) :]
        for span, call in zip(spans, message.calls, strict=True):
            span.item["attempt"] = _attempt(now, span.item, call)
    for item in items:
        place = place_of(item)
        if place is not None and may_have_failed(item):
            now.attempts = now.attempts.failed(place)


def _attempt(now: TimelineCarry, item: Item, call: ToolCall) -> Item | None:
    digest, place = text_at(item, "digest"), place_of(item)
    if digest is None or place is None:
        return None
    now.attempts, before = now.attempts.called(
        call.name, arguments_value(call), digest=digest, place=place
    )
    if before is None:
        return None
    return {"number": before.number + 1, **before.place._asdict()}


ENDS: frozenset[type[KernelMessage]] = frozenset({ExitMessage, ThreadClosed})

ACTS: Mapping[type[KernelMessage], Callable[[TimelineCarry, Event, Any], Items]] = {
    ToolResultsMessage: _answer,
    ToolCallsMessage: _call,
    ReplyMessage: _reply,
    InputMessage: _input,
    LlmRequestMessage: _request_model,
    LlmResponseMessage: _respond,
    RuntimeErrorMessage: _fail,
    ApprovalRequestMessage: _ask,
    ApprovalResponseMessage: _decide,
    WorkerSpawnedMessage: _spawn,
    WorkerResultMessage: _return,
}
