"""A recorder that inserts events as the library's contract has it.

It keeps order, uniqueness and the chain, heads and ledgers; the rules of a thread are the writer's
and are not applied here: only tests write so.
"""

from collections.abc import Sequence
from typing import Any

from eventsourcing.persistence import IntegrityError, StoredEvent
from psycopg.errors import UniqueViolation
from typing_extensions import override

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import Fact
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.json.text import parse_stored
from agentlog.domain.messages import Message
from agentlog.domain.redaction import left_digest, redacted_body, redacted_metadata
from agentlog.domain.threads import mentions
from agentlog.infrastructure.appending.append_statements import append, log_transaction
from agentlog.infrastructure.appending.commit_plan import Changes, NewEvent, Note, Wanted
from agentlog.infrastructure.eventlog.body_deduplication import Stored
from agentlog.infrastructure.eventlog.thread_heads import Head, replayed
from agentlog.infrastructure.eventsourcing_adapter.mapper import StoredMessage, message_id_of
from agentlog.infrastructure.eventsourcing_adapter.recorder import LogRecorder


class PostgresRecorder(LogRecorder):
    """Application recorder of one tenant; notification ids are positions in the log."""

    @override
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        """Append events in one transaction and return their positions.

        Raises:
            IntegrityError: a version is not beyond its thread's head, or a message id stands in
                its thread already; nothing is written.
        """
        if not stored_events:
            return []
        try:
            return self._insert(stored_events)
        except UniqueViolation as error:  # versions were checked: only an id can be a duplicate
            raise IntegrityError(
                f"a message id stands in its thread already: {error.diag.message_detail}"
            ) from error

    def _insert(self, stored_events: Sequence[StoredEvent]) -> list[int]:
        identified = [
            (self._tenant, str(event.originator_id), _message_of(event)) for event in stored_events
        ]
        keys = {message[:2]: None for message in identified}
        mentioned = [
            (message[:2], key)
            for message in identified
            if message[2] is not None
            for key in mentions(message[2])
        ]
        with (
            self._database.connection() as connection,
            log_transaction(connection, Wanted(list(keys), mentioned)) as log_state,
        ):
            heads = dict(log_state.heads)
            ledgers = {key: dict(log_state.ledger.get(key, {})) for key in keys}
            events = []
            for number, (stored, (*key, message)) in enumerate(
                zip(stored_events, identified, strict=True), log_state.position + 1
            ):
                thread = key[0], key[1]
                head = heads[thread]
                event = _numbered(stored, head, number)
                if message is not None:
                    ledger = ledgers[thread]
                    head, noted = replayed(head, ledger, event.version, message, stored.state)
                    ledger.update(noted)
                heads[thread] = head._replace(version=event.version, position=number)
                events.append(event)
            notes = [
                Note(thread, key, entry)
                for thread, ledger in ledgers.items()
                for key, entry in ledger.items()
            ]
            last = events[-1].position
            append(connection, Changes(log_state.position, last, events, [*heads.values()], notes))
        return [event.position for event in events]


def _message_of(stored: StoredEvent) -> Message | Fact | None:
    try:
        return read_stored(stored.topic, parse_stored(stored.state))
    except ValueError:
        return None


def _numbered(stored: StoredEvent, head: Head, position: int) -> NewEvent:
    # versions begin at 1 here, elsewhere at 0: a thread's first event may have either
    if head.position and stored.originator_version <= head.version:
        raise IntegrityError(
            f"thread {head.thread_id!r} is at version {head.version} already, "
            f"{stored.originator_version} cannot be appended"
        )
    message_id = message_id_of(stored)
    metadata = stored.metadata if isinstance(stored, StoredMessage) else None
    left = redacted_body(stored.topic, message_id, stored.state), redacted_metadata(metadata)
    return NewEvent(
        head.tenant,
        head.thread_id,
        stored.originator_version,
        position,
        stored.topic,
        message_id,
        Stored(stored.state),
        digest(stored.state),
        left_digest(*left),
        metadata,
    )
