"""Summaries: a row a thread with its counts and sums, filtered, sorted, and paged by number."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from psycopg.errors import UndefinedColumn
from psycopg.rows import dict_row
from psycopg.sql import SQL, Composable, Composed, Identifier
from pydantic import TypeAdapter

from agentlog.domain.json.text import parse_stored
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.log_position import position_in
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.reports.filter_conditions import FilterConditions, asks_for_tools
from agentlog.infrastructure.reports.live_tables import again, live_tables, read_one_snapshot
from agentlog.infrastructure.reports.summary import ThreadSummaries, ThreadSummary, Tone
from agentlog.projections.filters.expression import ALL, Expression
from agentlog.projections.outcomes.outcome import ThreadVerdict

MODELS = ("threads", "approvals", "suspicions")
"""The read models that summaries are made of."""

_HIDDEN = SQL(
    "SELECT FROM agentlog.threads AS hidden WHERE hidden.tenant = %(tenant)s "
    "AND hidden.thread_id = item.thread_id AND hidden.hidden"
)

_TONES: Mapping[ThreadVerdict, Tone] = {"succeeded": "good", "failed": "bad"}

MOST_ROWS = 500
"""Most rows of a page."""

_LISTS = ("metadata", "labels", "judgements", "tools", "marks")
_NOT_SORTED = frozenset({*_LISTS, "hidden", "tone"})
SORTS = tuple(column.name for column in fields(ThreadSummary) if column.name not in _NOT_SORTED)
"""Columns to sort by."""

METADATA = "metadata."


@dataclass(frozen=True, slots=True)
class SummaryQuery:
    """Which threads, in which order, and which of them.

    `where` is a filter of a list. `among`: ids of threads that may match, None for all.
    `hidden`: hidden threads too.
    `sort` is one of `SORTS`, or `metadata.KEY`: texts before numbers before booleans. None comes
    last either way, and ids break ties.
    """

    where: Expression = ALL
    hidden: bool = False
    among: Sequence[str] | None = None
    sort: str = "position"
    descending: bool = True
    offset: int = 0
    limit: int = 50


def models_of(query: SummaryQuery) -> Sequence[str]:
    """Return the read models that a query's summaries and filters are of, `MODELS` first."""
    return (*MODELS, "tool_calls") if asks_for_tools(query.where) else MODELS


class Summaries:
    """Summaries of one tenant's threads."""

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

    def page(self, query: SummaryQuery) -> ThreadSummaries:
        """Return a page; threads that the read models have not got yet are not there yet.

        Raises:
            NotYetBuilt: a read model is not built yet, or only in another version.
        """
        try:
            return again(lambda: self._try(query))
        except UndefinedColumn as error:  # only `threads` has had fewer columns
            raise NotYetBuilt("threads") from error

    def matching(self, query: SummaryQuery, thread_ids: Collection[str]) -> set[str]:
        """Return those of some threads that match; raises as `page` does."""
        some = replace(query, among=[*thread_ids], offset=0, limit=len(thread_ids))
        return {row.thread_id for row in self.page(some).items}

    def _try(self, query: SummaryQuery) -> ThreadSummaries:
        rules = self._rules()
        parameters = {
            "tenant": self._tenant,
            "shells": list(rules.shells),
            "among": query.among,
            "sort_key": query.sort.removeprefix(METADATA).replace("\x00", "\ufffd"),
            "offset": query.offset,
            "limit": query.limit,
        }
        with self._database.connection() as connection, connection.transaction():
            read_one_snapshot(connection)
            tables, as_of = live_tables(connection, *models_of(query))
            lag = position_in(connection) - as_of
            with connection.cursor(row_factory=dict_row) as cursor:
                rows = cursor.execute(
                    _statement(query, rules, parameters, *tables),
                    parameters,
                    prepare=False,  # a generic plan knows neither the filters nor the page
                ).fetchall()
        items = [_summary(row) for row in rows if row["thread_id"] is not None]
        return ThreadSummaries(items, rows[0]["total"], query.offset, as_of, lag)


def _statement(
    query: SummaryQuery, rules: Rules, parameters: dict[str, Any], *tables: Composable
) -> Composed:
    """Return the statement over tables of `MODELS`, and of tool calls; adds its parameters."""
    threads, approvals, suspicions, *tool_calls = tables
    filters = FilterConditions(parameters, *tool_calls)
    conditions: list[Composable] = []
    if query.among is not None:
        conditions.append(SQL("thread_id = ANY (%(among)s)"))
    if query.where != ALL:
        conditions.append(filters.rows(query.where))
    return SQL(statement("select_summaries")).format(
        threads=threads,
        approvals=approvals,
        suspicions=suspicions,
        shown=SQL("true") if query.hidden else SQL("NOT EXISTS ({})").format(_HIDDEN),
        hidden=_HIDDEN,
        verdict=filters.verdict(rules.success, "item"),
        materialized=SQL("MATERIALIZED" if conditions else "NOT MATERIALIZED"),
        key=_key(query.sort),
        conditions=SQL(" AND ").join(conditions or [SQL("true")]),
        order=_order(query),
    )


def _key(sort: str) -> Composable:
    if sort.startswith(METADATA):
        return SQL("metadata::jsonb -> %(sort_key)s::text")
    return Identifier(sort)


def _order(query: SummaryQuery) -> Composable:
    direction = SQL("key DESC" if query.descending else "key")
    # positions are never null, and their index has no such order
    return direction if query.sort == "position" else direction + SQL(" NULLS LAST")


def _summary(row: dict[str, Any]) -> ThreadSummary:
    lists = {name: parse_stored(row[name].encode()) for name in _LISTS}
    return _rows().validate_python({**row, **lists, "tone": _tone(row)}, by_name=True)


@cache
def _rows() -> TypeAdapter[ThreadSummary]:
    return TypeAdapter(ThreadSummary)


def _tone(row: dict[str, Any]) -> Tone:
    if row["approvals_pending"]:
        return "warn"
    if row["verdict"] is not None:
        return _TONES[row["verdict"]]
    return "active" if row["status"] == "open" else "neutral"
