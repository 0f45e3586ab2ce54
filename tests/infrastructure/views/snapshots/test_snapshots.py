"""Snapshots: kept by reads, used when they are what they should be, and never missed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.snapshots.encoding import packed_items, unpacked_items
from agentlog.infrastructure.views.store import Store
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.views.snapshots.kept import (
    DAMAGES,
    OPENAI,
    WITH_HISTORY,
    change,
    counted,
    filled,
    held,
    items_shown,
    plant,
    put,
    rows_of,
    state_of,
    store_on,
    versions_of,
)

# When they are made


def test_services_with_different_keys_keep_each_their_own(store: Store, database: Database) -> None:
    other = store_on(database, key=b"another key")
    state_of(store)
    own = rows_of(database)
    assert state_of(other) == state_of(store)
    assert versions_of(database) == [10, 10, 20, 20, 30, 30]
    assert all(row in rows_of(database) for row in own)


def test_appends_make_none(store: Store, database: Database) -> None:
    store.append("t", [reply("more")])
    assert versions_of(database) == []


def test_a_read_keeps_one_at_every_interval_that_it_passes(
    store: Store, database: Database
) -> None:
    state_of(store, at=9)
    assert versions_of(database) == []
    state_of(store, at=20)
    assert versions_of(database) == [10, 20]
    state_of(store)
    assert versions_of(database) == [10, 20, 30]


def test_pages_keep_what_they_pass_too(store: Store, database: Database) -> None:
    first = store.view("t", OPENAI, limit=10)
    assert not isinstance(first, State)
    kept = versions_of(database)
    assert kept[:1] == [10]
    assert kept[-1] < 30
    store.view("t", OPENAI, after="34.0", limit=10)
    assert versions_of(database) == [10, 20, 30]


def test_a_view_that_carries_nothing_begins_anywhere(store: Store, database: Database) -> None:
    view = store.view("t", choose_view("kernel"), after="12.0", limit=12)
    assert not isinstance(view, State)
    assert [item.version for item in view.items] == list(range(13, 25))
    assert versions_of(database) == [20]  # not that at 10, for which it would have read more
    assert store.view("t", choose_view("kernel"), after="12.0", limit=12) == view


def test_a_read_that_finds_them_all_writes_nothing(store: Store, database: Database) -> None:
    state_of(store)
    before = fetch(database, "SELECT xmin::text, ctid::text FROM agentlog.snapshots")
    state_of(store)
    store.view("t", OPENAI)
    store.view("t", OPENAI)
    after = fetch(
        database, "SELECT xmin::text, ctid::text FROM agentlog.snapshots WHERE view <> 'openai'"
    )
    assert after == before


def test_every_view_option_and_thread_has_its_own(store: Store, database: Database) -> None:
    state_of(store)
    state_of(store, WITH_HISTORY)
    store.view("t", OPENAI)
    store.append("u", [reply(str(n)) for n in range(10)])
    store.view("u", OPENAI)
    rows = fetch(
        database,
        "SELECT thread_id, view, options, count(*) FROM agentlog.snapshots "
        "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    every_option = '{"repair":true,"mark":false,"tool_names":false,"foreign":false}'
    assert rows == [
        ("t", "agent-state", '{"history":false}', 3),
        ("t", "agent-state", '{"history":true}', 3),
        ("t", "openai", every_option, 3),
        ("u", "openai", every_option, 1),
    ]


# When they are used


def test_a_state_is_told_from_the_nearest_snapshot_before_it(
    store: Store, database: Database
) -> None:
    assert b'"max_steps":50' in state_of(store)
    plant(database, 20, b'"max_steps":50', b'"max_steps":77')
    seen = {at: b'"max_steps":77' in state_of(store, at=at) for at in (19, 20, 29, 30, 35)}
    assert seen == {19: False, 20: True, 29: True, 30: False, 35: False}


def test_a_page_is_told_from_the_nearest_snapshot_before_its_place(
    store: Store, database: Database
) -> None:
    whole = store.view("t", OPENAI)
    assert not isinstance(whole, State)
    plant(database, 20, b"said 19", b"planted")  # the turn that is held back at version 20
    page = store.view("t", OPENAI, after="19.5", limit=3)
    assert not isinstance(page, State)
    assert page.items[0].item["content"] == "said 19"  # begun before 20, which settled it
    page = store.view("t", OPENAI, after="21.0", limit=3)
    assert not isinstance(page, State)
    assert list(page.items) == [item for item in whole.items if item.version > 21][:3]
    plant(database, 20, b"planted", b"planted again")
    difference = store.difference("t", OPENAI, begin=AtVersion(20), end=AtVersion(20))
    assert difference.items is not None
    assert (difference.items.added, difference.items.changed) == ([], [])


def test_items_are_taken_as_they_were_printed_and_only_what_came_since_is_folded(
    database: Database,
) -> None:
    store, reader = counted(database)
    store.append("t", [reply(str(n)) for n in range(180)])
    right = items_shown(store)
    assert reader.count == 180
    # of another service: this one has them in memory
    store, reader = counted(database)
    assert items_shown(store) == right
    assert reader.count == 30
    assert items_shown(counted(database)[0], at=149) == right[:149]
    reader.count = 0
    page = store.view("t", OPENAI, after="20.0", limit=100)
    assert not isinstance(page, State)
    assert list(page.items) == right[20:120]
    assert reader.count == 0


def test_what_is_shown_of_them_is_what_they_hold(store: Store, database: Database) -> None:
    right = items_shown(store)
    items = unpacked_items(held(database, 20, "items"))
    put(database, 20, "items", packed_items([item for item in items if item.version != 14]))
    seen = {at: len(items_shown(store_on(database), at=at)) for at in (19, 20, 35)}
    whole = {at: len([item for item in right if item.version <= at]) for at in seen}
    assert {at: whole[at] - seen[at] for at in seen} == {19: 0, 20: 1, 35: 1}


def test_a_page_deep_in_a_thread_reads_little_more_than_it_shows(database: Database) -> None:
    store, reader = counted(database)
    store.append("t", [reply(str(n)) for n in range(3000)])
    for read in (
        lambda: store.view("t", OPENAI, after="2900.0", limit=99),
        lambda: state_of(store, at=2849),
    ):
        read()
        assert reader.count >= 2800
        reader.count = 0
        read()
        assert 0 <= reader.count <= 120
        reader.count = 0


# When the database will not


def test_reads_go_on_where_nothing_may_be_written(
    own_database: Database, database_url: str
) -> None:
    store = filled(own_database)
    right = state_of(store)
    change(own_database, DAMAGES["carry garbage"], 30)
    url = psycopg.conninfo.make_conninfo(
        database_url, options="-c default_transaction_read_only=on"
    )
    with Database(url, pool_size=1) as read_only:
        assert state_of(store_on(read_only)) == right
        assert not isinstance(store_on(read_only).view("t", OPENAI, limit=20), State)
    views = fetch(own_database, "SELECT DISTINCT view FROM agentlog.snapshots")
    assert views == [("agent-state",)]


def test_reads_go_on_where_the_table_is_gone(own_database: Database) -> None:
    store = filled(own_database)
    right = state_of(store)
    change(own_database, "DROP TABLE agentlog.snapshots")
    assert state_of(store) == right
    assert not isinstance(store.view("t", OPENAI, after="20.0", limit=5), State)


@pytest.mark.timeout(9)  # less than what an everyday statement waits for a lock
def test_reads_do_not_wait_for_whoever_holds_the_table(
    own_database: Database, database_url: str
) -> None:
    store = filled(own_database)
    with psycopg.connect(database_url) as other:
        other.execute("LOCK TABLE agentlog.snapshots IN SHARE MODE")
        assert b'"step_count"' in state_of(store)
    assert versions_of(own_database) == []


# Two at once


def test_readers_at_once_get_the_same_and_keep_what_one_would(
    store: Store, database: Database
) -> None:
    right = state_of(store, WITH_HISTORY)
    rows = rows_of(database)
    count = 4
    for _ in range(5):
        change(database, "TRUNCATE agentlog.snapshots")
        together = threading.Barrier(count)

        def read(_: int, together: threading.Barrier = together) -> bytes:
            together.wait(timeout=20)
            return state_of(store, WITH_HISTORY)

        with ThreadPoolExecutor(count) as pool:
            assert set(pool.map(read, range(count))) == {right}
        assert rows_of(database) == rows
