"""Plans of search, as the service's role has them: from indexes, whatever the words."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.index import Index
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.message_words import MessageWords
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, reply
from tests.infrastructure.erasure.conftest import threads_on
from tests.infrastructure.readmodels.tables import catch_up

MESSAGES = 5000


class ExplainingIndex(Index):
    """Keeps the nodes of the plan of the last statement."""

    nodes: list[str]

    @override
    def _run(self, text: Composed, asked: dict[str, Any]) -> list[TupleRow]:
        with self._searched.connection() as connection:
            explain = SQL("EXPLAIN (FORMAT JSON) ") + text
            with psycopg.ClientCursor(connection) as cursor:
                row = cursor.execute(explain, {**asked, "tenant": TENANT}).fetchone()
        assert row is not None
        self.nodes = [
            f"{node['Node Type']} {node.get('Index Name') or node.get('Relation Name', '')}"
            for node in _nodes(row[0][0]["Plan"])
        ]
        return super()._run(text, asked)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", []):
        yield from _nodes(below)


@pytest.fixture(scope="module")
def full(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with many messages of two tenants, as the service works in it."""
    with new_database(server_url, template=template_database) as url:
        with Database(url, pool_size=2) as database:
            threads: Threads = threads_on(database)
            for begin in range(0, MESSAGES, 1000):
                numbers = range(begin, begin + 1000)
                threads.append("t", [reply(f"common number-{number}") for number in numbers])
            catch_up(database, MessageWords(), most_events=5000)
            with database.connection() as connection:
                connection.execute("VACUUM ANALYZE agentlog_readmodels.message_words_1")
        with Database(url, pool_size=2, in_role=True) as database:
            yield database


@pytest.fixture
def index(full: Database) -> ExplainingIndex:
    return ExplainingIndex(full, TENANT)


def test_a_walk_reads_the_newest_rows(index: ExplainingIndex) -> None:
    places = index.walk(Query("common"), 0, MESSAGES + 1, 500)
    assert len(places.positions) == 500
    assert "Index Scan message_words_1_pkey" in index.nodes
    assert not any(node.startswith(("Sort", "Seq Scan message_words")) for node in index.nodes)


@pytest.mark.parametrize("text", ["number-4711", "common", "nowhere", "num"])
def test_a_look_up_uses_the_index_of_words(index: ExplainingIndex, text: str) -> None:
    index.look_up(Query(text), 0, MESSAGES + 1, 50)
    assert "Bitmap Index Scan message_words_1_words_idx" in index.nodes
    assert not any(node.startswith("Seq Scan message_words") for node in index.nodes)


def test_times_are_found_from_their_index(index: ExplainingIndex) -> None:
    bounds = index.bounds(Query(end=datetime.now(UTC) + timedelta(days=365)))
    assert bounds.upto == MESSAGES + 1
    assert any("recorded_at_idx" in node for node in index.nodes)
    assert not any(node.startswith("Seq Scan message_words") for node in index.nodes)
