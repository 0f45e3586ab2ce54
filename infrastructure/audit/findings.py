"""What an audit found, in bounded memory, and how many rows it visited, of those there are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of, worst
from agentlog.infrastructure.audit.moves import check_counts, check_moves, moves_of
from agentlog.infrastructure.audit.notes import VerifierKey
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement

MOST_FINDINGS = 1000
"""Most findings of one thread or tree that are kept; more are counted."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The findings of a check, and its verdict."""

    findings: Sequence[Finding]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of the findings."""
        return verdict_of(self.findings)

    @property
    def whole(self) -> bool:
        """Whether the check passes; an erased content does not count against it."""
        return self.verdict == "whole"


@dataclass(frozen=True, slots=True)
class Audit(CheckResult):
    """The result of a check: `count` findings were made, and `rows` were visited, by table."""

    rows: Mapping[str, int]
    count: int

    @property
    def events(self) -> int:
        """How many events were visited."""
        return self.rows.get("events", 0)


@dataclass(slots=True)
class Findings:
    """Findings and visited rows of a check under way."""

    rows: Counter[str] = field(default_factory=Counter)
    kept: list[Finding] = field(default_factory=list)
    count: int = 0
    verdict: Verdict = "whole"

    def add(self, findings: Sequence[Finding]) -> None:
        """Add findings, and keep them while they are not too many."""
        self.count += len(findings)
        for finding in findings:
            # one of the worst verdict is always kept
            verdict = worst((self.verdict, finding.verdict))
            if len(self.kept) < MOST_FINDINGS or verdict != self.verdict:
                self.kept.append(finding)
            self.verdict = verdict

    def audit(self) -> Audit:
        """Return the result."""
        return Audit(tuple(self.kept), self.rows, self.count)


def rows_of(database: Connections, tenant: str) -> Counter[str]:
    """Return how many rows a tenant has in each table that comes with the events of its log."""
    return Counter(dict(fetch(database, "count_audited_rows", tenant=tenant)))


def events_at(database: Connections, tenant: str, positions: range) -> int:
    """Return how many events a tenant has at positions."""
    places = {"first": positions.start, "last": positions.stop - 1}
    ((count,),) = fetch(database, "count_events_at", tenant=tenant, **places)
    return int(count)


def unaccounted(
    before: Mapping[str, int],
    visited: Mapping[str, int],
    after: Mapping[str, int],
    *,
    where: str,
) -> list[Finding]:
    """Return the tables of which not every row was visited.

    The events that are counted are the same before and after. Rows of other tables are only ever
    added: those visited are at least those there were before, at most those there are after.
    """
    findings = []
    for table, rows in after.items():
        seen = visited.get(table, 0)
        least = rows if table == "events" else before[table]
        if not least <= seen <= rows:
            detail = f"agentlog.{table} has {rows} rows {where}, the audit visited {seen}"
            findings.append(Finding("rows-unaccounted", detail))
    return findings


@dataclass(frozen=True, slots=True)
class WholeLog:
    """The check of what all tenants share; `events` counts those of each tenant."""

    audit: Audit
    events: Mapping[str, int]


def check_all_tenants(database: Connections, *, public_key: VerifierKey | None = None) -> WholeLog:
    """Check that each position up to the log's belongs to exactly one event, and whose rows are.

    Where tenants moved, their signed record explains positions; the steps of all of them are
    checked by `public_key`, if it is given. `database` has to show the rows of all tenants.
    """
    findings = Findings()
    with database.connection() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        parameters = {"limit": MOST_FINDINGS}
        missing = connection.execute(statement("select_missing_positions"), parameters).fetchall()
        tenants = connection.execute(statement("select_tenants_of_log")).fetchall()
        moves = moves_of(connection)
    findings.add([_missing(*map(int, places)) for places in missing])
    findings.add([*check_moves(moves, public_key)])
    counts = {tenant: events for tenant, events, _ in tenants}
    findings.add([*check_counts(moves, counts)])
    for tenant, events, others in tenants:
        if not tenant and (events or others):
            detail = f"{events + others} rows have no tenant: no append makes them"
            findings.add([Finding("not-appendable", detail)])
        elif not events and others:
            detail = f"{others} rows are of the tenant {tenant!r}, of which there are no events"
            findings.add([Finding("rows-unaccounted", detail)])
    return WholeLog(findings.audit(), {tenant: count for tenant, count in counts.items() if count})


def _missing(first: int, last: int, count: int) -> Finding:
    if count == 1:
        detail = f"no event stands at position {first}"
    elif count > 0:
        detail = f"no events stand at positions {first} to {last}"
    else:
        detail = f"more than one event stands at position {first - 1}, or the log's counter is less"
    return Finding("position-missing", detail)
