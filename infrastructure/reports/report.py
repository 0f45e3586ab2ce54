"""Definition of a report, as it stands at the head of its statement."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from agentlog.infrastructure.reports.sources import SOURCES, Fragment, Source
from agentlog.projections.filters.terms import METADATA as METADATA_TERM
from agentlog.projections.filters.terms import TERMS, TermKind

METADATA = "metadata."
"""Prefix of breakdowns and filters by a key of the thread's metadata."""

TIMES: Mapping[str, Fragment] = {
    # the moment where the clock of the zone showed a full hour: it shows some of them twice a year
    "hour": "({at} - ({at} AT TIME ZONE %(zone)s::text "
    "- date_trunc('hour', {at} AT TIME ZONE %(zone)s::text)))",
    "day": "({at} AT TIME ZONE %(zone)s::text)::date",
    "week": "date_trunc('week', {at} AT TIME ZONE %(zone)s::text)::date",
    "month": "date_trunc('month', {at} AT TIME ZONE %(zone)s::text)::date",
}
"""Breakdowns by time in the zone of the question, each by its beginning; weeks begin on Monday."""

OF_THREADS: Mapping[str, Fragment] = {"thread": "item.thread_id", "parent": "thread.parent"}
"""Columns that every report has, beside those by a key of the thread's metadata."""

_FILE = re.compile(r"/\*\n(.*?)\*/\n(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of an answer; `unit` is None for names, `share` for values from 0 to 1.

    `computed` is the column that counts what of a figure is computed: if it is more than 0, the
    figure is shown with a `~`.
    """

    name: str
    unit: str | None
    comment: str
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its question to a source, as `statement`, and the columns of its answer.

    `order` is a column, with a minus for the largest first. `by` is the default breakdown; None if
    it lists single rows and cannot be broken down. `only` is a condition on the rows that count.
    """

    name: str
    title: str
    comment: str
    source: Source
    columns: tuple[ReportColumn, ...]
    order: str
    statement: LiteralString
    by: tuple[str, ...] | None = None
    only: Fragment | None = None
    limit: int = 1000

    @property
    def model(self) -> str | None:
        """Its read model; None if it counts the heads of threads."""
        return self.source.model

    @property
    def breakdowns(self) -> Mapping[str, Fragment]:
        """Its possible breakdowns, except keys of metadata."""
        if self.by is None:
            return {}
        return {**self.source.columns, **self.source.lists, **TIMES, **OF_THREADS}

    @property
    def filters(self) -> Mapping[str, Fragment]:
        """Its possible filters, except time and keys of metadata."""
        return {**self.source.columns, **self.source.lists, **OF_THREADS}

    @property
    def terms(self) -> Mapping[str, TermKind]:
        """The terms of its filter."""
        kinds = {name: TermKind(name, "name", frozenset(), "") for name in self.filters}
        return {**kinds, METADATA_TERM: TERMS[METADATA_TERM]}


def read_report(name: str, texts: Mapping[str, str]) -> Report:
    """Return a report of some files by name: a comment with its head, then its statement.

    In the head a column is its name, its unit or "", and a comment.
    """
    head, statement = _parts(name, texts)
    columns = [ReportColumn(title, unit or None, *rest) for title, unit, *rest in head["columns"]]
    by = tuple(head["by"]) if "by" in head else None
    source = SOURCES[head["source"]]
    own = {"source": source, "columns": tuple(columns), "by": by, "statement": statement}
    return Report(name, **{**head, **own})


def _parts(name: str, texts: Mapping[str, str]) -> tuple[dict[str, Any], LiteralString]:
    """Return the values of a head and a statement, with those of the report that it is `like`."""
    parts = _FILE.fullmatch(texts[name])
    if parts is None:
        raise ValueError(f"{name}.sql: begin with a comment that says what the report is")
    values = tomllib.loads(parts[1])
    # files of this package: as trusted as the code
    statement: LiteralString = parts[2]
    if "like" in values:
        like, statement = _parts(values.pop("like"), texts)
        values = {**like, **values}
    return values, statement
