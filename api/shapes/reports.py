"""Answers of reports as JSON and CSV, for HTTP and the command line."""

import csv
from collections.abc import Sequence
from io import StringIO
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from agentlog.domain.json.answers import time_text
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.reports.report import METADATA, Report, ReportColumn
from agentlog.infrastructure.reports.reports import ReportResult
from agentlog.infrastructure.reports.threads_of_rows import ThreadsOfRows

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that a spreadsheet would compute (OWASP: CSV injection)."""


class ReportTerms(TypedDict):
    """A report: what it says, by what, and narrowed by what."""

    name: str
    title: str
    comment: str
    projection: str | None
    by: list[str]
    breakdowns: list[str]
    filters: list[str]
    clocks: list[str]
    columns: Sequence[ReportColumn]


_EXAMPLE: JsonValue = {
    "report": "tools",
    "by": ["tool"],
    "asOf": 345,
    "from": "2026-01-05T00:00:00.000000Z",
    "to": None,
    "columns": [
        {"name": "tool", "unit": None, "comment": "name of the tool"},
        {"name": "calls", "unit": "calls", "comment": "calls of the tool"},
        {"name": "error_rate", "unit": "share", "comment": "failed of stated"},
    ],
    "rows": [{"tool": "track", "calls": 12, "error_rate": 0.25}],
    "truncated": False,
    "untimed": 0,
    "threads": {
        "begin": "SELECT item.thread_id, count(*) AS rows\nFROM tool_calls AS item",
        "where": ["item.recorded_at >= '2026-01-05 00:00:00+00'::timestamptz"],
        "by": {"tool": "item.tool"},
        "end": "GROUP BY item.thread_id",
    },
}
_Span = TypedDict("_Span", {"from": str | None, "to": str | None})


@with_config(json_schema_extra={"examples": [_EXAMPLE]})
class ReportAnswer(_Span):
    """Rows by the names of the columns; what was not measured is null.

    `asOf`: the position in the log up to which it counts. `truncated`: there are more rows.
    `untimed`: how many of what it counts have no time by its clock, so no day, and are in no range.
    `threads`: the SQL for analysts that lists the threads of a row; null where there is none.
    """

    report: str
    by: list[str]
    asOf: int  # noqa: N815
    columns: Sequence[ReportColumn]
    rows: list[dict[str, Any]]
    truncated: bool
    untimed: int
    threads: ThreadsOfRows | None


def terms_json(report: Report) -> ReportTerms:
    """Return what a report can be asked."""
    return {
        "name": report.name,
        "title": report.title,
        "comment": report.comment,
        "projection": report.model,
        "by": list(report.by or ()),
        "breakdowns": [*report.breakdowns, f"{METADATA}KEY"] if report.by is not None else [],
        "filters": [*report.filters, f"{METADATA}KEY"],
        "clocks": list(report.source.clocks),
        "columns": report.columns,
    }


def report_json(answer: ReportResult) -> ReportAnswer:
    """Return an answer as JSON, one object per row."""
    names = [column.name for column in answer.columns]
    return {
        "report": answer.report.name,
        "by": list(answer.by),
        "asOf": answer.as_of,
        "from": time_text(answer.question.begin),
        "to": time_text(answer.question.end),
        "columns": answer.columns,
        "rows": [dict(zip(names, row, strict=True)) for row in answer.rows],
        "truncated": answer.truncated,
        "untimed": answer.untimed,
        "threads": answer.threads,
    }


def report_csv(answer: ReportResult) -> str:
    """Return an answer as CSV (RFC 4180), column names first; null is an empty cell.

    A text that a spreadsheet would read as a formula gets an apostrophe before it: names of tools
    and threads may come from others.
    """
    output = StringIO(newline="")
    writer = csv.writer(output)
    writer.writerow([_cell(column.name) for column in answer.columns])
    writer.writerows([_cell(value) for value in row] for row in answer.rows)
    return output.getvalue()


def _cell(value: JsonValue) -> str:
    match value:
        case None:
            return ""
        case str(text):
            return f"'{text}" if text.startswith(_STARTS_FORMULA) else text
        case _:
            return print_text(value)
