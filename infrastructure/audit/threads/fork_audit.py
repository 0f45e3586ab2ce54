"""Compares a fork with its origin: what it copied follows from its first fact."""

from collections.abc import Iterator
from typing import NamedTuple

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import ForkedFrom, ThreadForked
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.json.text import parse_stored
from agentlog.infrastructure.audit.records import LOWEST, PAGE_EVENTS, StoredEvent
from agentlog.infrastructure.postgres.statements import statement


class _Copied(NamedTuple):
    """A message of the origin, with the digests by which it was chained."""

    version: int
    type: str
    message_id: str
    body_digest: bytes
    left: bytes | None
    metadata_digest: bytes


class ForkAudit:
    """A thread's events beside those of its origin, one by one.

    Digests are compared, so that contents may be erased in either thread. In a thread that is no
    fork, no event has an origin.
    """

    def __init__(self, cursor: psycopg.Cursor[TupleRow], tenant: str, thread_id: str) -> None:
        self._cursor = cursor
        self._tenant = tenant
        self._thread_id = thread_id
        self._expected: Iterator[_Copied | int] = iter(())

    def check(self, event: StoredEvent) -> list[Finding]:
        """Add the thread's next event, and return its findings."""
        if event.version == 1 and (origin := _origin_in(event)) is not None:
            self._expected = self._layout(origin)
            return [*self._check_link(origin), *self._compare(event, None)]
        if event.type.startswith("thread."):
            return self._compare(event, None)
        return self._compare(event, next(self._expected, None))

    def findings(self) -> list[Finding]:
        """Return the finding for messages that were not copied, after the last event."""
        if next(self._expected, None) is None:
            return []
        return [self._finding("it lacks messages of its origin", 1)]

    def _compare(self, event: StoredEvent, expected: _Copied | int | None) -> list[Finding]:
        if isinstance(expected, _Copied):
            same = expected == _Copied(
                event.origin_version or 0,
                event.type,
                event.message_id,
                event.body_digest,
                event.left,
                event.metadata_digest,
            )
            detail = f"it is not version {expected.version} of the origin, which it was copied from"
        else:
            same = event.origin_version == expected
            detail = f"it states version {event.origin_version} of an origin, not {expected}"
        return [] if same else [self._finding(detail, event.version)]

    def _check_link(self, origin: ForkedFrom) -> list[Finding]:
        parameters = {"tenant": self._tenant, "thread_id": origin.thread, "version": origin.version}
        row = self._cursor.execute(statement("select_chain"), parameters).fetchone()
        if row is not None and bytes(row[0]).hex() == origin.link:
            return []
        return [self._finding(f"thread {origin.thread!r} has another link at its version", 1)]

    def _layout(self, origin: ForkedFrom) -> Iterator[_Copied | int]:
        """Yield what each message has to be: a copy, or one put in at a version of the origin."""
        last: list[_Copied] = []

        def versions() -> Iterator[int]:
            for copied in self._originals(origin):
                last[:] = [copied]
                yield copied.version

        for version, index in origin.layout(versions()):
            yield last[0] if index is None else version

    def _originals(self, origin: ForkedFrom) -> Iterator[_Copied]:
        after = LOWEST
        while True:
            parameters = {
                "tenant": self._tenant,
                "thread_id": origin.thread,
                "after": after,
                "upto": origin.version,
                "limit": PAGE_EVENTS,
            }
            rows = self._cursor.execute(statement("select_fork_origin"), parameters).fetchall()
            yield from (_Copied(*row) for row in rows)
            if len(rows) < PAGE_EVENTS:
                return
            after = rows[-1][0]

    def _finding(self, detail: str, version: int) -> Finding:
        return Finding("fork-differs", detail, self._thread_id, version)


def _origin_in(event: StoredEvent) -> ForkedFrom | None:
    try:
        raw = parse_stored(event.body)
    except ValueError:
        return None
    fact = read_stored(event.type, raw) if isinstance(raw, dict) else None
    return fact.forked_from if isinstance(fact, ThreadForked) else None
