"""What an audit found, in bounded memory, and how many rows it visited."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentlog.domain.integrity.chain_audit import Finding, broken

MOST_FINDINGS = 1000
"""Most findings of one thread or tree that are kept; more are counted."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of a check: `count` findings were made, and `rows` were visited, by table."""

    rows: Mapping[str, int]
    findings: Sequence[Finding]
    count: int

    @property
    def events(self) -> int:
        """How many events were visited."""
        return self.rows.get("events", 0)

    @property
    def whole(self) -> bool:
        """Whether nothing is broken; an erased content does not count as broken."""
        return not broken(self.findings)


@dataclass(slots=True)
class Findings:
    """Findings and visited rows of a check under way."""

    rows: Counter[str] = field(default_factory=Counter)
    kept: list[Finding] = field(default_factory=list)
    count: int = 0

    def add(self, findings: Sequence[Finding]) -> None:
        """Add findings, and keep them while they are not too many."""
        self.count += len(findings)
        for finding in findings:
            # broken findings are kept before erased contents
            if len(self.kept) < MOST_FINDINGS or (finding.breaks and not broken(self.kept)):
                self.kept.append(finding)

    def audit(self) -> Audit:
        """Return the result."""
        return Audit(self.rows, tuple(self.kept), self.count)
