"""Options of a report: breakdown, time range, filters, order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from agentlog.domain.errors import InvalidInput
from agentlog.infrastructure.reports.report import METADATA, TIMES, Report
from agentlog.infrastructure.reports.sources import Clock
from agentlog.projections.filters.expression import ALL, Expression, terms_in

MOST_ROWS = 10_000
"""Most rows in one answer."""

MOST_BREAKDOWNS = 4
"""Most breakdowns in one question."""


class InvalidQuestion(InvalidInput):
    """The report cannot be asked that."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to any report; `check` tells whether a report supports it.

    `by` is None for the report's own breakdown, empty for one row over everything. `begin` is
    inclusive, `end` exclusive; `clock` names the time that they limit. `zone` is where its days and
    hours begin, as the database of time zones names it. `where` is a filter in the terms of the
    report. `order` is a column, with a minus for the largest first.
    """

    by: Sequence[str] | None = None
    begin: datetime | None = None
    end: datetime | None = None
    where: Expression = ALL
    clock: Clock = "recorded"
    zone: str = "UTC"
    order: str | None = None
    limit: int | None = None

    def breakdown(self, report: Report) -> Sequence[str]:
        """Return the breakdown of the report."""
        return (report.by or ()) if self.by is None else self.by

    def names(self, report: Report) -> set[str]:
        """Return the columns and terms that it is about."""
        return {*self.breakdown(report), *(term.name for term in terms_in(self.where))}

    def check(self, report: Report) -> None:
        """Raise `InvalidQuestion` if a report does not support this; it names what it supports."""
        self._check_breakdown(report)
        if self.clock not in report.source.clocks:
            _one_of(report, "clock", self.clock, report.source.clocks)
        if self.order is not None:
            columns = [column.name for column in report.columns]
            _one_of(report, "order", self.order.removeprefix("-"), columns)
        if self.limit is not None and not 1 <= self.limit <= MOST_ROWS:
            raise InvalidQuestion(f"limit: from 1 to {MOST_ROWS}")
        if self.begin is not None and self.end is not None and self.begin >= self.end:
            raise InvalidQuestion("from: must be before to, which does not count in any more")

    def _check_breakdown(self, report: Report) -> None:
        by = self.breakdown(report)
        if report.by is None and self.by is not None:
            raise InvalidQuestion(
                f"by: report {report.name} lists single rows and is not broken down; leave it out"
            )
        for name in by:
            if not (name.startswith(METADATA) and name != METADATA):
                _one_of(report, "by", name, [*report.breakdowns, f"{METADATA}KEY"])
        if len(set(by)) < len(by):
            raise InvalidQuestion("by: the same twice; name each once")
        if len(by) > MOST_BREAKDOWNS:
            raise InvalidQuestion(f"by: at most {MOST_BREAKDOWNS} at once")


def is_time(name: str) -> bool:
    """Return whether a breakdown is by time."""
    return name in TIMES


def _one_of(report: Report, what: str, given: str, known: Iterable[str]) -> None:
    names = list(known)
    if given not in names:
        raise InvalidQuestion(
            f"{what}: report {report.name} has no {given[:64]!r}; it has {', '.join(names)}"
        )
