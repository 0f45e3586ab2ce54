"""Summaries against straight computations over the threads, and the plan of the first page."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from psycopg.sql import SQL

from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.reports import summaries as summaries_module
from agentlog.infrastructure.reports.live_tables import live_tables, read_one_snapshot
from agentlog.infrastructure.reports.summaries import (
    MODELS,
    SORTS,
    Summaries,
    SummaryQuery,
)
from agentlog.infrastructure.reports.summary import ThreadSummary
from agentlog.projections.filters.grammar import parse_filter
from tests.databases import new_database
from tests.infrastructure.appends import (
    NOON,
    STORY,
    TENANT,
    Clock,
    Ids,
    calls,
    last_position,
    reply,
    results,
    started,
)
from tests.infrastructure.reports.histories import build_all

FAILED_RESULT = {"type": "tool_results", "results": [{"callId": "a", "output": "", "error": "no"}]}
APPROVAL = {"type": "approval_request", "callId": "x", "tool": "mail"}
EXIT = {"type": "exit", "reason": "error"}


def mail(call: str) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": call, "name": "mail"}]}


def answered(cost: float) -> dict[str, Any]:
    return {"type": "llm_response", "costUsd": cost, "usage": {"inputTokens": 5}}


HISTORIES: dict[str, list[dict[str, Any]]] = {
    "story": [started(goal="Find the red parcel", metadata={"team": "red"}), *STORY],
    "asking": [started(goal="Paint it red", parent="boss", policy="record"), APPROVAL],
    "asked-twice": [started(policy="record"), APPROVAL, {**APPROVAL, "callId": "y"}],
    "ended": [started(parent="boss", policy="record"), APPROVAL, EXIT],
    "failing": [started(metadata={"team": "red"}), calls("a"), mail("b"), FAILED_RESULT],
    "mailing": [started(metadata={"team": "blue", "n": 1}), mail("a"), results("a")],
    "broken": [{"type": "runtime_error", "error": "gone"}, answered(0.5)],
    "odd": [started(policy="record"), results("none"), answered(0.25)],
    "red-alert": [reply("never started"), reply("")],
}


@pytest.fixture(scope="module")
def told(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with these histories, and one of another tenant; for reading only."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        for thread, history in HISTORIES.items():
            facts = [message for message in history if message["type"] == "thread.started"]
            drafts = [message for message in history if message not in facts]
            writer.append(AppendRequest(TENANT, thread, drafts, facts))
        writer.append(AppendRequest("others", "story", [mail("a"), APPROVAL], []))
        build_all(database)
        yield database


@pytest.fixture
def summaries(told: Database) -> Summaries:
    return Summaries(told, tenant=TENANT)


def ids(summaries: Summaries, text: str) -> set[str]:
    page = summaries.page(SummaryQuery(parse_filter(text, "list")))
    thread_ids = {item.thread_id for item in page.items}
    assert page.total == len(page.items) == len(thread_ids)
    return thread_ids


def test_a_summary_has_counts_and_sums_of_all_messages(
    summaries: Summaries, told: Database
) -> None:
    page = summaries.page(SummaryQuery(parse_filter("parcel", "list")))
    assert (page.total, page.offset, page.as_of, page.lag) == (1, 0, last_position(told), 0)
    (row,) = page.items
    assert (row.thread_id, row.goal, row.parent) == ("story", "Find the red parcel", None)
    assert (row.status, row.outcome, row.policy) == ("exited", "complete", "strict")
    assert (row.metadata, row.tools) == ({"team": "red"}, ["f"])
    assert (row.version, row.position, row.messages) == (22, 22, 21)
    assert (row.inputs, row.replies, row.tool_calls, row.tool_failures) == (2, 2, 3, 1)
    assert (row.model_calls, row.steps, row.workers, row.runtime_errors) == (1, 9, 1, 0)
    assert (row.input_tokens, row.total_tokens, row.cost_usd) == (None, 7, None)
    assert (row.approvals_asked, row.approvals_pending, row.anomalies) == (1, 0, 0)
    assert row.first_sent_at is not None
    assert row.first_sent_at.timestamp() * 1000 == NOON
    assert row.started_at <= row.updated_at


def test_without_filters_all_of_the_tenant_come_and_the_last_moved_first(
    summaries: Summaries,
) -> None:
    page = summaries.page(SummaryQuery())
    assert [item.thread_id for item in page.items] == [*reversed(HISTORIES)]
    assert page.total == len(HISTORIES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("status:exited", {"story", "ended"}),
        ("parent:boss", {"asking", "ended"}),
        ("RED", {"story", "asking"}),
        ("red-al", {"red-alert"}),
        ("metadata.team:red", {"story", "failing"}),
        ("metadata.n:1.0 metadata.team:blue", {"mailing"}),
        ("red metadata.team:red", {"story"}),
        ("red status:open", {"asking", "red-alert"}),
        ("exit:error", {"ended"}),
        ("tool:mail", {"failing", "mailing"}),
        ("tool:mail tool:f", {"failing"}),
        ("tool:mai", set()),
        ('tool:"it\'s {x} %s \x00"', set()),
        ("anomalies>0", {"odd"}),
        ("has:error", {"story", "failing", "ended", "broken"}),
        ("pending", {"asking", "asked-twice"}),
        ("pending parent:boss", {"asking"}),
    ],
)
def test_filters_combine_and_each_narrows(
    summaries: Summaries, text: str, expected: set[str]
) -> None:
    assert ids(summaries, text) == expected


@pytest.mark.parametrize("text", ["anomalies>0", "has:error", "pending"])
def test_a_filter_and_its_opposite_part_all_threads(summaries: Summaries, text: str) -> None:
    some, others = ids(summaries, text), ids(summaries, f"-{text}")
    assert some
    assert others
    assert sorted([*some, *others]) == sorted(HISTORIES)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", SORTS)
def test_every_order_is_total_with_nulls_last_and_pages_are_parts_of_it(
    summaries: Summaries, name: str, *, descending: bool
) -> None:
    def page(offset: int, limit: int) -> list[ThreadSummary]:
        query = SummaryQuery(sort=name, descending=descending, offset=offset, limit=limit)
        page = summaries.page(query)
        assert (page.total, page.offset) == (len(HISTORIES), offset)
        return [*page.items]

    def value(row: ThreadSummary) -> Any:
        return getattr(row, name)

    rows = sorted(page(0, 500), key=lambda row: row.thread_id)
    known = [row for row in rows if value(row) is not None]
    unknown = [row for row in rows if value(row) is None]
    # sorted stays stable in reverse, so ids break ties upwards either way
    expected = [*sorted(known, key=value, reverse=descending), *unknown]
    assert page(0, 500) == expected
    assert [*chain(*(page(offset, 4) for offset in (0, 4, 8)))] == expected


def test_a_key_of_metadata_is_an_order_whatever_it_is_called(summaries: Summaries) -> None:
    def first(sort: str, *, descending: bool) -> list[str]:
        page = summaries.page(SummaryQuery(sort=sort, descending=descending, limit=3))
        return [row.thread_id for row in page.items]

    assert first("metadata.team", descending=False) == ["mailing", "failing", "story"]
    assert first("metadata.n", descending=True) == ["mailing", "asked-twice", "asking"]
    for odd in ("", "%s", "a.b", "\x00", "'"):
        assert first(f"metadata.{odd}", descending=False) == sorted(HISTORIES)[:3]


def test_a_page_past_the_end_is_empty_and_still_counts(summaries: Summaries) -> None:
    page = summaries.page(SummaryQuery(offset=1000))
    assert (page.items, page.total, page.offset) == ([], len(HISTORIES), 1000)


def test_what_the_read_models_have_not_got_yet_is_not_there_and_the_lag_says_so(
    own_database: Database,
) -> None:
    summaries = Summaries(own_database, tenant=TENANT)
    with pytest.raises(NotYetBuilt, match="projection threads is not built yet"):
        summaries.page(SummaryQuery())
    build_all(own_database)
    assert (summaries.page(SummaryQuery()).items, summaries.page(SummaryQuery()).total) == ([], 0)
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    writer.append(AppendRequest(TENANT, "t", [reply("a"), reply("b")], []))
    page = summaries.page(SummaryQuery())
    assert (page.total, page.as_of, page.lag) == (0, 0, 2)
    build_all(own_database)
    page = summaries.page(SummaryQuery())
    assert (page.total, page.as_of, page.lag) == (1, 2, 0)


def test_a_table_of_an_older_version_is_not_built_yet(own_database: Database) -> None:
    build_all(own_database)
    with own_database.connection() as connection:
        connection.execute("DROP VIEW agentlog_analytics.threads")
        connection.execute("ALTER TABLE agentlog_readmodels.threads_1 DROP COLUMN tools")
    with pytest.raises(NotYetBuilt, match="projection threads is not built yet"):
        Summaries(own_database, tenant=TENANT).page(SummaryQuery())


MANY = 20_000
ROWS = """
INSERT INTO agentlog_readmodels.threads_1 (
    tenant, thread_id, is_open, version, position, recorded_at, last_version, last_position,
    last_recorded_at, policy, status, metadata, tools, messages, inputs, replies, steps, tool_calls,
    tool_failures, model_calls, approvals_asked, approvals_denied, workers, runtime_errors,
    requests_open, computed_calls, unpriced_calls, open_requests, labels, judgements,
    told_figures
)
SELECT %(tenant)s, 'run-' || n, true, 1, n, now(), 1, n, now(), 'strict', 'open', '{}', '[]',
       1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', '[]', '[]', '{}'
FROM generate_series(1, %(many)s) AS n
"""


SEARCHED = """
INSERT INTO agentlog.thread_search (
    tenant, thread_id, position, status, content, words, metadata
)
SELECT %(tenant)s, 'run-' || n, n, 'open', content,
       (SELECT array_to_tsvector(array_agg(DISTINCT word))
        FROM unnest(agentlog.words_of(content) || ARRAY[' ' || md5(%(tenant)s)]) AS word),
       jsonb_build_object('task', n)
FROM generate_series(1, %(many)s) AS n
CROSS JOIN LATERAL (SELECT 'find parcel ' || n AS content) AS goal
"""


def plans_of(database: Database, query: SummaryQuery) -> list[dict[str, Any]]:
    """Return the nodes of the plan of a query over many threads."""
    build_all(database)
    with database.connection() as connection:
        connection.execute(ROWS, {"tenant": TENANT, "many": MANY})
        connection.execute(SEARCHED, {"tenant": TENANT, "many": MANY})
        connection.execute("VACUUM ANALYZE agentlog_readmodels.threads_1, agentlog.thread_search")
        with connection.transaction():
            read_one_snapshot(connection)
            tables, _ = live_tables(connection, *MODELS)
            asked = {"tenant": TENANT, "offset": 0, "limit": 50}
            text = summaries_module._statement(query, Rules(), asked, *tables)
            explained = SQL("EXPLAIN (FORMAT JSON) {}").format(text)
            row = connection.execute(explained, asked).fetchone()
    assert row is not None
    plans = [row[0][0]["Plan"]]
    for plan in plans:
        plans += plan.get("Plans", [])
    return plans


def test_the_first_page_without_filters_comes_from_the_index_of_positions(
    own_database: Database,
) -> None:
    plans = plans_of(own_database, SummaryQuery())
    read = [plan for plan in plans if plan.get("Relation Name") == "threads_1"]
    indexes = [plan["Index Name"] for plan in read if "Index Name" in plan]
    assert "threads_1_tenant_last_position_idx" in indexes
    assert "threads_1_pkey" in indexes
    assert len(read) <= 3  # and the count
    assert not [plan for plan in plans if plan["Node Type"] == "CTE Scan"]


@pytest.mark.parametrize("text", ["77", "metadata.task:77", "-metadata.task:77 or 78"])
def test_words_and_metadata_of_a_filter_come_from_their_index(
    own_database: Database, text: str
) -> None:
    plans = plans_of(own_database, SummaryQuery(parse_filter(text, "list")))
    assert [plan for plan in plans if plan.get("Index Name") == "thread_search_by_content"]
    read = [plan for plan in plans if plan.get("Relation Name") == "thread_search"]
    assert all(plan["Node Type"] == "Bitmap Heap Scan" for plan in read)
