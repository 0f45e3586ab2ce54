"""Builds the statement for a question: SQL fragments, quoted names, and parameters.

No input becomes SQL: names are looked up, values are parameters.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

from psycopg.sql import SQL, Composable, Composed, Identifier, Placeholder

from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.reports.filter_conditions import NOT_OF_ROWS, FilterConditions, joined
from agentlog.infrastructure.reports.question import Question, is_time
from agentlog.infrastructure.reports.report import METADATA, Report
from agentlog.projections.filters.expression import ALL, Term
from agentlog.projections.outcomes.suspicion import OUTLIER_RULES, REPEAT_RULES

_NOTHING = SQL("")
_HEADS = Identifier("agentlog", "threads")

_SHOWN = SQL(
    "NOT EXISTS (SELECT FROM agentlog.threads AS head WHERE head.tenant = %(tenant)s "
    "AND head.thread_id = item.thread_id AND head.hidden)"
)

_OF_THREAD = SQL(
    "item.thread_id IN (SELECT known.thread_id FROM {} AS known "
    "WHERE known.tenant = %(tenant)s AND {})"
)
_LISTED = SQL("EXISTS (SELECT FROM jsonb_array_elements_text({}::jsonb) AS listed (name) WHERE {})")
_OF_METADATA: LiteralString = """,
CASE jsonb_typeof(metadata -> {key})
    WHEN 'number' THEN trim_scale((metadata ->> {key})::numeric)::text
    WHEN 'null' THEN NULL
    ELSE (metadata -> {key})::text
END COLLATE "C" AS {name}"""
# as JSON text, so that 1.0 and 1 are equal; sorting texts is faster than sorting jsonb


@dataclass(frozen=True, slots=True)
class ReportQuery:
    """A statement with its parameters; its first columns are the breakdown's."""

    statement: Composed
    parameters: dict[str, Any]


def report_query(
    report: Report,
    question: Question,
    *,
    tenant: str,
    tables: Mapping[str, Composable],
    rules: Rules,
) -> ReportQuery:
    """Return the statement for a checked question, over the rows of one tenant.

    It selects one row more than the limit, to tell whether there are more. `tables` are those of
    `read_models_of`, by name; of a report over heads it is empty.
    """
    by = question.breakdown(report)
    places = [Identifier(f"by_{number}") for number in range(len(by))]
    listed = SQL(", ").join(places)
    limit = report.limit if question.limit is None else question.limit
    parameters: dict[str, Any] = {"shells": list(rules.shells)}
    verdict = FilterConditions(parameters).verdict(rules.success, "item")
    columns = Columns(verdict, SQL("agentlog.thread_search"))
    statement = SQL(f"{report.statement} ORDER BY {{order}} LIMIT %(limit)s").format(
        verdict=verdict,
        names=_NOTHING.join(SQL("{place}, ").format(place=place) for place in places),
        breakdowns=_NOTHING.join(
            SQL("{value} AS {place}, ").format(
                place=place, value=_value(report, question, name, verdict)
            )
            for place, name in zip(places, by, strict=True)
        ),
        places=listed if by else SQL("()"),
        window=SQL("PARTITION BY {places}").format(places=listed) if by else _NOTHING,
        items=_items(report, question, tables, columns, parameters),
        order=_order(report, question, by, places),
    )
    return ReportQuery(
        statement,
        {
            **parameters,
            "tenant": tenant,
            "repeat_rules": sorted(REPEAT_RULES),
            "outlier_rules": sorted(OUTLIER_RULES),
            "zone": question.zone,
            "begin": question.begin,
            "end": question.end,
            "limit": limit + 1,
            **{
                _key(by, name): name.removeprefix(METADATA).replace("\x00", "\ufffd") for name in by
            },
        },
    )


def _items(
    report: Report,
    question: Question,
    tables: Mapping[str, Composable],
    columns: "Columns",
    parameters: dict[str, Any],
) -> Composable:
    """Return the rows of a question, each as `item`; adds the values of its filter."""
    by, asks = question.breakdown(report), asks_for_models(report, question)
    joins = [
        _threads(by),
        responses_joined(tables["model_calls"] if asks else None),
        *lists_joined(report, by),
    ]
    conditions = row_conditions(report, question, columns, parameters)
    return SQL("{rows} AS item {joins} WHERE {conditions}").format(
        rows=rows_of(report, tables),
        joins=SQL(" ").join(joins),
        conditions=SQL(" AND ").join([SQL("item.tenant = %(tenant)s"), _SHOWN, *conditions]),
    )


def untimed_query(
    report: Report,
    question: Question,
    query: ReportQuery,
    *,
    tables: Mapping[str, Composable],
    rules: Rules,
) -> ReportQuery:
    """Return the statement that counts the rows without a time, which are in no day and no range.

    `query` is that of the question, whose parameters it extends.
    """
    parameters = {**query.parameters}
    verdict = FilterConditions(parameters).verdict(rules.success, "item")
    columns = Columns(verdict, SQL("agentlog.thread_search"))
    everywhen = replace(question, by=(), begin=None, end=None)
    statement = SQL("SELECT count(*) FROM {items} AND {at} IS NULL").format(
        items=_items(report, everywhen, tables, columns, parameters),
        at=SQL(report.source.clocks[question.clock]),
    )
    return ReportQuery(statement, parameters)


def _value(report: Report, question: Question, name: str, verdict: Composable) -> Composable:
    if name.startswith(METADATA):
        by = question.breakdown(report)
        return SQL("thread.{key}").format(key=Identifier(_key(by, name)))
    return breakdown(report, question, name, verdict)


def breakdown(report: Report, question: Question, name: str, verdict: Composable) -> Composable:
    """Return what rows are broken down by, except keys of metadata, as SQL on a row `item`."""
    if name in report.source.lists:
        return _of_list(name)
    at = SQL(report.source.clocks[question.clock])
    return SQL(report.breakdowns[name]).format(at=at, verdict=verdict)


def _key(by: Sequence[str], name: str) -> str:
    """Return the SQL name of a breakdown by metadata, whatever its key is."""
    return f"key_{by.index(name)}"


def _of_list(name: str) -> Composable:
    """Return the values of a list, where rows are joined with them."""
    return SQL("{}.value").format(Identifier(f"of_{name}"))


@dataclass(frozen=True, slots=True)
class Columns:
    """What conditions on a row `item` refer to: its verdict, and the table of threads."""

    verdict: Composable
    threads: Composable


def row_conditions(
    report: Report, question: Question, columns: Columns, parameters: dict[str, Any]
) -> Iterator[Composable]:
    """Yield the conditions of a question on a row `item`; adds the values of its filter."""
    at = SQL(report.source.clocks[question.clock])
    if report.only is not None:
        yield SQL(report.only)
    if question.begin is not None:
        yield SQL("{at} >= %(begin)s").format(at=at)
    if question.end is not None:
        yield SQL("{at} < %(end)s").format(at=at)
    if question.where != ALL:
        by = question.breakdown(report)
        terms = FilterConditions(parameters)
        yield joined(
            question.where,
            lambda term: _row(report, by, columns, terms, term),
            negation=NOT_OF_ROWS,
        )


def _row(
    report: Report, by: Sequence[str], columns: Columns, terms: FilterConditions, term: Term
) -> Composable:
    """Return the condition of a term on a row `item`."""
    match term.name:
        case "metadata":
            value = terms.metadata(SQL("known.metadata"), term)
            return _OF_THREAD.format(columns.threads, terms.scalar(value, term))
        case "parent":
            return _OF_THREAD.format(columns.threads, terms.named(SQL("known.parent"), term))
        case name if name in report.source.lists and name in by:
            return terms.named(_of_list(name), term)
        case name if name in report.source.lists:
            values = SQL(report.source.lists[name])
            return _LISTED.format(values, terms.named(SQL("listed.name"), term))
        case name:
            column = SQL(report.filters[name]).format(verdict=columns.verdict)
            return terms.named(column, term)


def _threads(by: Sequence[str]) -> Composable:
    """Return the join with threads' metadata; threads that never started have no row there.

    Keys are extracted once a thread, not once a row: OFFSET keeps the subquery separate.
    """
    keys = [name for name in by if name.startswith(METADATA)]
    if not keys and "parent" not in by:
        return _NOTHING
    return SQL(
        "LEFT JOIN (SELECT thread_id, parent{keys} FROM agentlog.thread_search "
        "WHERE tenant = %(tenant)s OFFSET 0) AS thread USING (thread_id)"
    ).format(
        keys=_NOTHING.join(
            SQL(_OF_METADATA).format(
                key=Placeholder(_key(by, name)), name=Identifier(_key(by, name))
            )
            for name in keys
        ),
    )


def lists_joined(report: Report, by: Sequence[str]) -> Iterator[Composable]:
    """Yield the joins with the values of lists; a row whose list is empty stays, without one."""
    for name in by:
        if name in report.source.lists:
            yield SQL(
                "LEFT JOIN LATERAL jsonb_array_elements_text({column}::jsonb) AS {of_list} (value) "
                "ON true"
            ).format(column=SQL(report.source.lists[name]), of_list=Identifier(f"of_{name}"))


def asks_for_models(report: Report, question: Question) -> bool:
    """Return whether a question is about the models whose responses the rows came from."""
    return report.source.of_responses and "model" in question.names(report)


def read_models_of(report: Report, question: Question) -> list[str]:
    """Return the read models that a question needs; none if heads are enough."""
    if report.model is None:
        return []
    responses = ["model_calls"] if asks_for_models(report, question) else []
    return [report.model, *report.source.beside, *responses]


def rows_of(report: Report, tables: Mapping[str, Composable]) -> Composable:
    """Return the rows of a report, of tables by the names of their read models; else heads."""
    table = _HEADS if report.model is None else tables[report.model]
    beside = {name: tables[name] for name in report.source.beside}
    return SQL(report.source.rows).format(table=table, **beside)


def responses_joined(model_calls: Composable | None) -> Composable:
    """Return the join with the rows' responses, by their ids: the last of each."""
    if model_calls is None:
        return _NOTHING
    return SQL(
        "LEFT JOIN (SELECT DISTINCT ON (thread_id, response_id) thread_id, response_id, model "
        "FROM {model_calls} WHERE tenant = %(tenant)s AND response_id IS NOT NULL "
        "ORDER BY thread_id, response_id, position DESC) AS response "
        "USING (thread_id, response_id)"
    ).format(model_calls=model_calls)


def _order(
    report: Report, question: Question, by: Sequence[str], places: Sequence[Identifier]
) -> Composable:
    """Return the requested order; else by time if broken down by that, else the report's.

    The breakdown breaks ties, the place in the log those of single rows.
    """
    broken_down: list[Composable] = [SQL("found.{place}").format(place=place) for place in places]
    if report.by is None:
        broken_down.append(SQL("position"))
    if question.order is None and any(map(is_time, by)):
        return SQL(", ").join(broken_down)
    order = question.order or report.order
    column = SQL("{column} {direction} NULLS LAST").format(
        column=Identifier(order.removeprefix("-")),
        direction=SQL("DESC" if order.startswith("-") else "ASC"),
    )
    return SQL(", ").join([column, *broken_down])
