"""What an audit found, in bounded memory, and how many rows it visited."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of, worst

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
