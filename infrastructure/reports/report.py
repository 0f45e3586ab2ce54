"""Definition of a report, as it stands at the head of its figures, and its statement."""

import re
import tomllib
from collections.abc import Mapping, Sequence
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

_FRAME = ("derived", "link", "top", "where")
_LINKS: Mapping[str, Fragment] = {
    # from call to answer, at most a page
    "messages": "'/v1/threads/' || thread || '/messages?after=' || version - 1 || '&limit=' "
    "|| least(1000, coalesce(answered_version - version, 0) + 1)",
    "outline": "'/v1/threads/' || thread || '/outline'",
    "anomalies": "'/v1/threads/' || worst_thread || '/views/anomalies'",
}
_PERCENTS = ("50", "95", "99")
_PERCENTILES: Fragment = "percentile_cont(ARRAY[0.5, 0.95, 0.99])"
_ROWS_WITH_TOP: Fragment = """(
    SELECT *, row_number() OVER ({window} ORDER BY TOP) = 1 AS is_top
    FROM (SELECT {breakdowns} item.* FROM {items}) AS item
) AS item"""
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
        return {name: TERMS[name] for name in (*self.filters, METADATA_TERM)}


def read_report(name: str, texts: Mapping[str, str]) -> Report:
    """Return a report of some files by name: a comment with its head, then its figures.

    In the head a column is its name, its unit or "", and a comment.
    """
    head, figures = _parts(name, texts)
    columns = [ReportColumn(title, unit or None, *rest) for title, unit, *rest in head["columns"]]
    by = tuple(head["by"]) if "by" in head else None
    source = SOURCES[head["source"]]
    frame = {part: head.pop(part, None) for part in _FRAME}
    statement = _statement(figures, columns, {**frame, "by": by})
    own = {"source": source, "columns": tuple(columns), "by": by, "statement": statement}
    return Report(name, **{**head, **own})


def _parts(name: str, texts: Mapping[str, str]) -> tuple[dict[str, Any], LiteralString]:
    """Return the values of a head and the figures, with those of the report that it is `like`."""
    parts = _FILE.fullmatch(texts[name])
    if parts is None:
        raise ValueError(f"{name}.sql: begin with a comment that says what the report is")
    values = tomllib.loads(parts[1])
    # files of this package: as trusted as the code
    figures: LiteralString = parts[2]
    if "like" in values:
        like, figures = _parts(values.pop("like"), texts)
        values = {**like, **values}
    return values, figures


def _statement(
    figures: LiteralString, columns: Sequence[ReportColumn], frame: Mapping[str, Any]
) -> LiteralString:
    """Return the statement that selects columns from figures over rows `item`; see `catalogue`."""
    derived = {"link": _LINKS.get(frame["link"]), **(frame["derived"] or {})}
    selected: list[LiteralString] = []
    for column in columns:
        name: LiteralString = column.name
        base, _, percent = name.rpartition("_p")
        if percent in _PERCENTS:
            selected.append(f"{base}[{_PERCENTS.index(percent) + 1}] AS {name}")
            if percent == _PERCENTS[0]:
                figures += f", {_PERCENTILES} WITHIN GROUP (ORDER BY item.{base}_ms) AS {base}"
        elif column.unit == "USD":
            selected.append(f"trim_scale(round({name}::numeric, 9)) AS {name}")
        else:
            selected.append(f"{derived[name]} AS {name}" if name in derived else name)
    if frame["by"] is None:
        inner: LiteralString = f"{figures} FROM {{items}}"
    elif frame["top"] is None:
        inner = f"{{breakdowns}} {figures} FROM {{items}} GROUP BY {{places}}"
    else:
        rows = _ROWS_WITH_TOP.replace("TOP", frame["top"])
        inner = f"{{names}} {figures} FROM {rows} GROUP BY {{places}}"
    where = frame["where"] or "true"
    texts = [
        "SELECT {names}",
        ", ".join(selected),
        "FROM (SELECT",
        inner,
        ") AS found WHERE",
        where,
    ]
    return " ".join(texts)
