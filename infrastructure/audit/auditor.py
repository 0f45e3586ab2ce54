"""Recomputes chains and the tree from stored events, and compares them with the stored ones."""

from collections import Counter
from collections.abc import Iterator, Sequence

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.errors import UnknownThread
from agentlog.domain.integrity.chain_audit import (
    ChainPlace,
    Finding,
    check_names,
    check_record,
)
from agentlog.domain.integrity.redaction_audit import Redactions, redaction_in
from agentlog.infrastructure.audit.accounts import rows_of, unaccounted
from agentlog.infrastructure.audit.findings import Audit, Findings
from agentlog.infrastructure.audit.fork_audit import ForkAudit
from agentlog.infrastructure.audit.heads import ReplayedHead, StoredHead
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey
from agentlog.infrastructure.audit.records import log_snapshot, stored_events
from agentlog.infrastructure.audit.tree_audit import audit_tree
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

_PAGE_THREADS = 1000


class Auditor:
    """Checks one tenant's log; it trusts nothing that the database computes."""

    def __init__(self, database: Connections, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def thread(self, thread_id: str) -> Audit:
        """Check a thread from its first event to its head; raises `UnknownThread`.

        Checks its contents, its chain, its redactions, its head and its ledger.
        """
        audit = self._thread(thread_id)
        if not any(audit.rows.values()):
            raise UnknownThread(thread_id)
        return audit

    def log(
        self, held: Sequence[Checkpoint] = (), *, public_key: VerifierKey | None = None
    ) -> Iterator[tuple[str | None, Audit]]:
        """Check the whole log: yield the audit of each thread by its id, then that of the log.

        The last, of None, is of the tree, as `tree` checks it, and the account: every row of the
        tenant was visited with its thread, and every event with the tree.
        """
        before, visited = rows_of(self._database, self._tenant), Counter[str]()
        for thread_id in self._thread_ids():
            audit = self._thread(thread_id)
            visited.update(audit.rows)
            yield thread_id, audit
        tree = self.tree(held, public_key=public_key)
        findings = Findings(Counter(tree.rows), list(tree.findings), tree.count, tree.verdict)
        after = rows_of(self._database, self._tenant)
        findings.add(unaccounted(before, visited, after))
        findings.add(unaccounted(before, {**visited, **tree.rows}, after))
        yield None, findings.audit()

    def tree(
        self, held: Sequence[Checkpoint] = (), *, public_key: VerifierKey | None = None
    ) -> Audit:
        """Check the log against its stored checkpoints and `held` ones, as `audit_tree` does."""
        with log_snapshot(self._database) as cursor:
            return audit_tree(cursor, self._tenant, held, public_key=public_key)

    def _thread_ids(self) -> Iterator[str]:
        """Yield the id of each thread that any row of the log is of."""
        first = ""
        while True:
            asked = {"tenant": self._tenant, "first": first, "limit": _PAGE_THREADS}
            with self._database.connection() as connection:
                rows = connection.execute(statement("select_audited_threads"), asked).fetchall()
            for (thread_id,) in rows:
                yield thread_id
            if len(rows) < _PAGE_THREADS:
                return
            first = rows[-1][0] + "\x01"  # the next text by code point: none has NUL

    def _thread(self, thread_id: str) -> Audit:
        findings, place = Findings(), ChainPlace()
        findings.add(check_names(self._tenant, thread_id))
        with log_snapshot(self._database) as cursor:
            stored = StoredHead.read(cursor, self._tenant, thread_id)
            redactions = self._redactions(cursor, thread_id, findings)
            head = ReplayedHead(thread_id)
            fork = ForkAudit(cursor, self._tenant, thread_id)
            for event in stored_events(cursor, self._tenant, thread_id):
                record = event.record(self._tenant, thread_id)
                findings.add(check_record(place, record))
                findings.add(redactions.check(record))
                findings.add(fork.check(event))
                head.take(event)
                place = record.place
                findings.rows["events"] += 1
            findings.add(fork.findings())
        findings.rows["threads"] = int(stored.values is not None)
        findings.rows["ledger"] = len(stored.ledger)
        findings.add(redactions.findings())
        findings.add(head.findings(stored, sound=findings.verdict != "broken"))
        return findings.audit()

    def _redactions(
        self, cursor: psycopg.Cursor[TupleRow], thread_id: str, findings: Findings
    ) -> Redactions:
        """Return a thread's redactions; each has a row that says whether it was carried out."""
        asked = {"tenant": self._tenant, "thread_id": thread_id}
        rows = cursor.execute(statement("select_redactions"), asked).fetchall()
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
