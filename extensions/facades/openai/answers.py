"""Answers of models on record, as stored completions and responses.

An answer is named by its thread and the version of its first message, `THREAD~VERSION`; the name of
a thread alone is that of its latest answer. A provider's id is known of answers among the latest
messages of the log. A client's deletion of one is a message.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from fastapi import Request

from agentlog.api.http.codec.caller import tenant_of
from agentlog.api.http.request.scope import note_read
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidThreadId, UnknownThread
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, integer_at, object_at, object_of, text_at
from agentlog.domain.messages import CustomMessage, KernelMessage, LlmResponseMessage
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.errors import UnknownItem
from agentlog.extensions.facades.openai.sessions import VIEW
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.views.results import Page
from agentlog.projections.readers.messages.responses_items import is_of_model
from agentlog.projections.registry import AnyView
from agentlog.projections.residue import residue_of
from agentlog.projections.view import Item, Printed
from agentlog.projections.views.openai import OpenAIOptions, OpenAIView

SPOKEN = ("reply", "tool_calls", "reasoning", "openai.message")
"""Types of messages that an answer may begin with."""
_DELETED = "openai.answer_deleted"
_CHAT = OpenAIView(OpenAIOptions(repair=False))
_MARK = "~"
THREADS: Final = {"answer_id": lambda name: (name.rpartition(_MARK)[0] or name,)}
"""The parameter that names a thread, beside the usual ones."""
_RECENT, _WINDOW = 100_000, 2_000
"""Messages of the log that are searched for a provider's id, and those read at once."""
BEGINNING = 1024
"""Bytes that are read of each message's long contents: the view has them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered: the items from `begin` to `end` of a thread's.

    `version` and `last_version` are of its first and last message. `created` is in seconds since
    the epoch; `call` is what is on record of the call, and `beside` what an import kept of it.
    """

    thread_id: str
    version: int
    last_version: int
    begin: int
    end: int
    response_id: str | None
    all_items: Sequence[Item]
    created: int
    call: LlmResponseMessage | None
    beside: Item

    @property
    def id(self) -> str:
        """Its name."""
        return f"{self.thread_id}{_MARK}{self.version}"

    @property
    def items(self) -> Sequence[Item]:
        """What the model answered."""
        return self.all_items[self.begin : self.end]

    @property
    def items_before(self) -> Sequence[Item]:
        """What the model was asked with."""
        return self.all_items[: self.begin]


Answers = Callable[[Tenant, str, Moment | None], Sequence[Answer]]


def completions_of(tenant: Tenant, thread_id: str, at: Moment | None) -> list[Answer]:
    """Return the messages of the assistant in a thread, in order; raises `NotThere`."""
    return _answers(tenant, thread_id, at, _CHAT, _by_message)


def responses_of(tenant: Tenant, thread_id: str, at: Moment | None) -> list[Answer]:
    """Return the answers in a thread, each with all its items, in order; raises `NotThere`."""
    return _answers(tenant, thread_id, at, VIEW, _by_response)


def completions_at(tenant: Tenant, events: Sequence[Event], at: Moment | None) -> Iterator[Answer]:
    """Yield the messages of the assistant that begin with events of one thread, in their order.

    They come without the messages before them. Raises `NotThere`.
    """
    spoken, thread_id = {event.version: event for event in events}, events[0].thread_id
    calls, gone = _calls_of(
        tenant.threads.messages(
            thread_id, at=at, types=["llm_response", _DELETED], most_bytes=BEGINNING
        )
    )
    for printed in tenant.views.items(thread_id, _CHAT, at=at):
        if printed.version > max(spoken):
            break
        version = printed.version
        if version in spoken and version not in gone and printed.item["role"] == "assistant":
            event = spoken[version]
            call = None if event.response_id is None else calls.get(event.response_id)
            facts = (_seconds(event), *_told_of(call))
            places = (version, version, 0, 1)
            yield Answer(thread_id, *places, event.response_id, [printed.item], *facts)


def find(answers_of: Answers, tenant: Tenant, name: str, at: Moment | None) -> Answer:
    """Return the answer of a name; raises `UnknownItem`."""
    for thread_id, answer_id in _places(tenant, name):
        with suppress(UnknownThread, InvalidThreadId):
            for answer in reversed(answers_of(tenant, thread_id, at)):
                if answer_id in (None, str(answer.version), answer.response_id):
                    return answer
    raise UnknownItem(name)


def read_answer(request: Request, answers_of: Answers, name: str, at: Moment | None) -> Answer:
    """Return what `find` does, and note for the audit that its thread is read."""
    answer = find(answers_of, tenant_of(request), name, at)
    note_read(request.scope, answer.thread_id)
    return answer


def _places(tenant: Tenant, name: str) -> Iterator[tuple[str, str | None]]:
    """Yield the threads that may have an answer of a name, with its version or id there."""
    thread_id, _, version = name.rpartition(_MARK)
    yield thread_id, version
    yield name, None
    reader = tenant.views.reader
    last = reader.position()
    for event in newest_first(reader, ["llm_response"], last, beyond=max(0, last - _RECENT)):
        if event.response_id == name:
            yield event.thread_id, name
            return


def newest_first(
    reader: LogReader, types: Sequence[str], upto: int, *, beyond: int = 0
) -> Iterator[Event]:
    """Yield events of the log from a position down to those beyond another, some read at once."""
    while upto > beyond:
        begin = max(beyond, upto - _WINDOW)
        yield from reversed(reader.log(after=begin, upto=upto, types=types, most_bytes=BEGINNING))
        upto = begin


def model_of(answer: Answer, metadata: Mapping[str, JsonValue]) -> str:
    """Return the model that answered, as it or the thread says; `unknown` where neither does."""
    named = None if answer.call is None else answer.call.model
    return named or text_at(metadata, "model") or "unknown"


def delete(tenant: Tenant, answer: Answer, origin: Origin) -> None:
    """Append the message by which a client deletes an answer."""
    draft: Item = {"type": _DELETED, "payload": {"version": answer.version}}
    request = tenant.threads.request(answer.thread_id, [draft], origin=origin)
    tenant.threads.writer.append(request)


_Spans = Callable[[Sequence[Item], Sequence[str | None]], Iterator[tuple[int, int]]]
"""Yields where answers begin and end, given items and the response of each."""


def _answers(
    tenant: Tenant, thread_id: str, at: Moment | None, view: AnyView, spans: _Spans
) -> list[Answer]:
    page = tenant.views.view(thread_id, view, at=at)
    printed: Sequence[Printed] = page.items if isinstance(page, Page) else ()
    events = tenant.threads.messages(
        thread_id, at=at, types=[*SPOKEN, "llm_response", _DELETED], most_bytes=BEGINNING
    )
    spoken = {event.version: event for event in events}
    calls, gone = _calls_of(events)
    items = [item.item for item in printed]
    responses = [_response_of(spoken, item.version) for item in printed]
    answers: list[Answer] = []
    for begin, end in spans(items, responses):
        version = printed[begin].version
        if version not in gone:
            call = None if (name := responses[begin]) is None else calls.get(name)
            places = (version, printed[end - 1].version, begin, end)
            facts = (_seconds(spoken.get(version)), *_told_of(call))
            answers.append(Answer(thread_id, *places, name, items, *facts))
    return answers


def _calls_of(events: Sequence[Event]) -> tuple[Mapping[str | None, Event], Collection[int | None]]:
    """Return the calls among events by the response, and the versions that clients deleted."""
    calls = {event.response_id: event for event in events if event.type == "llm_response"}
    gone = {
        integer_at(object_of(event.message.payload), "version")
        for event in events
        if event.type == _DELETED and isinstance(event.message, CustomMessage)
    }
    return calls, gone


def _by_message(
    items: Sequence[Item], responses: Sequence[str | None]
) -> Iterator[tuple[int, int]]:
    del responses
    return ((n, n + 1) for n, item in enumerate(items) if item["role"] == "assistant")


def _by_response(
    items: Sequence[Item], responses: Sequence[str | None]
) -> Iterator[tuple[int, int]]:
    """Yield runs of what the model wrote, of one response where that is on record."""
    kinds = [(is_of_model(item), name) for item, name in zip(items, responses, strict=True)]
    for (of_model, _), run in groupby(range(len(items)), key=kinds.__getitem__):
        places = list(run)
        if of_model:
            yield places[0], places[-1] + 1


def _response_of(spoken: Mapping[int, Event], version: int) -> str | None:
    event = spoken.get(version)
    return None if event is None else event.response_id


def _seconds(event: Event | None) -> int:
    message = None if event is None else event.message
    return message.timestamp // 1000 if isinstance(message, KernelMessage) else 0


def _told_of(call: Event | None) -> tuple[LlmResponseMessage | None, Item]:
    if call is None or not isinstance(call.message, LlmResponseMessage):
        return None, {}
    return call.message, object_at(object_of(residue_of(call, VIEW.name, 0)), "set")
