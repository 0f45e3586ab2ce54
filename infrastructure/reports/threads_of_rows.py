"""The statement for analysts that lists the threads of a row of a report.

Its conditions are those of the report's own statement, over the views that analysts see, with the
values written out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg import ClientCursor
from psycopg.sql import SQL, Composable, Composed, Identifier, Placeholder

from agentlog.infrastructure.reports.query import (
    Columns,
    ReportQuery,
    asks_for_models,
    breakdown,
    lists_joined,
    responses_joined,
    row_conditions,
    rows_of,
)
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.report import METADATA, Report

_BEGIN = SQL("""SELECT item.thread_id, count(*) AS rows,
  min(item.version) AS first_version, max(item.recorded_at) AS last_at
FROM {rows} AS item""")
_THREADS = SQL("LEFT JOIN threads AS thread USING (tenant, thread_id)")
_END = "GROUP BY item.thread_id\nORDER BY last_at DESC"


@dataclass(frozen=True, slots=True)
class ThreadsOfRows:
    """A statement in parts: `begin`, conditions `where` of all rows, and its `end`.

    `by` has the SQL of each breakdown: of the threads of one row, it is the row's value.
    """

    begin: str
    where: Sequence[str]
    by: Mapping[str, str]
    end: str


def threads_of_rows(
    report: Report, question: Question, query: ReportQuery, connection: psycopg.Connection
) -> ThreadsOfRows | None:
    """Return the statement for the rows of a question; None if they are single calls, or heads."""
    if report.model is None or report.by is None:
        return None
    by = question.breakdown(report)
    parameters = dict(query.parameters)
    cursor = ClientCursor(connection)
    columns = Columns(SQL("item.verdict"), SQL("threads"))

    def text(part: Composable) -> str:
        return cursor.mogrify(Composed([part]), parameters)

    def value(name: str) -> Composable:
        if name.startswith(METADATA):
            parameters[name] = name.removeprefix(METADATA).replace("\x00", "\ufffd")
            return SQL("(thread.metadata::jsonb -> {})").format(Placeholder(name))
        return breakdown(report, question, name, columns.verdict)

    views = {name: Identifier(name) for name in (report.model, *report.source.beside)}
    rows = rows_of(report, views)
    joins = [
        *([_THREADS] if any(name == "parent" or name.startswith(METADATA) for name in by) else []),
        *([responses_joined(SQL("model_calls"))] if asks_for_models(report, question) else []),
        *lists_joined(report, by),
    ]
    conditions = [*row_conditions(report, question, columns, parameters)]
    return ThreadsOfRows(
        begin="\n".join(map(text, [_BEGIN.format(rows=rows), *joins])),
        where=[*map(text, conditions)],
        by={name: text(value(name)) for name in by},
        end=_END,
    )
