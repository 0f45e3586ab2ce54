"""Recorded runs, read from the log."""

from collections.abc import Iterator

from agentlog.domain.errors import NotThere
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonObject, object_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.cassette import RecordedRun
from agentlog.projections.exchanges.exchange import TYPE
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
    return Tape(recorded.exchanges, recorded.values)


def recorded_run(threads: Threads, thread_id: str) -> RecordedRun:
    """Return the last run that was recorded into a thread, with what it has in threads below.

    Raises:
        NotRecorded: there is none.
        UnknownThread: there is no such thread.
    """
    own = [_payload(event) for event in threads.messages(thread_id, types=[RUN_TYPE, TYPE])]
    run = next((text_at(payload, "run") for payload in reversed(own) if "run" in payload), None)
    if run is None:
        raise NotRecorded(thread_id)
    below = (
        _payload(event)
        for child in _below(threads, thread_id)
        for event in threads.messages(child, types=[TYPE])
    )
    payloads = [payload for payload in (*own, *below) if payload.get("run") == run]
    values = next((object_at(item, "values") for item in payloads if "values" in item), {})
    return RecordedRun(
        run,
        [payload for payload in payloads if "attempt" in payload],
        {name: value for name, value in values.items() if isinstance(value, str)},
    )


def _below(threads: Threads, thread_id: str) -> Iterator[str]:
    before: int | None = None
    while page := threads.heads(ThreadFilter(parent=thread_id), before=before, limit=_PAGE):
        yield from (head.thread_id for head in page)
        before = page[-1].position


def _payload(event: Event) -> JsonObject:
    message = event.message
    return object_of(message.payload) if isinstance(message, CustomMessage) else {}
