"""Runs reports: one tenant's rows, in one read-only transaction on one snapshot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
from psycopg.errors import QueryCanceled, UndefinedColumn
from psycopg.rows import tuple_row

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.log_position import position_in
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.reports.catalogue import report as report_named
from agentlog.infrastructure.reports.live_tables import again, live_tables, read_one_snapshot
from agentlog.infrastructure.reports.query import read_models_of, report_query, untimed_query
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.report import METADATA, Report, ReportColumn
from agentlog.infrastructure.reports.threads_of_rows import ThreadsOfRows, threads_of_rows

SECONDS = 30
"""Timeout of a report."""


class ReportTooLong(AgentlogError, kind="unavailable"):
    """The report takes too long."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"report {name} takes longer than {SECONDS} s: narrow it, as by time (from and to)"
        )


@dataclass(frozen=True, slots=True)
class ReportResult:
    """The result of a report: rows of its breakdown and its columns, as JSON values.

    `as_of` is the position in the log up to which it counts. `truncated`: there are more rows than
    the limit. `untimed` counts what has no time by the clock of the question: it is in no day and
    in no range. `threads` is the statement for analysts that lists the threads of a row.
    """

    report: Report
    question: Question
    as_of: int
    columns: Sequence[ReportColumn]
    rows: Sequence[tuple[JsonValue, ...]]
    truncated: bool
    untimed: int
    threads: ThreadsOfRows | None

    @property
    def by(self) -> Sequence[str]:
        """Its breakdown: its first columns."""
        return self.question.breakdown(self.report)


class Reports:
    """The reports of one tenant."""

    def __init__(
        self,
        database: Connections,
        *,
        tenant: str,
        rules: Callable[[], Rules] = Rules,
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._rules = rules

    def ask(self, name: str, question: Question) -> ReportResult:
        """Return the result of a report.

        Raises:
            UnknownReport: there is no such report.
            InvalidQuestion: the report does not support the question.
            NotYetBuilt: its read model is not built yet, or only in another version.
            ReportTooLong: it takes too long.
        """
        report = report_named(name)
        question.check(report)
        try:
            return again(lambda: self._try(report, question))
        except UndefinedColumn as error:  # built by an older version: another build is in progress
            raise NotYetBuilt(report.model or name) from error

    def _try(self, report: Report, question: Question) -> ReportResult:
        rules = self._rules()
        with self._database.connection() as connection, connection.transaction():
            _prepare(connection)
            models = read_models_of(report, question)
            if models:
                live, as_of = live_tables(connection, *models)
                tables = dict(zip(models, live, strict=True))
            else:
                tables, as_of = {}, position_in(connection)
            query = report_query(report, question, tenant=self._tenant, tables=tables, rules=rules)
            try:
                with connection.cursor(row_factory=tuple_row) as cursor:
                    rows = cursor.execute(query.statement, query.parameters).fetchall()
            except QueryCanceled as error:
                raise ReportTooLong(report.name) from error
            untimed = 0
            if question.clock != "recorded":
                lacking = untimed_query(report, question, query, tables=tables, rules=rules)
                row = connection.execute(lacking.statement, lacking.parameters).fetchone()
                untimed = 0 if row is None else row[0]
            threads = threads_of_rows(report, question, query, connection)
        by = question.breakdown(report)
        columns = (*(_breakdown_column(name) for name in by), *report.columns)
        limit = query.parameters["limit"] - 1
        zone = ZoneInfo(question.zone)
        cells = [
            tuple(_json(column, value, zone) for column, value in zip(columns, row, strict=True))
            for row in rows[:limit]
        ]
        return ReportResult(
            report=report,
            question=question,
            as_of=as_of,
            columns=columns,
            rows=cells,
            truncated=len(rows) > limit,
            untimed=untimed,
            threads=threads,
        )


def _prepare(connection: psycopg.Connection) -> None:
    """Set up the transaction: one snapshot, with a timeout."""
    read_one_snapshot(connection)
    connection.execute("SELECT set_config('statement_timeout', %s, true)", (f"{SECONDS}s",))


def _breakdown_column(name: str) -> ReportColumn:
    if name.startswith(METADATA):
        return ReportColumn(
            name, None, f"{name.removeprefix(METADATA)!r} of the thread's metadata, now"
        )
    return ReportColumn(name, None, "what the row is about")


def _json(column: ReportColumn, value: Any, zone: ZoneInfo) -> JsonValue:  # noqa: ANN401 - as the driver reads them
    """Return a value as JSON: times as RFC 3339 in their zone, whole numbers as integers."""
    match value:
        case str() if column.name.startswith(METADATA):
            return parse_stored(value.encode())
        case datetime(tzinfo=None):
            return f"{value.isoformat()}Z"
        case datetime():
            return value.astimezone(zone).isoformat().replace("+00:00", "Z")
        case date():
            return value.isoformat()
        case Decimal() | float() if not isfinite(value):
            return None
        case float() if column.unit == "ms":
            return round(value, 3)  # percentiles may lie between two measured values
        case Decimal():
            return float(value) if column.unit == "USD" else int(value)
        case _:
            json_value: JsonValue = value
            return json_value
