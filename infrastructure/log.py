"""One transaction on the log: lock, look, number, append, move.

READ COMMITTED, and the counter row locked from the first statement to the commit: whoever numbers
events next has seen them all, positions follow the order of commits, and a reader that asks for
`position > cursor` misses nothing. Each step is a statement of its own after the lock, because a
statement sees what was committed when it began, not when its lock was granted.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from domain.chain import digest, link
from domain.threads import Entry, Key
from infrastructure.heads import Head
from infrastructure.requests import ThreadKey
from infrastructure.sql import statement


@dataclass(frozen=True, slots=True)
class Ticket:
    """What the locked counter says: the position before ours, and the time that is ours."""

    position: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message id stands in its thread already."""

    version: int
    position: int
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event as it will be stored, its link of the chain included."""

    tenant: str
    thread_id: str
    version: int
    position: int
    type: str
    message_id: str
    body: bytes
    body_digest: bytes
    chain: bytes
    metadata: bytes | None


def chained(  # noqa: PLR0913 - the facts of an event
    previous: bytes,
    ticket: Ticket,
    *,
    tenant: str,
    thread_id: str,
    version: int,
    position: int,
    type_name: str,
    message_id: str,
    body: bytes,
    body_digest: bytes,
    metadata: bytes | None,
) -> NewEvent:
    """Return the event with its link, which continues the chain at `previous`."""
    return NewEvent(
        tenant=tenant,
        thread_id=thread_id,
        version=version,
        position=position,
        type=type_name,
        message_id=message_id,
        body=body,
        body_digest=body_digest,
        chain=link(
            previous,
            tenant=tenant,
            thread_id=thread_id,
            version=version,
            position=position,
            type_name=type_name,
            message_id=message_id,
            recorded_at=ticket.recorded_at,
            body_digest=body_digest,
            metadata_digest=digest(metadata or b""),
        ),
        metadata=metadata,
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a transaction has to know: heads of threads, their ledger's entries, ids' places."""

    threads: Sequence[ThreadKey]
    keys: Sequence[tuple[ThreadKey, Key]] = ()
    ids: Sequence[tuple[str, str, str]] = ()


class LogTransaction:
    """The log while we hold it; made by `log_transaction`.

    `heads` has every thread that was wanted (a new one at version 0), `ledger` and `places` what
    there is of the keys and ids.
    """

    def __init__(self, connection: psycopg.Connection, wanted: Wanted) -> None:
        """Hold the log, and look, in one round trip."""
        self._connection = connection
        self._parameters: dict[str, Any] | None = None
        self._size = 0
        with connection.pipeline():
            connection.execute("BEGIN")
            locked = connection.execute(statement("lock_counter"))
            heads = self._query("select_heads", ("tenants", "thread_ids"), wanted.threads)
            by_digest = {(*thread, key.kind, _id_digest(key)): key for thread, key in wanted.keys}
            ledger = self._query("select_ledger", _LEDGER_KEY, list(by_digest))
            places = self._query("select_places", _PLACE_KEY, wanted.ids)
            ticket = locked.fetchone()
            if ticket is None:
                raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
            self.ticket = Ticket(*ticket)
            found = {(row[0], row[1]): Head(*row) for row in _rows(heads)}
            self.heads = {key: found.get(key) or Head(*key) for key in wanted.threads}
            self.ledger: dict[ThreadKey, Mapping[Key, Entry]] = {}
            entries: dict[ThreadKey, dict[Key, Entry]] = {}
            for tenant, thread_id, kind, id_digest, asked, answered in _rows(ledger):
                key = by_digest[tenant, thread_id, kind, id_digest]
                entries.setdefault((tenant, thread_id), {})[key] = Entry(asked, answered)
            self.ledger.update(entries)
            self.places = {(row[0], row[1], row[2]): Place(*row[3:]) for row in _rows(places)}

    def body(self, tenant: str, thread_id: str, version: int) -> bytes:
        """Return the stored bytes of one event."""
        with self._connection.cursor(binary=True) as cursor:
            row = cursor.execute(
                "SELECT body FROM agentlog.events "
                "WHERE tenant = %s AND thread_id = %s AND version = %s",
                (tenant, thread_id, version),
            ).fetchone()
        return b"" if row is None else bytes(row[0])

    def append(
        self,
        events: Sequence[NewEvent],
        heads: Sequence[Head],
        ledger: Mapping[ThreadKey, Mapping[Key, Entry]],
    ) -> None:
        """Have events written at the commit, and heads, ledger and counter moved with them."""
        notes = [
            (*thread, key.kind, _id_digest(key), entry.asked, entry.answered)
            for thread, entries in ledger.items()
            for key, entry in entries.items()
        ]
        self._size = sum(len(event.body) + len(event.metadata or b"") for event in events)
        self._parameters = {
            "recorded_at": self.ticket.recorded_at,
            "position": events[-1].position,
            **_columns(_EVENT_COLUMNS, [_event_row(event) for event in events]),
            **_columns(_HEAD_COLUMNS, [_head_row(head) for head in heads]),
            **_columns(_LEDGER_COLUMNS, notes),
        }

    def commit(self) -> None:
        """Write what was appended, durably, and let the log go; in one round trip if it is small.

        A large statement stays out of the pipeline, where neither side reads while both write.
        """
        if self._parameters is None:
            self._connection.execute("ROLLBACK")
        elif self._size <= _PIPELINED_BYTES:
            with self._connection.pipeline():
                self._connection.execute(statement("append"), self._parameters)
                self._connection.execute("COMMIT")
        else:
            self._connection.execute(statement("append"), self._parameters)
            self._connection.execute("COMMIT")

    def _query(
        self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> psycopg.Cursor[TupleRow] | None:
        if not rows:
            return None
        cursor = self._connection.cursor(binary=True)
        return cursor.execute(statement(name), _columns(columns, rows))


@contextmanager
def log_transaction(connection: psycopg.Connection, wanted: Wanted) -> Iterator[LogTransaction]:
    """Hold the log's counter until the block ends: then all of it is committed, or nothing."""
    try:
        log = LogTransaction(connection, wanted)
        yield log
        log.commit()
    except BaseException:
        with suppress(psycopg.Error):  # where the connection is gone, so is the transaction
            connection.rollback()
        raise


def _rows(cursor: psycopg.Cursor[TupleRow] | None) -> Sequence[TupleRow]:
    return () if cursor is None else cursor.fetchall()


_PIPELINED_BYTES = 32 * 2**10
_LEDGER_KEY = ("tenants", "thread_ids", "kinds", "ids")
_PLACE_KEY = ("tenants", "thread_ids", "message_ids")
_EVENT_COLUMNS = (
    "event_tenants",
    "event_threads",
    "versions",
    "positions",
    "types",
    "message_ids",
    "bodies",
    "body_digests",
    "chains",
    "metadata",
)
_HEAD_COLUMNS = (
    "head_tenants",
    "head_threads",
    "head_versions",
    "head_positions",
    "head_chains",
    "policies",
    "statuses",
    "anomalies",
    "parents",
    "goals",
    "facts",
)
_LEDGER_COLUMNS = ("ledger_tenants", "ledger_threads", "kinds", "ids", "asked", "answered")


def _event_row(event: NewEvent) -> tuple[object, ...]:
    return (
        event.tenant,
        event.thread_id,
        event.version,
        event.position,
        event.type,
        event.message_id,
        event.body,
        event.body_digest,
        event.chain,
        event.metadata,
    )


def _head_row(head: Head) -> tuple[object, ...]:
    facts = head.read_facts()
    goal = facts.get("goal")
    return (
        head.tenant,
        head.thread_id,
        head.version,
        head.position,
        head.chain,
        head.policy,
        head.status,
        head.anomalies,
        facts.get("parent"),
        goal.replace("\x00", "\ufffd") if isinstance(goal, str) else None,
        head.facts,
    )


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Return one array a column."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def _id_digest(key: Key) -> bytes:
    return sha256(key.id.encode()).digest()
