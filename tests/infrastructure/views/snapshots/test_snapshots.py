"""Snapshots: used when they are what they should be, and never needed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.snapshots.encoding import packed_items, unpacked_items
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.precomputed import precompute
from tests.infrastructure.views.snapshots.kept import (
    DAMAGES,
    OPENAI,
    STATE,
    WITH_HISTORY,
    change,
    counted,
    filled,
    held,
    items_shown,
    keep,
    plant,
    put,
    rows_of,
    state_of,
    versions_of,
    views_on,
)
from tests.waiting import WAIT_SECONDS

# When they are made


def test_services_with_different_keys_keep_each_their_own(views: Views, database: Database) -> None:
    other = views_on(database, key=b"another key")
    keep(views)
    own = rows_of(database)
    keep(other)
    assert state_of(other) == state_of(views)
    assert versions_of(database) == [10, 10, 20, 20, 30, 30]
    assert all(row in rows_of(database) for row in own)


def test_appends_and_reads_make_none(views: Views, threads: Threads, database: Database) -> None:
    threads.append("t", [reply("more")])
    state_of(views)
    views.view("t", OPENAI)
    views.view("t", OPENAI, after="20.0", limit=10)
    assert versions_of(database) == []


def test_reads_say_which_they_missed(views: Views) -> None:
    state_of(views, at=9)
    assert views.in_use.take_missed() == []
    state_of(views, at=20)
    views.view("t", OPENAI, limit=3)
    views.view("t", OPENAI)
    assert views.in_use.take_missed() == [("t", STATE, 20), ("t", OPENAI, 35)]
    keep(views)
    keep(views, OPENAI)
    state_of(views)
    views.view("t", OPENAI, limit=3)
    assert views.in_use.take_missed() == []


def test_a_view_that_carries_nothing_begins_anywhere(views: Views) -> None:
    kernel = choose_view("kernel")
    view = views.view("t", kernel, after="12.0", limit=12)
    assert not isinstance(view, State)
    assert [item.version for item in view.items] == list(range(13, 25))
    keep(views, kernel)
    assert views.view("t", kernel, after="12.0", limit=12) == view


def test_where_all_are_there_nothing_is_written(views: Views, database: Database) -> None:
    keep(views)
    query = "SELECT xmin::text, ctid::text FROM agentlog.snapshots"
    before = fetch(database, query)
    keep(views)
    assert fetch(database, query) == before


def test_every_view_option_and_thread_has_its_own(
    views: Views, threads: Threads, database: Database
) -> None:
    threads.append("u", [reply(str(n)) for n in range(10)])
    precompute(views, "t", STATE, WITH_HISTORY, OPENAI)
    precompute(views, "u", OPENAI)
    rows = fetch(
        database,
        "SELECT thread_id, view, options, count(*) FROM agentlog.snapshots "
        "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    every_option = (
        '{"messages":"said","repair":true,"mark":false,"tool_names":false,"foreign":false}'
    )
    assert rows == [
        ("t", "agent-state", '{"history":false}', 3),
        ("t", "agent-state", '{"history":true}', 3),
        ("t", "openai", every_option, 3),
        ("u", "openai", every_option, 1),
    ]


# When they are used


def test_a_state_is_told_from_the_nearest_snapshot_before_it(
    views: Views, database: Database
) -> None:
    assert b'"max_steps":50' in state_of(views)
    keep(views)
    plant(database, 20, b'"max_steps":50', b'"max_steps":77')
    seen = {at: b'"max_steps":77' in state_of(views, at=at) for at in (19, 20, 29, 30, 35)}
    assert seen == {19: False, 20: True, 29: True, 30: False, 35: False}


def test_a_page_is_told_from_the_nearest_snapshot_before_its_place(
    views: Views, database: Database
) -> None:
    whole = views.view("t", OPENAI)
    assert not isinstance(whole, State)
    keep(views, OPENAI)
    plant(database, 20, b"said 19", b"planted")  # the turn that is held back at version 20
    page = views.view("t", OPENAI, after="19.5", limit=3)
    assert not isinstance(page, State)
    assert page.items[0].item["content"] == "said 19"  # begun before 20, which settled it
    page = views.view("t", OPENAI, after="21.0", limit=3)
    assert not isinstance(page, State)
    assert list(page.items) == [item for item in whole.items if item.version > 21][:3]
    plant(database, 20, b"planted", b"planted again")
    difference = views.difference("t", OPENAI, begin=AtVersion(20), end=AtVersion(20))
    assert difference.items is not None
    assert (difference.items.added, difference.items.changed) == ([], [])


def test_items_are_taken_as_they_were_printed_and_only_what_came_since_is_folded(
    threads: Threads, database: Database
) -> None:
    views, reader = counted(database)
    threads.append("t", [reply(str(n)) for n in range(180)])
    right = items_shown(views)
    assert reader.count == 180
    keep(views, OPENAI)
    # of another service: this one has them in memory
    views, reader = counted(database)
    assert items_shown(views) == right
    assert reader.count == 30
    assert items_shown(counted(database)[0], at=149) == right[:149]
    reader.count = 0
    page = views.view("t", OPENAI, after="20.0", limit=100)
    assert not isinstance(page, State)
    assert list(page.items) == right[20:120]
    assert reader.count == 0


def test_what_is_shown_of_them_is_what_they_hold(views: Views, database: Database) -> None:
    right = items_shown(views)
    keep(views, OPENAI)
    items = unpacked_items(held(database, 20, "items"))
    put(database, 20, "items", packed_items([item for item in items if item.version != 14]))
    seen = {at: len(items_shown(views_on(database), at=at)) for at in (19, 20, 35)}
    whole = {at: len([item for item in right if item.version <= at]) for at in seen}
    assert {at: whole[at] - seen[at] for at in seen} == {19: 0, 20: 1, 35: 1}


def test_a_page_deep_in_a_thread_reads_little_more_than_it_shows(
    threads: Threads, database: Database
) -> None:
    views, reader = counted(database)
    threads.append("t", [reply(str(n)) for n in range(3000)])
    for view, read in (
        (OPENAI, lambda: views.view("t", OPENAI, after="2900.0", limit=99)),
        (STATE, lambda: state_of(views, at=2849)),
    ):
        read()
        assert reader.count >= 2800
        keep(views, view)
        reader.count = 0
        read()
        assert 0 <= reader.count <= 120
        reader.count = 0


# When the database will not


def test_reads_go_on_where_nothing_may_be_written(
    own_database: Database, database_url: str
) -> None:
    views = filled(own_database)
    right = state_of(views)
    keep(views)
    change(own_database, DAMAGES["carry garbage"], 30)
    url = psycopg.conninfo.make_conninfo(
        database_url, options="-c default_transaction_read_only=on"
    )
    with Database(url, pool_size=1) as read_only:
        others = views_on(read_only)
        assert state_of(others) == right
        keep(others, OPENAI)
        assert not isinstance(others.view("t", OPENAI, limit=20), State)
    names = fetch(own_database, "SELECT DISTINCT view FROM agentlog.snapshots")
    assert names == [("agent-state",)]


def test_reads_go_on_where_the_table_is_gone(own_database: Database) -> None:
    views = filled(own_database)
    right = state_of(views)
    change(own_database, "DROP TABLE agentlog.snapshots")
    assert state_of(views) == right
    assert not isinstance(views.view("t", OPENAI, after="20.0", limit=5), State)


@pytest.mark.timeout(9)  # less than what an everyday statement waits for a lock
def test_precomputation_does_not_wait_for_whoever_holds_the_table(
    own_database: Database, database_url: str
) -> None:
    views = filled(own_database)
    with psycopg.connect(database_url) as other:
        other.execute("LOCK TABLE agentlog.snapshots IN SHARE MODE")
        keep(views)
    assert versions_of(own_database) == []


# Two at once


def test_two_that_write_at_once_keep_what_one_would(views: Views, database: Database) -> None:
    keep(views, WITH_HISTORY)
    rows = rows_of(database)
    count = 4
    for _ in range(5):
        change(database, "TRUNCATE agentlog.snapshots")
        together = threading.Barrier(count)

        def write(_: int, together: threading.Barrier = together) -> None:
            together.wait(timeout=WAIT_SECONDS)
            keep(views, WITH_HISTORY)

        with ThreadPoolExecutor(count) as pool:
            list(pool.map(write, range(count)))
        assert rows_of(database) == rows
