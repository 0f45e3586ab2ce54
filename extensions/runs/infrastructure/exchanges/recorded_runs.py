"""Recorded runs, read from the log."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from agentlog.domain.errors import NotThere, UnknownThread
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, integer_at, object_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.domain.points_in_time import AtVersion
from agentlog.extensions.runs.projections.recordings.recording import Resumed
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun, run_of
from agentlog.extensions.runs.projections.tapes.reconstructed_tape import ReconstructedTape
from agentlog.extensions.runs.projections.tapes.recorded_tools import calls_of_events
from agentlog.extensions.runs.projections.tapes.tape import Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools, ToolTape
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import RUN_TYPE, TYPE, Exchange, exchange_of
from agentlog.projections.exchanges.held_texts import MCP_TYPE

_PAGE = 200
_NO_CONTENTS = 1
"""Bytes that are read of long texts where only the short ones are looked at."""


class NotRecorded(NotThere):
    """A thread has no recorded exchanges to replay."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"thread {thread_id!r} has no recorded exchanges: `agentlog record` makes such threads"
        )
        self.thread_id = thread_id


class Cursor(NamedTuple):
    """A place between two requests of a run's own thread: what is below, and what is asked next.

    `version` is that of the thread's last event below it; at the end nothing is asked. `whole` is
    the run with what came after the cursor.
    """

    whole: RecordedRun
    below: RecordedRun
    version: int
    asked: Exchange | None = None


class RecordedThread:
    """The runs that were recorded into a thread, each read from the log once.

    Raises:
        UnknownThread: there is no such thread.
    """

    def __init__(self, threads: Threads, thread_id: str) -> None:
        self._threads = threads
        self._thread_id = thread_id
        self._events = threads.messages(thread_id, types=[RUN_TYPE, TYPE, MCP_TYPE])
        self._whole: dict[str, RecordedRun] = {}
        self._exchanges: dict[str, list[tuple[int, Exchange]]] = {}

    def run(self, name: str | None = None, *, below: int | None = None) -> RecordedRun:
        """Return a run, the last one unless it is named, with what it has in threads below.

        Of its attempts those `below` a number.

        Raises:
            NotRecorded: there is none.
        """
        if name is None:
            name = self._name_at(None)
        if name not in self._whole:
            self._whole[name] = self._read(name)
        whole = self._whole[name]
        if below is None:
            return whole
        beyond = [_began(item) for item in whole.payloads if _attempt(item) >= below]
        asked = whole.mcp_payloads
        return replace(
            whole,
            payloads=[item for item in whole.payloads if _attempt(item) < below],
            mcp_payloads=[item for item in asked if not beyond or _began(item) < min(beyond)],
        )

    def cursor(self, version: int | None) -> Cursor:
        """Return the cursor before the request whose answer stands at a version, or comes next.

        Messages that are new in a request stand after its cursor: they are read from it. None is
        the end of the last run.

        Raises:
            NotRecorded: no exchange of a run is there.
            FutureMoment: there is no such version.
        """
        if version is None:
            whole = self.run()
            return Cursor(whole, whole, self._threads.version_at(self._thread_id, None))
        self._threads.version_at(self._thread_id, AtVersion(version))
        name = self._name_at(version)
        asked = self._exchanges_of(name)
        if not asked:
            raise NotRecorded(self._thread_id)
        place = next((n for n, (stands, _) in enumerate(asked) if stands >= version), len(asked))
        for _, exchange in reversed(asked[: place + 1]):
            first = derived_message_id(name, exchange.attempt, 0)
            begins = self._threads.message(self._thread_id, first).version
            if begins <= version:
                break
        below = self.run(name, below=exchange.attempt)
        return Cursor(self.run(name), below, begins - 1, exchange)

    def answered(self, name: str) -> list[int]:
        """Return the attempts of a run that a model answered in the run's own conversation."""
        return [sent.attempt for _, sent in self._exchanges_of(name) if sent.answer is not None]

    def _exchanges_of(self, name: str) -> list[tuple[int, Exchange]]:
        """Return the exchanges of a run in its own thread, each with its version."""
        if name not in self._exchanges:
            self._exchanges[name] = [
                (event.version, exchange_of(_payload(event)))
                for event in self._of(name)
                if event.type == TYPE
            ]
        return self._exchanges[name]

    def _of(self, name: str) -> list[Event]:
        return [event for event in self._events if _payload(event).get("run") == name]

    def _name_at(self, version: int | None) -> str:
        """Return the name of the run that a version is in; of the first one before all of them."""
        runs = [event for event in self._events if event.type == RUN_TYPE]
        begun = [event for event in runs if version is None or event.version <= version]
        name = text_at(_payload((begun[-1:] or runs[:1])[0]), "run") if runs else None
        if name is None:
            raise NotRecorded(self._thread_id)
        return name

    def _read(self, name: str) -> RecordedRun:
        """Return a whole run; one that a fork copied as far as it has it."""
        own = self._of(name)
        if not own:
            raise NotRecorded(self._thread_id)
        origin_id = self._threads.head(self._thread_id).origin
        if origin_id is not None and own[0].origin_version is not None:
            copied = 1 + max(_attempt(_payload(event)) for event in own)
            return RecordedThread(self._threads, origin_id).run(name, below=copied)
        below = (
            event
            for child in threads_below(self._threads, self._thread_id)
            for event in self._threads.messages(child, types=[TYPE])
        )
        payloads = [_payload(event) for event in (*own, *below)]
        facts = payloads[0]
        origin, before = object_at(facts, "origin"), None
        if origin:
            thread, run = text_at(origin, "threadId") or "", text_at(origin, "run")
            attempt = integer_at(origin, "attempt")
            before = RecordedThread(self._threads, thread).run(run, below=attempt)
        exchanges = [item for item in payloads if item.get("run") == name and "attempt" in item]
        mcp_payloads = [_payload(event) for event in own if event.type == MCP_TYPE]
        return run_of(facts, exchanges, before, mcp_payloads)


def resumed_run(threads: Threads, thread_id: str) -> Resumed | None:
    """Return what a thread has of its last run, to go on with it; None where it has none.

    Of a run that has erased exchanges it is not known how many it had.
    """
    try:
        events = threads.messages(thread_id, types=[RUN_TYPE, TYPE], most_bytes=_NO_CONTENTS)
    except UnknownThread:
        return None
    names = [text_at(_payload(event), "run") for event in events if event.type == RUN_TYPE]
    if not names or names[-1] is None:
        return None
    exchanges = 0
    last = []
    for name in (thread_id, *sorted(threads_below(threads, thread_id))):
        if name != thread_id:
            events = threads.messages(name, types=[TYPE], most_bytes=_NO_CONTENTS)
        if any(event.redacted is not None for event in events):
            return None
        own = [
            event.version
            for event in events
            if event.type == TYPE and _payload(event).get("run") == names[-1]
        ]
        exchanges += len(own)
        if own:
            (event,) = threads.messages(name, after=own[-1] - 1, types=[TYPE], limit=1)
            last.append((name, exchange_of(_payload(event))))
    return Resumed(names[-1], exchanges, last)


def tapes_of(
    threads: Threads, thread_id: str, tools: Tools, *, by_place: bool = False
) -> tuple[Tape, ToolTape]:
    """Return the tapes of a thread: of its last recorded run, else of what its messages say.

    `by_place` is that of the tape of a run.

    Raises:
        NotRecorded: it has neither exchanges nor answers of a model.
        UnknownThread: there is no such thread.
    """
    try:
        recorded = RecordedThread(threads, thread_id).run()
    except NotRecorded:
        events = [*threads.messages(thread_id)]
        tape = ReconstructedTape(events, {})
        if tape.is_empty:
            raise
        return tape, ToolTape(tools, calls_of_events(events))
    return Tape(recorded, by_place=by_place), ToolTape.of_run(recorded, tools)


def _attempt(payload: JsonObject) -> int:
    return integer_at(payload, "attempt") or 0


def _began(payload: JsonObject) -> int:
    return integer_at(payload, "startedAt") or 0


def threads_below(threads: Threads, thread_id: str) -> Iterator[str]:
    """Yield the ids of the threads that have a thread as their parent."""
    before: int | None = None
    while page := threads.heads(ThreadFilter(parent=thread_id), before=before, limit=_PAGE):
        yield from (head.thread_id for head in page)
        before = page[-1].position


def _payload(event: Event) -> JsonObject:
    message = event.message
    return object_of(message.payload) if isinstance(message, CustomMessage) else {}
