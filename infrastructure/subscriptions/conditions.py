"""What an event may mean beside its type: conditions, which subscriptions name among types.

approval_waiting  an approval was asked for, and nobody had answered when it was read
run_failed        an agent exited by an error
audit_broken      an audit found that the record was changed; it is no event of the log

What is no event of the log is a notice.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from agentlog.domain.events import Event
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.json.text import print_bytes
from agentlog.domain.messages import ApprovalRequestMessage, ExitMessage
from agentlog.domain.threads import LedgerKey
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ledger_digest
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.watcher import warn
from agentlog.infrastructure.postgres.queries import fetch, run

AUDIT_BROKEN = "audit_broken"
CONDITIONS: Mapping[str, str | None] = {
    "approval_waiting": "approval_request",
    "run_failed": "exit",
    AUDIT_BROKEN: None,
}
"""By name, the type of events that may meet it."""


def event_types(types: Sequence[str] | None) -> list[str] | None:
    """Return the types of events to read for some types and conditions, None for all."""
    if types is None:
        return None
    meant = (CONDITIONS.get(name, name) for name in types)
    return [name for name in meant if name is not None]


class Conditions:
    """Tells which conditions events of a tenant meet."""

    def __init__(self, database: Database, reader: LogReader, *, tenant: str) -> None:
        self._database, self._reader, self._tenant = database, reader, tenant

    def met(self, positions: Sequence[int]) -> dict[int, str]:
        """Return the condition that each event meets, by position; others are left out."""
        if not positions:
            return {}
        events = self._reader.events_at(positions)
        failed = {
            event.position: "run_failed"
            for event in events
            if isinstance(event.message, ExitMessage) and event.message.reason == "error"
        }
        requests = [
            (event, event.message.call_id)
            for event in events
            if isinstance(event.message, ApprovalRequestMessage)
        ]
        waiting = dict.fromkeys(self._open_requests(requests), "approval_waiting")
        return {position or 0: name for position, name in (failed | waiting).items()}

    def _open_requests(self, requests: Sequence[tuple[Event, str]]) -> list[int | None]:
        """Return the positions of requests that nobody has answered."""
        if not requests:
            return []
        arrays = {
            "positions": [event.position for event, _ in requests],
            "thread_ids": [event.thread_id for event, _ in requests],
            "ids": [ledger_digest(LedgerKey("approval", call_id)) for _, call_id in requests],
        }
        unanswered = fetch(self._database, "select_unanswered", tenant=self._tenant, **arrays)
        return [position for (position,) in unanswered]


_MOST_FINDINGS = 10


def note_audit(database: Database, findings: Sequence[Finding], *, tenant: str) -> None:
    """Have the findings that break the record delivered to a tenant's subscriptions.

    Where the database takes no writes, as on a standby, a line in the log says so.
    """
    broken = [finding for finding in findings if finding.breaks]
    if not broken:
        return
    notice = {
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "count": len(broken),
        "findings": [
            {
                "what": finding.what,
                "detail": finding.detail,
                "threadId": finding.thread_id,
                "version": finding.version,
            }
            for finding in broken[:_MOST_FINDINGS]
        ],
    }
    delivery = {"type": AUDIT_BROKEN, "notice": print_bytes(notice)}
    try:
        run(database, "insert_notices", tenant=tenant, **delivery)
    except DatabaseUnavailable as error:
        warn("subscriptions are not told of what an audit found", error)
