"""Recorded runs, read from the log."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentlog.domain.errors import NotThere
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, integer_at, object_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.cassette import RecordedRun, run_of
from agentlog.projections.exchanges.exchange import TYPE, Exchange, exchange_of
from agentlog.projections.exchanges.reconstructed_tape import ReconstructedTape
from agentlog.projections.exchanges.recording import RUN_TYPE
from agentlog.projections.exchanges.tape import Tape

_PAGE = 200


class NotRecorded(NotThere):
    """A thread has no recorded exchanges to replay."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"thread {thread_id!r} has no recorded exchanges: `agentlog record` makes such threads"
        )
        self.thread_id = thread_id


class Cursor(NamedTuple):
    """A place between two requests of a run's own thread: what is below, and what is asked next.

    `version` is that of the thread's last event below it; at the end nothing is asked.
    """

    below: RecordedRun
    version: int
    asked: Exchange | None = None


def tape_of(threads: Threads, thread_id: str) -> Tape:
    """Return the tape of a thread: its last recorded run, else what its messages say.

    Raises:
        NotRecorded: it has neither exchanges nor answers of a model.
        UnknownThread: there is no such thread.
    """
    try:
        recorded = recorded_run(threads, thread_id)
    except NotRecorded:
        tape = ReconstructedTape([*threads.messages(thread_id)], {})
        if tape.is_empty:
            raise
        return tape
    return Tape(recorded)


def recorded_run(threads: Threads, thread_id: str) -> RecordedRun:
    """Return the last run that was recorded into a thread, with what it has in threads below.

    Raises:
        NotRecorded: there is none.
        UnknownThread: there is no such thread.
    """
    runs = threads.messages(thread_id, types=[RUN_TYPE])
    return _run(threads, thread_id, _name_of(runs[-1:], thread_id), None)


def cursor_at(threads: Threads, thread_id: str, version: int | None) -> Cursor:
    """Return the cursor before the request whose answer stands at a version, or comes next.

    Messages that are new in a request stand after its cursor: they are read from it. None is the
    end of the last run.

    Raises:
        NotRecorded: no exchange of a run is there.
        UnknownThread, FutureMoment: there is no such thread, or no such version.
    """
    if version is None:
        return Cursor(recorded_run(threads, thread_id), threads.version_at(thread_id, None))
    threads.version_at(thread_id, AtVersion(version))
    runs = threads.messages(thread_id, types=[RUN_TYPE])
    begun = [event for event in runs if event.version <= version] or runs[:1]
    run = _name_of(begun[-1:], thread_id)
    asked = [
        event
        for event in threads.messages(thread_id, types=[TYPE])
        if text_at(_payload(event), "run") == run
    ]
    if not asked:
        raise NotRecorded(thread_id)
    place = next((n for n, event in enumerate(asked) if event.version >= version), len(asked))
    for event in reversed(asked[: place + 1]):
        exchange = exchange_of(_payload(event))
        first = derived_message_id(run, exchange.attempt, 0)
        begins = threads.message(thread_id, first).version
        if begins <= version:
            break
    return Cursor(_run(threads, thread_id, run, exchange.attempt), begins - 1, exchange)


def answered_attempts(threads: Threads, thread_id: str, run: str) -> list[int]:
    """Return the attempts of a run that a model answered in the run's own conversation."""
    payloads = map(_payload, threads.messages(thread_id, types=[TYPE]))
    exchanges = [exchange_of(payload) for payload in payloads if payload.get("run") == run]
    return [exchange.attempt for exchange in exchanges if exchange.answer is not None]


def _run(threads: Threads, thread_id: str, run: str, below: int | None) -> RecordedRun:
    """Return a run that a thread has, or as a fork has copied; of its attempts those `below`."""
    own = threads.messages(thread_id, types=[RUN_TYPE, TYPE])
    of_run = [event for event in own if text_at(_payload(event), "run") == run]
    origin_id = threads.head(thread_id).origin
    if origin_id is not None and of_run and of_run[0].origin_version is not None:
        copied = 1 + max(map(_attempt, of_run))
        return _run(threads, origin_id, run, copied if below is None else min(copied, below))
    if not of_run:
        raise NotRecorded(thread_id)
    events = [
        *of_run,
        *(
            event
            for child in _below(threads, thread_id)
            for event in threads.messages(child, types=[TYPE])
            if text_at(_payload(event), "run") == run
        ),
    ]
    facts = _payload(of_run[0])
    origin = object_at(facts, "origin")
    before = None
    if origin:
        thread, name = text_at(origin, "threadId"), text_at(origin, "run")
        before = _run(threads, thread or "", name or "", integer_at(origin, "attempt"))
    payloads = [
        _payload(event)
        for event in events
        if event.type == TYPE and (below is None or _attempt(event) < below)
    ]
    return run_of(facts, payloads, before)


def _name_of(runs: Sequence[Event], thread_id: str) -> str:
    name = next((text_at(_payload(event), "run") for event in runs), None)
    if name is None:
        raise NotRecorded(thread_id)
    return name


def _attempt(event: Event) -> int:
    return integer_at(_payload(event), "attempt") or 0


def _below(threads: Threads, thread_id: str) -> Iterator[str]:
    before: int | None = None
    while page := threads.heads(ThreadFilter(parent=thread_id), before=before, limit=_PAGE):
        yield from (head.thread_id for head in page)
        before = page[-1].position


def _payload(event: Event) -> JsonObject:
    message = event.message
    return object_of(message.payload) if isinstance(message, CustomMessage) else {}
