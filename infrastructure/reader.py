"""Reading the log: heads, events of a thread, the whole log, and what a moment means."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from psycopg.rows import TupleRow, class_row, tuple_row

from domain.errors import FutureMoment, UnknownMessage, UnknownThread
from domain.events import Event
from domain.json_text import parse_stored
from domain.moments import AtMessage, AtPosition, AtTime, AtVersion, Moment
from domain.threads import Status
from infrastructure.database import Database
from infrastructure.heads import Head
from infrastructure.sql import statement

BIGGEST = 2**63 - 1
"""The largest version and position."""


@dataclass(frozen=True, slots=True)
class ThreadFilter:
    """Which threads to list; None is any. `text` is looked for in goals and ids."""

    status: Status | None = None
    parent: str | None = None
    text: str | None = None


class LogReader:
    """What one tenant may read."""

    def __init__(self, database: Database, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def head(self, thread_id: str) -> Head:
        """Return the head of a thread; raises `UnknownThread`."""
        rows = self._heads("select_heads", tenants=[self._tenant], thread_ids=[thread_id])
        if not rows:
            raise UnknownThread(thread_id)
        return rows[0]

    def heads(self, which: ThreadFilter, *, before: int | None, limit: int) -> list[Head]:
        """Return threads by recency, newest first, whose latest position is below `before`."""
        return self._heads(
            "select_threads",
            tenant=self._tenant,
            before=BIGGEST if before is None else before,
            status=which.status,
            parent=which.parent,
            pattern=None if which.text is None else _pattern(which.text),
            limit=limit,
        )

    def thread_ids(self, *, after: str, limit: int) -> list[str]:
        """Return ids of threads in the order of the ids, `after` not included."""
        return [row[0] for row in self._rows("select_thread_ids", after=after, limit=limit)]

    def events(
        self,
        thread_id: str,
        *,
        after: int = 0,
        upto: int = BIGGEST,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[Event]:
        """Return events of a thread by version, `after` not included, `upto` included."""
        return self._events(
            "select_events",
            thread_id=thread_id,
            after=after or -1,
            upto=upto,
            types=list(types) if types else None,
            limit=limit,
        )

    def log(
        self, *, after: int = 0, types: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Event]:
        """Return events of all threads by position, `after` not included."""
        return self._events(
            "select_log",
            after=after,
            upto=BIGGEST,
            types=list(types) if types else None,
            limit=limit,
        )

    def message(self, thread_id: str, message_id: str) -> Event:
        """Return one event; raises `UnknownThread` or `UnknownMessage`."""
        found = self._events("select_message", thread_id=thread_id, message_id=message_id)
        if not found:
            self.head(thread_id)
            raise UnknownMessage(thread_id, message_id)
        return found[0]

    def version_at(self, head: Head, moment: Moment | None) -> int:
        """Return the version that a moment means in a thread, 0 before its first event.

        Raises:
            FutureMoment: it is not there yet.
            UnknownMessage: the thread has no such message.
        """
        match moment:
            case None:
                return head.version
            case AtVersion(version):
                if version > head.version:
                    present = f"thread {head.thread_id!r} is at version {head.version}"
                    raise FutureMoment(f"version {version}", present=present)
                return version
            case AtMessage(message_id):
                return self.message(head.thread_id, message_id).version
            case AtPosition(position):
                last = self._number("SELECT position FROM agentlog.counter")
                if position > last:
                    present = f"the log is at position {last}"
                    raise FutureMoment(f"position {position}", present=present)
                return self._version("version_at_position", head, position=position)
            case AtTime(time):
                self._refuse_future(time)
                return self._version("version_at_time", head, time=time)

    def position_of(self, head: Head, version: int) -> int | None:
        """Return the position of a thread's event, None before the first."""
        if version in (0, head.version):
            return head.position if version else None
        rows = self._rows("select_position", thread_id=head.thread_id, version=version)
        return int(rows[0][0]) if rows else None

    def _version(self, name: str, head: Head, **parameters: object) -> int:
        (row,) = self._rows(name, thread_id=head.thread_id, **parameters)
        return int(row[0])

    def _number(self, query: str) -> int:
        with self._database.connection() as connection:
            row = connection.execute(query.encode()).fetchone()
        return 0 if row is None else int(row[0])

    def _refuse_future(self, time: datetime) -> None:
        with self._database.connection() as connection:
            settled = connection.execute(
                "SELECT recorded_at >= %s FROM agentlog.counter", (time,)
            ).fetchone()
            if settled == (True,):
                return
            row = connection.execute(statement("store_clock")).fetchone()
        if row is None or not isinstance(row[0], datetime):
            raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
        if time > row[0]:
            now = row[0].astimezone(UTC).isoformat()
            raise FutureMoment(time.isoformat(), present=f"the store's clock says {now}")

    def _heads(self, name: str, **parameters: object) -> list[Head]:
        with (
            self._database.connection() as connection,
            connection.cursor(binary=True, row_factory=class_row(Head)) as cursor,
        ):
            return cursor.execute(statement(name), parameters).fetchall()

    def _events(self, name: str, **parameters: object) -> list[Event]:
        return [_event(row) for row in self._rows(name, **parameters)]

    def _rows(self, name: str, **parameters: object) -> list[TupleRow]:
        with (
            self._database.connection() as connection,
            connection.cursor(binary=True, row_factory=tuple_row) as cursor,
        ):
            parameters["tenant"] = self._tenant
            return cursor.execute(statement(name), parameters).fetchall()


def _event(row: TupleRow) -> Event:
    thread_id, version, type_name, body, message_id, position, recorded_at, metadata = row
    # by place, not by name: a long thread makes many, and names cost a quarter of each
    return Event(
        thread_id,
        version,
        type_name,
        body,
        message_id,
        position,
        recorded_at,
        {} if metadata is None else parse_stored(metadata),
    )


def _pattern(text: str) -> str:
    """Return the ILIKE pattern that finds `text` anywhere, its own wildcards taken literally."""
    literal = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%".replace("\x00", "\ufffd")
