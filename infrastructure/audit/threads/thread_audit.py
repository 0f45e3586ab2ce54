"""Recomputes a thread from its stored events, and compares it with what is stored.

A fork is compared with its origin too: what it copied follows from its first fact.
"""

from collections.abc import Iterator
from typing import NamedTuple

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import ForkedFrom, ThreadForked
from agentlog.domain.integrity.chain_audit import ChainPlace, Finding, check_names, check_record
from agentlog.domain.integrity.redaction_audit import Redactions, redaction_in
from agentlog.domain.json.text import parse_stored
from agentlog.infrastructure.audit.findings import Audit, Findings
from agentlog.infrastructure.audit.records import (
    EVERYWHERE,
    LOWEST,
    PAGE_EVENTS,
    StoredEvent,
    log_snapshot,
    stored_events,
)
from agentlog.infrastructure.audit.threads.heads import ReplayedHead, StoredHead
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement


def audit_thread(
    database: Connections, tenant: str, thread_id: str, *, positions: range = EVERYWHERE
) -> Audit:
    """Check a thread from its first event to its head, on one snapshot.

    Checks its contents, its chain, its redactions, its head and its ledger. Of its events those
    at `positions` are counted.
    """
    findings, chain_end = Findings(), ChainPlace()
    findings.add(check_names(tenant, thread_id))
    with log_snapshot(database) as cursor:
        stored = StoredHead.read(cursor, tenant, thread_id)
        redactions = _redactions(cursor, tenant, thread_id, findings)
        head = ReplayedHead(thread_id)
        fork = ForkAudit(cursor, tenant, thread_id)
        for event in stored_events(cursor, tenant, thread_id):
            record = event.record(tenant, thread_id)
            findings.add(check_record(chain_end, record))
            findings.add(redactions.check(record))
            findings.add(fork.check(event))
            head.take(event)
            chain_end = record.place
            findings.rows["events"] += event.position in positions
        findings.add(fork.findings())
    findings.rows["threads"] = int(stored.values is not None)
    findings.rows["ledger"] = len(stored.ledger)
    findings.add(redactions.findings())
    findings.add(head.findings(stored, sound=findings.verdict != "broken"))
    return findings.audit()


def _redactions(
    cursor: psycopg.Cursor[TupleRow], tenant: str, thread_id: str, findings: Findings
) -> Redactions:
    """Return a thread's redactions; each has a row that says whether it was carried out."""
    parameters = {"tenant": tenant, "thread_id": thread_id}
    rows = cursor.execute(statement("select_redactions"), parameters).fetchall()
    facts, pending = {}, set()
    for version, body, has_row, is_same, is_pending in rows:
        findings.rows["erasures"] += has_row
        fact = None if body is None else redaction_in(body)
        if fact is not None:
            facts[version] = fact
        if not is_same:
            detail = "agentlog.erasures and the events do not have the same redaction here"
            findings.add([Finding("erasure-differs", detail, thread_id, version)])
        if is_pending:
            pending.add(version)
            detail = (
                "the redaction is not carried out yet: a service does so at its start and "
                "before the next redaction; verify again after that"
            )
            findings.add([Finding("redaction-unfinished", detail, thread_id, version)])
    return Redactions(thread_id, facts, pending=pending)


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
