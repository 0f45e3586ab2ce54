"""Deliveries of what is no event of the log: that an audit found it changed."""

from collections.abc import Sequence
from datetime import UTC, datetime

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.watcher import warn
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.subscriptions.conditions import AUDIT_BROKEN

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
    parameters = {"tenant": tenant, "type": AUDIT_BROKEN, "notice": print_bytes(notice)}
    try:
        with database.connection() as connection:
            connection.execute(statement("insert_notices"), parameters)
    except DatabaseUnavailable as error:
        warn("subscriptions are not told of what an audit found", error)
