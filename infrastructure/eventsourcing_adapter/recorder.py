"""The log behind the interfaces of `eventsourcing.persistence`, to read and to follow."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, LiteralString
from uuid import UUID

import psycopg
from eventsourcing.persistence import (
    ApplicationRecorder,
    Notification,
    NotSupportedError,
    StoredEvent,
    Subscription,
    Tracking,
)
from typing_extensions import override

from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventsourcing_adapter.mapper import (
    RecordedNotification,
    RecordedStoredEvent,
)
from agentlog.infrastructure.postgres.database import Connections, Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, Listener
from agentlog.infrastructure.postgres.listening.watcher import warn
from agentlog.infrastructure.readmodels.tracking import PostgresTrackingRecorder

_PAGE = 500


class LogSubscription(Subscription[ApplicationRecorder]):
    """Events after a position, then new ones as they are committed, read a page at a time.

    It waits while the database is away, and goes on after.
    """

    def __init__(
        self,
        recorder: ApplicationRecorder,
        listener: Listener,
        gt: int | None = None,
        topics: Sequence[str] = (),
    ) -> None:
        super().__init__(recorder, gt, topics)
        self._cursor = gt
        self._page: list[Notification] = []
        self._woken = threading.Event()
        self._end = listener.on(APPENDED, self._woken.set)
        self._failing = False

    @override
    def stop(self) -> None:
        if not self._has_been_stopped:
            super().stop()
            self._end()
            self._woken.set()

    @override
    def __next__(self) -> Notification:
        while not self._has_been_stopped:
            if self._page:
                notification = self._page.pop()
                self._last_notification_id = notification.id
                return notification
            self._woken.clear()
            if not self._read_on():
                self._woken.wait()
        raise StopIteration

    def _read_on(self) -> bool:
        """Read the next page; return whether there was one."""
        try:
            # the cursor also moves past filtered events, or each wake would read them again
            end = self._recorder.max_notification_id() if self._topics else None
            page = self._recorder.select_notifications(
                self._cursor, _PAGE, end, self._topics, inclusive_of_start=False
            )
        except DatabaseUnavailable as error:
            if not self._failing:
                warn("the log cannot be followed, trying on", error)
            self._failing = True  # the listener wakes it again, at the latest by its next poll
            return False
        self._failing = False
        if len(page) < _PAGE and end is not None:
            self._cursor = max(end, self._cursor or 0)
        elif page:
            self._cursor = page[-1].id
        self._page = list(reversed(page))
        return bool(page)


class LogRecorder(ApplicationRecorder):
    """Application recorder of one tenant; notification ids are positions in the log.

    `database` is confined to the tenant. Inserts are refused: the rules of threads, repeats and
    limits are the service's, and an event past them cannot be taken back.
    """

    def __init__(self, database: Connections, listener: Listener, *, tenant: str) -> None:
        super().__init__()
        self._database, self._listener, self._tenant = database, listener, tenant
        self._reader = LogReader(database, tenant=tenant)

    @override
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int]:
        """Raise `NotSupportedError`, if there are any."""
        if not stored_events:
            return []
        raise NotSupportedError(
            "the log takes no events from the library eventsourcing, which does not know the rules "
            "of threads: append messages by agentlog_client or POST /v1/threads/{id}/messages"
        )

    @override
    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[RecordedStoredEvent]:
        events = self._reader.events(
            str(originator_id),
            after=gt or 0,
            upto=BIGGEST if lte is None else lte,
            limit=limit,
            descending=desc,
        )
        return [
            RecordedStoredEvent(
                event.originator_id, event.originator_version, event.type, event.body, event
            )
            for event in events
        ]

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
        events = self._reader.log(
            after=(start or 0) - (1 if inclusive_of_start else 0),
            upto=BIGGEST if stop is None else stop,
            types=topics,
            limit=limit,
        )
        return [RecordedNotification.of(event) for event in events]

    @override
    def max_notification_id(self) -> int | None:
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT max(position) FROM agentlog.events WHERE tenant = %s", (self._tenant,)
            ).fetchone()
        return None if row is None else row[0]

    @override
    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> LogSubscription:
        return LogSubscription(self, self._listener, gt, topics)


class View(PostgresTrackingRecorder):
    """Tables of your own in the log's database, for a `Projection` to fill.

    Subclass it: `schema` makes the tables where they are missing, and methods read and write them.
    """

    schema: ClassVar[LiteralString] = ""
    """Statements that are run at each start: `CREATE TABLE IF NOT EXISTS …`."""

    def __init__(self, database: Database, *, projection: str, tenant: str) -> None:
        super().__init__(database)
        self._projection, self._tenant = projection, tenant
        with database.connection() as connection, connection.transaction():
            # those who start together would make the same table
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('agentlog_view'))")
            connection.execute(self.schema)

    @contextmanager
    def transaction(self, tracking: Tracking) -> Iterator[psycopg.Connection]:
        """Commit what the block writes together with its place in the log, or neither.

        Raises:
            IntegrityError: the event was processed already, here or by another process.
        """
        with self._database.connection() as connection, connection.transaction():
            self._move(connection, tracking)
            yield connection

    def connection(self) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode, to read."""
        return self._database.connection()

    @override
    def _reader(self, application_name: str) -> str:
        return f"{self._projection}.{application_name}@{self._tenant}"
