"""Recomputes a thread's head and ledger from its events, and compares them with the stored ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import TupleRow

from agentlog.domain.catalogue import is_activity, read_stored
from agentlog.domain.errors import InvalidJson
from agentlog.domain.facts import Fact
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.json.text import parse, parse_stored, print_bytes
from agentlog.domain.messages import Message
from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.audit.records import StoredEvent
from agentlog.infrastructure.eventlog.thread_heads import (
    Head,
    ledger_digest,
    replayed,
    searchable,
)
from agentlog.infrastructure.postgres.statements import statement


@dataclass(frozen=True, slots=True)
class StoredHead:
    """A stored head, None where there is none, and ledger.

    Times that Python cannot represent are None.
    """

    values: dict[str, Any] | None
    ledger: dict[tuple[str, bytes], LedgerEntry]

    @classmethod
    def read(cls, cursor: psycopg.Cursor[TupleRow], tenant: str, thread_id: str) -> "StoredHead":
        """Return those of a thread."""
        parameters = {"tenant": tenant, "thread_id": thread_id}
        row = cursor.execute(statement("select_audited_head"), parameters).fetchone()
        entries = cursor.execute(statement("select_audited_ledger"), parameters).fetchall()
        return cls(
            None if row is None else dict(zip(_COLUMNS, row, strict=True)),
            {(kind, bytes(digest)): LedgerEntry(*places) for kind, digest, *places in entries},
        )


_COLUMNS = (
    "version",
    "position",
    "chain",
    "policy",
    "status",
    "anomalies",
    "parent",
    "goal",
    "facts",
    "hidden",
    "started_at",
    "updated_at",
    "origin",
)


class ReplayedHead:
    """A thread's head and ledger, recomputed event by event."""

    def __init__(self, thread_id: str) -> None:
        self._head = Head("", thread_id)
        self._ledger: dict[LedgerKey, LedgerEntry] = {}
        self._started_at: datetime | None = None
        self._updated_at: datetime | None = None

    def take(self, event: StoredEvent) -> None:
        """Apply the next event, in the form that readers get."""
        if not self._head.position:
            self._started_at = event.recorded_at
        if is_activity(event.type, event.version):
            self._updated_at = event.recorded_at
        message = _message(event)
        if message is not None:
            self._head, noted = replayed(
                self._head, self._ledger, event.version, message, event.body
            )
            self._ledger.update(noted)
        self._head = self._head._replace(
            version=event.version, position=event.position, chain=event.chain
        )

    def findings(self, stored: StoredHead, *, sound: bool) -> list[Finding]:
        """Return the differences from the stored head and ledger.

        If the events are not `sound`, only the version and position of the last one are compared:
        the rest would be computed from other events than were chained.
        """
        thread_id, last = self._head.thread_id, self._head.version
        if stored.values is None and last:
            detail = "the thread has events but no head"
            return [Finding("head-missing", detail, thread_id)]
        findings: list[Finding] = []
        if stored.values is not None:
            should = self._last_place()
            sound = sound and all(stored.values[name] == value for name, value in should.items())
            if sound:
                should = self._values()
            names = [n for n, value in should.items() if not _same(n, value, stored.values[n])]
            if names:
                detail = (
                    f"the head has another {', '.join(names)} than the events come to; they end "
                    f"with version {last} at position {self._head.position}"
                )
                findings.append(Finding("head-differs", detail, thread_id, last))
        ledger = {(key.kind, ledger_digest(key)): entry for key, entry in self._ledger.items()}
        if sound and ledger != stored.ledger:
            count = len(ledger.items() ^ stored.ledger.items())
            detail = f"{count} entries of the ledger are not what the events come to"
            findings.append(Finding("ledger-differs", detail, thread_id, last))
        return findings

    def _last_place(self) -> dict[str, Any]:
        head = self._head
        return {"version": head.version, "position": head.position, "chain": head.chain}

    def _values(self) -> dict[str, Any]:
        head = self._head
        return {
            **self._last_place(),
            "policy": head.policy,
            "status": head.status,
            "anomalies": head.anomalies,
            "parent": head.parent,
            "goal": searchable(head.goal),
            "facts": head.facts,
            "hidden": head.hidden,
            "started_at": self._started_at,
            "updated_at": self._updated_at,
            "origin": head.origin,
        }


def _message(event: StoredEvent) -> Message | Fact | None:
    try:
        return read_stored(event.type, parse_stored(event.body))
    except ValueError:
        return None


def _same(name: str, ours: object, theirs: object) -> bool:
    if name == "facts" and isinstance(ours, bytes) and isinstance(theirs, bytes) and ours != theirs:
        try:  # in another order of keys; parsed, `true` would be 1
            ours, theirs = (print_bytes(parse(text), sort_keys=True) for text in (ours, theirs))
        except InvalidJson:
            return False
    return bool(ours == theirs)
