"""The log behind the interfaces of `eventsourcing.persistence`.

It serves the library's applications, projections and runners from our tables. The recorder keeps
order, uniqueness and the chain, heads and ledgers; the rules of a thread are the writer's and are
not applied here.
"""

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    Notification,
    StoredEvent,
    Subscription,
)
from psycopg.errors import UniqueViolation
from psycopg.rows import TupleRow
from typing_extensions import override

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import Fact
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.json.text import parse_stored
from agentlog.domain.messages import Message
from agentlog.domain.points_in_time import BIGGEST
from agentlog.domain.redaction import left_digest, redacted_body, redacted_metadata
from agentlog.domain.threads import mentions
from agentlog.infrastructure.appending.append_statements import append, log_transaction
from agentlog.infrastructure.appending.commit_plan import Changes, NewEvent, Note, Wanted
from agentlog.infrastructure.eventlog.blob_store import read_contents
from agentlog.infrastructure.eventlog.body_deduplication import Stored, whole
from agentlog.infrastructure.eventlog.thread_heads import Head, replayed
from agentlog.infrastructure.eventsourcing_adapter.mapper import StoredMessage, message_id_of
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement

_POLL_SECONDS = 0.05
_PAGE = 500


class PostgresRecorder(ApplicationRecorder):
    """Application recorder of one tenant; notification ids are positions in the log."""

    def __init__(self, database: Database, *, tenant: str) -> None:
        super().__init__()
        self._database = database
        self._tenant = tenant

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

    @override
    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        rows = self._rows(
            "select_events_descending" if desc else "select_events",
            thread_id=str(originator_id),
            after=-1 if gt is None else gt,
            upto=BIGGEST if lte is None else lte,
            limit=limit,
            types=None,
        )
        return [StoredEvent(row[0], row[1], row[2], row[3]) for row in rows]

    @override
    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        rows = self._rows(
            "select_log",
            after=(start or 0) - (1 if inclusive_of_start else 0),
            upto=BIGGEST if stop is None else stop,
            limit=limit,
            types=list(topics) or None,
        )
        return [Notification(row[0], row[1], row[2], row[3], row[5]) for row in rows]

    @override
    def max_notification_id(self) -> int | None:
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT max(position) FROM agentlog.events WHERE tenant = %s", (self._tenant,)
            ).fetchone()
        return None if row is None else row[0]

    @override
    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "PollingSubscription":
        return PollingSubscription(self, gt, topics)

    def _rows(self, name: str, **parameters: object) -> list[TupleRow]:
        with self._database.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(
                statement(name), {"tenant": self._tenant, **parameters}
            ).fetchall()
            cuts = [row[8] for row in rows if row[8] is not None]
            contents = read_contents(cursor, self._tenant, cuts)
        return [
            row if row[8] is None else (*row[:3], whole(row[3], row[8], contents).body, *row[4:])
            for row in rows
        ]


class PollingSubscription(Subscription[PostgresRecorder]):
    """Events after a position, then new ones: a page at a time, polling at the end of the log."""

    def __init__(
        self, recorder: PostgresRecorder, gt: int | None = None, topics: Sequence[str] = ()
    ) -> None:
        super().__init__(recorder, gt, topics)
        self._cursor = gt
        self._page: list[Notification] = []

    @override
    def __next__(self) -> Notification:
        while not self._has_been_stopped:
            if self._page:
                notification = self._page.pop()
                self._last_notification_id = notification.id
                return notification
            self._read_on()
            if not self._page:
                time.sleep(_POLL_SECONDS)
        raise StopIteration

    def _read_on(self) -> None:
        # the cursor also moves past filtered events, or each poll would read them again
        end = self._recorder.max_notification_id() if self._topics else None
        notifications = self._recorder.select_notifications(
            self._cursor, _PAGE, end, self._topics, inclusive_of_start=False
        )
        if len(notifications) < _PAGE and end is not None:
            self._cursor = max(end, self._cursor or 0)
        elif notifications:
            self._cursor = notifications[-1].id
        self._page = list(reversed(notifications))


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
