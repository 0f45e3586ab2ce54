"""What a fork copied counts once: in its origin."""

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import TENANT, calls, fetch, reply, request, results
from tests.infrastructure.readmodels.tables import catch_up

USAGE = {"type": "llm_response", "usage": {"inputTokens": 10, "outputTokens": 5}, "costUsd": 0.25}


@pytest.fixture
def database(own_database: Database) -> Database:
    """Tables of projections are made in it."""
    return own_database


@pytest.fixture(autouse=True)
def forked(database: Database, writer: Writer, forker: Forker) -> None:
    """A thread whose fork went on, with all that is derived from both."""
    metadata = {"reward": 1}
    writer.append(
        request(
            "t",
            *(reply("a parcel"), calls("a"), USAGE),
            facts=[{"type": "thread.started", "goal": "win", "metadata": metadata}],
        )
    )
    forker.fork("t", as_thread="f")
    writer.append(request("f", results("a"), reply("a letter"), USAGE))
    for model in READ_MODELS.values():
        catch_up(database, model)


def test_rows_of_read_models_are_of_the_fork_s_own_events(database: Database) -> None:
    query = "SELECT thread_id, count(*) FROM agentlog_readmodels.{} GROUP BY 1 ORDER BY 1"
    assert fetch(database, query.format("model_calls_1")) == [("f", 1), ("t", 1)]
    assert fetch(database, query.format("messages_1")) == [("f", 4), ("t", 4)]
    costs = "SELECT thread_id, cost_usd, metadata FROM agentlog_readmodels.threads_1 ORDER BY 1"
    assert fetch(database, costs) == [("f", 0.25, "{}"), ("t", 0.25, '{"reward":1}')]


def test_a_search_finds_a_message_where_it_was_said(database: Database) -> None:
    search = Search(database, tenant=TENANT, searched=database)
    for text, thread_id in (("parcel", "t"), ("letter", "f")):
        page = search.find(Query(text=text), limit=10)
        assert [hit.thread_id for hit in page.items] == [thread_id]


def test_what_is_derived_from_a_fork_is_whole(database: Database, auditor: Auditor) -> None:
    snapshots = Snapshots(database, tenant=TENANT, key=b"key")
    reader = LogReader(database, tenant=TENANT)
    derived = DerivedAuditor(database, reader, snapshots, tenant=TENANT)
    assert [*derived.thread("f"), *derived.thread("t"), *derived.around()] == []
    assert {audit.verdict for _, audit in auditor.log()} == {"whole"}
