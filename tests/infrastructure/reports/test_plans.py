"""Plans of reports that must stay quick: narrow ones read what they are about, and little else."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.tables import SCHEMA
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.reports.query import report_query
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import _prepare
from agentlog.projections.filters.expression import Term
from tests.databases import new_database
from tests.infrastructure.appends import TENANT
from tests.infrastructure.reports.histories import build_all

CALLS = 100_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)

ROWS = """
INSERT INTO agentlog_readmodels.tool_calls_1 (
    tenant, thread_id, is_open, version, ordinal, position, call_id, tool, recorded_at, called_at,
    called_sent_at, answered_version, answered_position, answered_at, latency_ms, outcome
)
SELECT %(tenant)s, 'run-' || n / 10, false, mod(n, 10) * 2 + 1, 0, n, n::text,
       'tool-' || mod(n, 300), at, at, at, mod(n, 10) * 2 + 2, n + 1, at, mod(n * 7919, 10007),
       CASE WHEN mod(n, 13) = 0 THEN 'failed' ELSE 'succeeded' END
FROM generate_series(0, %(calls)s - 1) AS n
CROSS JOIN LATERAL (SELECT %(begin)s + n * interval '1 minute' AS at) AS moment
"""


@pytest.fixture(scope="module")
def many(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with many tool calls of many threads, tools and days."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        build_all(database, "tool_calls")
        with database.connection() as connection:
            parameters = {"tenant": TENANT, "calls": CALLS, "begin": BEGIN}
            connection.execute(ROWS, parameters)
            connection.execute("VACUUM ANALYZE agentlog_readmodels.tool_calls_1")
        yield database


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def plan_of(database: Database, name: str, question: Question) -> dict[str, Any]:
    """Return the plan of a report, with what its run touched."""
    query = report_query(
        REPORTS[name],
        question,
        tenant=TENANT,
        tables={"tool_calls": Identifier(SCHEMA, "tool_calls_1")},
        rules=Rules(),
    )
    explained = SQL("EXPLAIN (ANALYZE, FORMAT JSON) {query}").format(query=query.statement)
    with database.connection() as connection, connection.transaction():
        _prepare(connection)
        row = connection.execute(explained, query.parameters).fetchone()
    assert row is not None
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


DAY = {"begin": BEGIN + timedelta(days=3), "end": BEGIN + timedelta(days=4)}


@pytest.mark.parametrize("name", ["tools", "slowest", "failures"])
@pytest.mark.parametrize(
    ("question", "most"),
    [
        (Question(where=Term("thread", ":", "run-77")), 10),
        (Question(where=Term("tool", ":", "tool-7")), CALLS // 300 + 1),
        (Question(begin=DAY["begin"], end=DAY["end"]), 24 * 60),
        (Question(where=Term("tool", ":", "tool-7"), begin=DAY["begin"], end=DAY["end"]), 5),
    ],
)
def test_a_narrow_report_reads_no_more_than_it_is_about(
    many: Database, name: str, question: Question, most: int
) -> None:
    for node in nodes(plan_of(many, name, question)):
        if "Relation Name" in node:
            assert "Index" in node["Node Type"] or "Bitmap" in node["Node Type"]
            read = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
            assert read * node["Actual Loops"] <= most


def test_a_report_over_everything_reads_it_once_and_sorts_in_memory(many: Database) -> None:
    for name in ("tools", "slowest", "failures"):
        by = None if REPORTS[name].by is None else ["day"]
        of_plan = list(nodes(plan_of(many, name, Question(by=by))))
        assert sum(node.get("Relation Name") == "tool_calls_1" for node in of_plan) == 1
        assert {node.get("Sort Space Type", "Memory") for node in of_plan} == {"Memory"}
