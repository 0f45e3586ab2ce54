"""The statement for analysts that lists the threads of a row of a report.

Its conditions are those of the report's own statement, over the views that analysts see, with the
values written out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import ClientCursor
from psycopg.sql import SQL, Composable, Composed, Placeholder

from agentlog.domain.json.text import print_text
from agentlog.infrastructure.reports.query import (
    ReportQuery,
    asks_for_models,
    breakdown,
    lists_joined,
    needs_threads,
    responses_joined,
    row_conditions,
)
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.report import METADATA, Report

_VERDICT = SQL("item.verdict")
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

    def text(part: Composable) -> str:
        return cursor.mogrify(Composed([part]), parameters)

    def metadata(key: str) -> Composable:
        return SQL("(thread.metadata::jsonb -> {})").format(_added(parameters, key))

    def value(name: str) -> Composable:
        if name.startswith(METADATA):
            return metadata(name.removeprefix(METADATA))
        return breakdown(report, question, name, _VERDICT)

    def of_thread() -> Iterator[Composable]:
        if "parent" in question.filters:
            yield SQL("thread.parent = ANY(%(only_parent)s)")
        for key, scalar in question.metadata.items():
            yield SQL("{} = {}").format(metadata(key), _added(parameters, print_text(scalar)))

    rows = SQL(report.source.rows).format(table=SQL(report.model))
    joins = [
        *([_THREADS] if needs_threads(question, by) else []),
        *([responses_joined(SQL("model_calls"))] if asks_for_models(report, question) else []),
        *lists_joined(report, by),
    ]
    conditions = [*row_conditions(report, question, _VERDICT), *of_thread()]
    return ThreadsOfRows(
        begin="\n".join(map(text, [_BEGIN.format(rows=rows), *joins])),
        where=[*map(text, conditions)],
        by={name: text(value(name)) for name in by},
        end=_END,
    )


def _added(parameters: dict[str, Any], value: str) -> Composable:
    name = f"text_{len(parameters)}"
    parameters[name] = value.replace("\x00", "\ufffd")
    return Placeholder(name)
