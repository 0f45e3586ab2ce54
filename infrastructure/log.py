"""One transaction on the log: lock, look, number, append, move.

READ COMMITTED, and the counter row locked from the first statement to the commit: whoever numbers
events next has seen them all, positions follow the order of commits, and a reader that asks for
`position > cursor` misses nothing. Each step is a statement of its own after the lock, because a
statement sees what was committed when it began, not when its lock was granted.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.rows import class_row

from domain.chain import digest, link
from domain.threads import Entry, Key
from infrastructure.heads import Head
from infrastructure.sql import statement

ThreadKey = tuple[str, str]
"""Tenant and thread id."""


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


class LogTransaction:
    """The log while we hold it; made by `log_transaction`."""

    def __init__(self, connection: psycopg.Connection, ticket: Ticket) -> None:
        self._connection = connection
        self.ticket = ticket

    def heads(self, keys: Sequence[ThreadKey]) -> dict[ThreadKey, Head]:
        """Return the heads of these threads; a thread without one is new."""
        with self._connection.cursor(binary=True, row_factory=class_row(Head)) as cursor:
            cursor.execute(statement("select_heads"), _columns(("tenants", "thread_ids"), keys))
            found = {(head.tenant, head.thread_id): head for head in cursor}
        return {key: found.get(key) or Head(*key) for key in keys}

    def ledger(self, keys: Sequence[tuple[ThreadKey, Key]]) -> dict[ThreadKey, dict[Key, Entry]]:
        """Return the ledger entries of these threads' keys, as far as there are any."""
        if not keys:
            return {}
        by_digest = {(*thread, key.kind, _id_digest(key)): key for thread, key in keys}
        names = ("tenants", "thread_ids", "kinds", "ids")
        with self._connection.cursor(binary=True) as cursor:
            cursor.execute(statement("select_ledger"), _columns(names, list(by_digest)))
            entries: dict[ThreadKey, dict[Key, Entry]] = {}
            for tenant, thread_id, kind, id_digest, asked, answered in cursor:
                key = by_digest[tenant, thread_id, kind, id_digest]
                entries.setdefault((tenant, thread_id), {})[key] = Entry(asked, answered)
        return entries

    def places(self, ids: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str, str], Place]:
        """Return where these (tenant, thread, message id) stand already."""
        if not ids:
            return {}
        names = ("tenants", "thread_ids", "message_ids")
        with self._connection.cursor(binary=True) as cursor:
            cursor.execute(statement("select_places"), _columns(names, ids))
            return {(row[0], row[1], row[2]): Place(*row[3:]) for row in cursor}

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
        """Write events, and move heads, ledger and counter with them."""
        notes = [
            (*thread, key.kind, _id_digest(key), entry.asked, entry.answered)
            for thread, entries in ledger.items()
            for key, entry in entries.items()
        ]
        self._connection.execute(
            statement("append"),
            {
                "recorded_at": self.ticket.recorded_at,
                "position": events[-1].position,
                **_columns(_EVENT_COLUMNS, [_event_row(event) for event in events]),
                **_columns(_HEAD_COLUMNS, [_head_row(head) for head in heads]),
                **_columns(_LEDGER_COLUMNS, notes),
            },
        )


@contextmanager
def log_transaction(connection: psycopg.Connection) -> Iterator[LogTransaction]:
    """Hold the log's counter until the block ends: then all of it is committed, or nothing."""
    with connection.transaction():
        row = connection.execute(statement("lock_counter")).fetchone()
        if row is None:
            raise RuntimeError("agentlog.counter has lost its row: restore it from a backup")
        yield LogTransaction(connection, Ticket(*row))


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
