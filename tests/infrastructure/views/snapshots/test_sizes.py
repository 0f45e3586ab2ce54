"""What snapshots take, and how they are found."""

from collections.abc import Callable

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item
from tests.infrastructure.appends import TENANT, calls, fetch, reply, results
from tests.infrastructure.precomputed import precompute
from tests.infrastructure.views.snapshots.kept import (
    STATE,
    WITH_HISTORY,
    change,
    keep,
    plant,
    sizes_of,
    state_of,
    thought,
    views_on,
)

# What they take


def _fill(threads: Threads, count: int, draft: Callable[[int], list[Item]]) -> None:
    threads.start("t", {"policy": "record"})
    threads.append("t", [message for number in range(count) for message in draft(number)])


def test_a_history_is_kept_once_however_often_it_is_kept(
    threads: Threads, database: Database
) -> None:
    views = views_on(database, interval=20, share=0.125)
    _fill(threads, 1000, lambda n: [reply(f"answer {n}"), thought(n)])
    right = state_of(views_on(database, interval=10_000), WITH_HISTORY)
    keep(views, WITH_HISTORY)
    assert state_of(views, WITH_HISTORY) == right
    grown, carries = sizes_of(database, "grown"), sizes_of(database, "carry")
    assert len(grown) == 100
    assert max(grown[1:]) < 2 * min(grown[1:])
    assert max(carries) < 1.2 * min(carries)


def test_a_scratchpad_that_begins_anew_needs_nothing_from_before(
    views: Views, threads: Threads, database: Database
) -> None:
    threads.append("t", [{"type": "scratchpad", "text": "new", "mode": "replace"}])
    threads.append("t", [*map(thought, range(20))])
    right = state_of(views)
    keep(views)
    assert b'"scratchpad":"new\\nthought 0\\nthought 1\\n' in right
    change(database, "DELETE FROM agentlog.snapshots WHERE version < 40")
    plant(database, 50, b'"max_steps":50', b'"max_steps":77')
    assert state_of(views) == right.replace(b'"max_steps":50', b'"max_steps":77')


def test_large_carries_are_kept_as_seldom_as_the_events_they_save_are_many(
    threads: Threads, database: Database
) -> None:
    views = views_on(database, interval=10, share=0.125)
    _fill(threads, 1000, lambda n: [calls(f"call-{n}"), results(f"call-{n}")])
    precompute(views, "t", choose_view("anomalies"))
    whole = views.view("t", choose_view("anomalies"))
    ((log,),) = fetch(database, "SELECT sum(length(body)) FROM agentlog.events")
    kept = [size for size in sizes_of(database, "carry") if size]
    assert 3 < len(kept) < 100
    assert 0 < sum(kept) <= log / 8
    assert views.view("t", choose_view("anomalies"), after="1500.0", limit=5) == whole


def test_lists_go_on_where_a_carry_is_too_large_to_be_kept(
    threads: Threads, database: Database
) -> None:
    views = views_on(database, interval=10, share=0.125)
    _fill(threads, 200, lambda n: [calls(f"never answered {n}"), thought(n)])
    right = state_of(views_on(database, interval=10_000))
    keep(views)
    assert len(sizes_of(database, "grown")) == 40
    assert 0 < len([size for size in sizes_of(database, "carry") if size]) < 20
    assert state_of(views) == right


# How they are found


@pytest.mark.parametrize(
    "query",
    [
        statement(
            "select_snapshots",
            contents="carry, grown",
            which="version <= %(version)s AND carry IS NOT NULL",
            order="DESC",
        ),
        statement(
            "select_snapshots",
            contents="items",
            which="version > %(after)s AND version <= %(upto)s",
            order="ASC",
        ),
        statement("select_snapshot_versions"),
    ],
    ids=["nearest", "items", "versions"],
)
def test_they_are_found_by_their_key(
    views: Views, threads: Threads, database: Database, query: str
) -> None:
    keep(views)
    threads.append("other", [reply(str(number)) for number in range(1000)])
    change(
        database,
        "INSERT INTO agentlog.snapshots (tenant, thread_id, view, options, format, version) "
        "SELECT tenant, thread_id || n, view, options, format, version "
        "FROM agentlog.snapshots, generate_series(1, 2000) AS n",
    )
    change(database, "ANALYZE")
    parameters = {
        "tenant": TENANT,
        "thread_id": "t",
        "view": "agent-state",
        "options": STATE.options.model_dump_json(),
        "format": "1.1.10",
        "version": 35,
        "versions": [10, 20],
        "after": 10,
        "upto": 35,
        "limit": 8,
    }
    with database.connection() as connection:
        plan = connection.execute(b"EXPLAIN " + query.encode(), parameters).fetchall()
    text = "\n".join(row[0] for row in plan)
    assert "snapshots_pkey" in text
    # of the events neither; there are no erasures to look for
    assert "Seq Scan" not in text.replace("Seq Scan on erasures", "")
    assert "Sort" not in text
