"""Plans of the reads that must stay quick: from indexes, and few rows for a page of many threads.

Each read runs as the reader makes it, and once more under EXPLAIN. What the reader lets the driver
prepare is looked at with a plan for its values, and with the plan for any values that a prepared
statement may fall back to.
"""

import re
from collections.abc import Iterator, Mapping
from math import log2
from typing import Any, Literal, LiteralString

import psycopg
import pytest
from psycopg.rows import TupleRow
from typing_extensions import override

from agentlog.domain.points_in_time import AtPosition, AtTime
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, position_of, time_of, unguarded

PlanMode = Literal["force_custom_plan", "force_generic_plan"]
Plan = dict[str, Any]

THREADS = 20_000
EVENTS = 20_000
PAGE = 51
REACH = 500
LOOK_UP = "select_threads_matching"
LARGE = {"threads", "thread_search", "events"}
BLOCK = 64  # versions that the index by type does not tell apart

HEADS = """
INSERT INTO agentlog.threads (
    tenant, thread_id, version, position, chain, policy, status, anomalies, parent, goal, facts,
    started_at, updated_at
)
SELECT tenant, 'run-' || n, 1, n, '', 'record',
       CASE WHEN mod(n, 100) = 0 THEN 'open' WHEN mod(n, 3) = 0 THEN 'closed' ELSE 'exited' END, 0,
       CASE WHEN mod(n, 10) = 1 THEN 'boss-' || mod(n, 1000) WHEN mod(n, 2) = 0 THEN 'giant' END,
       CASE WHEN mod(n, 7) > 0 THEN goal END,
       CASE WHEN mod(n, 7) > 0 THEN convert_to(
           jsonb_build_object(
               'goal', goal,
               'metadata', jsonb_build_object(
                   'team', (ARRAY['support', 'sales', 'ops'])[1 + mod(n, 3)],
                   'task', mod(n, 2000),
                   'twentieth', mod(n, 20),
                   'batch', n / 1000
               )
           )::text,
           'UTF8'
       ) END,
       now(), now()
FROM generate_series(1, %(count)s) AS n
CROSS JOIN LATERAL (
    SELECT format('Find parcel %%s for customer c%%s', n, mod(n, 500)) AS goal
) AS said
CROSS JOIN (VALUES (%(tenant)s), ('another')) AS tenants (tenant)
WHERE tenant = %(tenant)s OR mod(n, 4) = 0
"""
EVENTS_OF = """
INSERT INTO agentlog.events (
    tenant, thread_id, version, position, type, message_id, recorded_at, body, body_sha256, chain
)
SELECT %(tenant)s, thread_id, n, n * 2 + mod(length(thread_id), 2),
       CASE WHEN mod(n, 1000) = 0 THEN 'approval_request' WHEN mod(n, 2) = 0 THEN 'reply'
           ELSE 'input' END,
       lpad(n::text, 26, '0'), now() - make_interval(secs => %(count)s - n), '{}', '', ''
FROM generate_series(1, %(count)s) AS n
CROSS JOIN (VALUES ('long'), ('other')) AS threads (thread_id)
"""


class ExplainingReader(LogReader):
    """A reader that keeps the plan of every statement that it runs."""

    def __init__(self, database: Database, mode: PlanMode) -> None:
        super().__init__(database.confined(TENANT), tenant=TENANT, searched=database)
        self._mode = mode
        self.plans: list[tuple[str, Plan]] = []

    @override
    def _fetch(
        self,
        name: str,
        gaps: Mapping[str, LiteralString],
        parameters: dict[str, object],
        *,
        prepare: bool | None,
    ) -> list[TupleRow]:
        mode: PlanMode = "force_custom_plan" if prepare is False else self._mode
        with self._place(name).connection() as connection:
            plan = _plan(
                connection, statement(name, **gaps), {**parameters, "tenant": TENANT}, mode
            )
        self.plans.append((name, plan))
        return super()._fetch(name, gaps, parameters, prepare=prepare)

    def rows_read(self, *, looking_up: bool = False) -> int:
        """Return how many rows came out of tables and indexes; none was read from end to end.

        Of the statement that looks up what matches, or of all the others.
        """
        plans = [plan for name, plan in self.plans if (name == LOOK_UP) == looking_up]
        nodes = [node for plan in plans for node in _nodes(plan)]
        for node in nodes:
            assert node["Node Type"] != "Seq Scan" or node["Relation Name"] not in LARGE, plans
        return sum(map(_rows_of, nodes))

    def looked_up(self) -> bool:
        """Say whether all that match were looked up, however far back."""
        return any(name == LOOK_UP for name, _ in self.plans)


def _plan(
    connection: psycopg.Connection, query: str, parameters: dict[str, object], mode: PlanMode
) -> Plan:
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", query)))
    text = re.sub(r"%\((\w+)\)s", lambda name: f"${names.index(name[1]) + 1}", query)
    values = ", ".join(["%s"] * len(names))
    with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
        cursor.execute(f"SET LOCAL plan_cache_mode = {mode}".encode())
        cursor.execute(f"PREPARE explained AS {text}".replace("%", "%%").encode(), ())
        cursor.execute(
            f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained({values})".encode(),
            [parameters[name] for name in names],
        )
        row = cursor.fetchone()
        cursor.execute("DEALLOCATE explained")
    assert row is not None
    plan: Plan = row[0][0]["Plan"]
    return plan


def _nodes(plan: Plan) -> Iterator[Plan]:
    yield plan
    for below in plan.get("Plans", []):
        yield from _nodes(below)


def _rows_of(node: Plan) -> int:
    """Return the rows that a scan took from its table or index, those it threw away too."""
    if "Relation Name" not in node and node["Node Type"] != "Bitmap Index Scan":
        return 0
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    rows: float = (node["Actual Rows"] + removed) * node["Actual Loops"]
    return round(rows)


@pytest.fixture(scope="module")
def full_database(server_url: str, template_database: str) -> Iterator[Database]:
    """A database with many threads, and two long ones, as the service works in it."""
    with new_database(server_url, template=template_database) as url:
        with psycopg.connect(url, autocommit=True) as connection:
            with unguarded(connection):
                connection.execute(HEADS, {"tenant": TENANT, "count": THREADS})
            connection.execute(EVENTS_OF, {"tenant": TENANT, "count": EVENTS})
            connection.execute(
                "UPDATE agentlog.counter SET position = %s, recorded_at = now()", (2 * EVENTS,)
            )
            connection.execute("VACUUM ANALYZE")
        with Database(url, pool_size=2, in_role=True) as database:
            yield database


@pytest.fixture
def reader(full_database: Database) -> ExplainingReader:
    """A reader whose statements may have come to a plan for any values."""
    return ExplainingReader(full_database, "force_generic_plan")


@pytest.fixture(params=["force_custom_plan", "force_generic_plan"])
def event_reader(request: pytest.FixtureRequest, full_database: Database) -> ExplainingReader:
    """A reader whose prepared statements have plans of one kind."""
    return ExplainingReader(full_database, request.param)


BY_PLACE = {
    "all": ThreadFilter(),
    "status": ThreadFilter(status="exited"),
    "a rare status": ThreadFilter(status="open"),
    "parent of many": ThreadFilter(parent="giant"),
    "parent of few": ThreadFilter(parent="boss-1"),
    "parent of none": ThreadFilter(parent="nobody"),
    "parent and status": ThreadFilter(parent="giant", status="open"),
    "parent and a status that none has": ThreadFilter(parent="boss-1", status="open"),
}


@pytest.mark.parametrize("before", [None, THREADS // 2, 70], ids=["first", "deep", "last"])
@pytest.mark.parametrize("which", BY_PLACE.values(), ids=BY_PLACE)
def test_a_page_by_status_and_parent_reads_a_page(
    reader: ExplainingReader, which: ThreadFilter, before: int | None
) -> None:
    reader.heads(which, before=before, limit=PAGE)
    branches = 3 if which.parent is not None and which.status is None else 1
    assert reader.rows_read() <= (PAGE + 1) * branches  # and the oldest of each


FOUND_BY_WALKING = {
    "metadata of many": ThreadFilter(metadata={"team": "ops"}),
    "words of many": ThreadFilter(text="find par"),
    "the id of many": ThreadFilter(text="run-"),
    "status and metadata": ThreadFilter(status="exited", metadata={"team": "ops"}),
    "parent and words": ThreadFilter(parent="giant", text="customer"),
    "a small parent and metadata": ThreadFilter(parent="boss-1", metadata={"team": "ops"}),
    "all at once": ThreadFilter("exited", "giant", "parcel", {"team": "sales"}),
}


@pytest.mark.parametrize("before", [None, THREADS // 2], ids=["first", "deep"])
@pytest.mark.parametrize("which", FOUND_BY_WALKING.values(), ids=FOUND_BY_WALKING)
def test_what_many_match_is_met_within_a_short_walk(
    reader: ExplainingReader, which: ThreadFilter, before: int | None
) -> None:
    heads = reader.heads(which, before=before, limit=PAGE)
    assert heads
    assert not reader.looked_up()
    assert reader.rows_read() <= 3 * 2 * REACH


def test_a_walk_goes_on_where_it_has_met_some(reader: ExplainingReader) -> None:
    which = ThreadFilter(metadata={"twentieth": 3})
    assert len(reader.heads(which, before=None, limit=PAGE)) == PAGE
    assert not reader.looked_up()
    assert len(reader.plans) == 2
    assert reader.rows_read() <= 2 * (PAGE * 20 * 2 + REACH)


@pytest.mark.parametrize("before", [100, 3], ids=["a hundred", "two"])
@pytest.mark.parametrize("which", FOUND_BY_WALKING.values(), ids=FOUND_BY_WALKING)
def test_the_last_page_ends_with_the_walk(
    reader: ExplainingReader, which: ThreadFilter, before: int
) -> None:
    reader.heads(which, before=before, limit=PAGE)
    assert not reader.looked_up()
    assert reader.rows_read() <= 2 * before + 3


LOOKED_UP = {
    "metadata of few": (ThreadFilter(metadata={"task": 77}), 10),
    "metadata of none": (ThreadFilter(metadata={"team": "none"}), 0),
    "a key that none has": (ThreadFilter(metadata={"no.such": True}), 0),
    "a word of few": (ThreadFilter(text="C77"), 40),
    "a word of one": (ThreadFilter(text="parcel 12345"), 1),
    "a word of none": (ThreadFilter(text="xyzzy"), 0),
    "an id": (ThreadFilter(text="run-12345"), 1),
    "an id never started": (ThreadFilter(text="run-14007"), 1),
    "words and metadata": (ThreadFilter(text="parcel 78", metadata={"task": 78}), 1),
    "words of many, metadata of few": (ThreadFilter(text="find", metadata={"task": 77}), 10),
    "status and a word": (ThreadFilter(status="exited", text="c77"), 30),
    "parent and metadata": (ThreadFilter(parent="giant", metadata={"task": 70}), 10),
    "the oldest": (ThreadFilter(metadata={"batch": 0}), 51),
}


@pytest.mark.parametrize(("which", "most"), LOOKED_UP.values(), ids=LOOKED_UP)
def test_what_few_match_is_looked_up_after_a_short_walk(
    reader: ExplainingReader, which: ThreadFilter, most: int
) -> None:
    heads = reader.heads(which, before=None, limit=PAGE)
    assert len(heads) <= most
    assert bool(heads) == bool(most)
    assert reader.rows_read() <= 3 * 2 * REACH
    # those that match, in the index and in the table, and the page's heads
    most_matching = 1000 if "batch" in (which.metadata or {}) else 60
    assert 0 <= reader.rows_read(looking_up=True) <= 2 * most_matching + 2 * PAGE


@pytest.mark.parametrize("after", [0, EVENTS // 2])
@pytest.mark.parametrize("types", [["approval_request"], ["approval_request", "no.such"]])
def test_messages_of_a_type_are_read_without_the_others(
    event_reader: ExplainingReader, types: list[str], after: int
) -> None:
    events = event_reader.events("long", after=after, types=types)
    assert len(events) == (EVENTS - after) // 1000
    assert event_reader.rows_read() <= 2 * (len(events) + 1)  # in the index and in the table


@pytest.mark.parametrize("after", [0, 1, EVENTS // 2, EVENTS - 10])
def test_a_page_of_messages_of_some_types_reads_little_more_of_each(
    event_reader: ExplainingReader, after: int
) -> None:
    events = event_reader.events("long", after=after, types=["reply", "input", "reply"], limit=10)
    expected = [version for version in range(after + 1, EVENTS + 1) if version % 1000]
    assert [event.version for event in events] == expected[:10]
    assert event_reader.rows_read() <= 2 * (10 + 2 * BLOCK)  # what is before in the first, too


def test_all_messages_of_a_type_are_read_once(event_reader: ExplainingReader) -> None:
    events = event_reader.events("long", types=["input"])
    assert [event.version for event in events] == list(range(1, EVENTS, 2))
    assert event_reader.rows_read() <= 2 * len(events)


def test_a_page_of_messages_reads_a_page(event_reader: ExplainingReader) -> None:
    events = event_reader.events("long", after=EVENTS // 2, limit=10)
    assert [event.version for event in events] == [EVENTS // 2 + n for n in range(1, 11)]
    assert event_reader.rows_read() == 10


def test_a_page_of_the_log_reads_a_page(event_reader: ExplainingReader) -> None:
    assert len(event_reader.log(after=EVENTS, limit=10)) == 10
    assert event_reader.rows_read() == 10


@pytest.mark.parametrize("version", [1, 2, EVENTS // 3, EVENTS - 1, EVENTS])
@pytest.mark.parametrize("form", ["a time", "a position"])
def test_a_moment_is_found_by_halves(
    event_reader: ExplainingReader, form: str, version: int
) -> None:
    (event,) = event_reader.events("long", after=version - 1, limit=1)
    event_reader.plans.clear()
    moment = AtTime(time_of(event)) if form == "a time" else AtPosition(position_of(event))
    assert event_reader.version_at(Head(TENANT, "long"), moment) == version
    assert event_reader.rows_read() <= 2 + log2(EVENTS)
