"""Recomputes a thread from its stored events, and compares it with what is stored."""

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.integrity.chain_audit import (
    ChainPlace,
    Finding,
    check_names,
    check_record,
)
from agentlog.domain.integrity.redaction_audit import Redactions, redaction_in
from agentlog.infrastructure.audit.findings import Audit, Findings
from agentlog.infrastructure.audit.records import EVERYWHERE, log_snapshot, stored_events
from agentlog.infrastructure.audit.threads.fork_audit import ForkAudit
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
