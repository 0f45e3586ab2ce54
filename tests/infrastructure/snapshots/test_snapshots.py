"""Snapshots: kept by reads, used when they are what they should be, and never missed."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import psycopg
import pytest

from domain.json_text import print_bytes
from domain.moments import AtVersion
from infrastructure.blobs import Blobs
from infrastructure.database import Database
from infrastructure.reader import LogReader
from infrastructure.reads import State
from infrastructure.snapshots.rows import (
    FORMAT,
    packed,
    packed_items,
    packed_lists,
    unpacked,
    unpacked_items,
)
from infrastructure.snapshots.snapshots import Snapshots
from infrastructure.sql import statement
from infrastructure.store import Store
from infrastructure.writer import Writer
from projections.agent_state import AgentStateView
from projections.growth import Growth
from projections.registry import AnyView, choose_view
from projections.view import Printed
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    CountingReader,
    Ids,
    calls,
    fetch,
    reply,
    results,
)

STATE = choose_view("agent-state", {"history": "false"})
WITH_HISTORY = choose_view("agent-state")
OPENAI = choose_view("openai")
PLENTY = 1000.0
"""A share that lets every carry in."""


def _store(database: Database, *, interval: int = 10, share: float = PLENTY) -> Store:
    return Store(
        reader=LogReader(database, tenant=TENANT),
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
        snapshots=Snapshots(database, tenant=TENANT, interval=interval, share=share),
    )


@pytest.fixture
def database(database: Database) -> Database:
    """An open, migrated database with nothing in it, and no snapshots."""
    _change(database, "TRUNCATE agentlog.snapshots")
    return database


@pytest.fixture
def store(database: Database) -> Store:
    """A store with a snapshot every ten versions, and the thread `t` of 35 thoughts and turns."""
    return _filled(database)


def _filled(database: Database) -> Store:
    store = _store(database)
    store.append("t", [_thought(n) if n % 3 == 0 else reply(f"said {n}") for n in range(35)])
    return store


def _thought(number: int) -> dict[str, str]:
    return {"type": "reasoning", "title": "", "summary": f"thought {number}"}


def _state(store: Store, view: AnyView = STATE, at: int | None = None) -> bytes:
    found = store.view("t", view, at=None if at is None else AtVersion(at))
    assert isinstance(found, State)
    return print_bytes(found.state)


def _versions(database: Database) -> list[int]:
    return [
        row[0] for row in fetch(database, "SELECT version FROM agentlog.snapshots ORDER BY version")
    ]


def _rows(database: Database) -> list[tuple[int, bytes | None, bytes | None, bytes | None]]:
    query = "SELECT version, carry, grown, items FROM agentlog.snapshots ORDER BY version"
    return [(row[0], row[1], row[2], row[3]) for row in fetch(database, query)]


def _change(database: Database, query: str, *parameters: object) -> int:
    with database.connection() as connection:
        return connection.execute(query.encode(), parameters).rowcount


# When they are made


def test_appends_make_none(store: Store, database: Database) -> None:
    store.append("t", [reply("more")])
    assert _versions(database) == []


def test_a_read_keeps_one_at_every_interval_that_it_passes(
    store: Store, database: Database
) -> None:
    _state(store, at=9)
    assert _versions(database) == []
    _state(store, at=20)
    assert _versions(database) == [10, 20]
    _state(store)
    assert _versions(database) == [10, 20, 30]


def test_pages_keep_what_they_pass_too(store: Store, database: Database) -> None:
    first = store.view("t", OPENAI, limit=10)
    assert not isinstance(first, State)
    kept = _versions(database)
    assert kept[:1] == [10]
    assert kept[-1] < 30
    store.view("t", OPENAI, after="34.0", limit=10)
    assert _versions(database) == [10, 20, 30]


def test_a_view_that_carries_nothing_begins_anywhere(store: Store, database: Database) -> None:
    found = store.view("t", choose_view("kernel"), after="12.0", limit=12)
    assert not isinstance(found, State)
    assert [each.version for each in found.items] == list(range(13, 25))
    assert _versions(database) == [20]  # not that at 10, for which it would have read more
    assert store.view("t", choose_view("kernel"), after="12.0", limit=12) == found


def test_a_read_that_finds_them_all_writes_nothing(store: Store, database: Database) -> None:
    _state(store)
    before = fetch(database, "SELECT xmin::text, ctid::text FROM agentlog.snapshots")
    _state(store)
    store.view("t", OPENAI)
    store.view("t", OPENAI)
    after = fetch(
        database, "SELECT xmin::text, ctid::text FROM agentlog.snapshots WHERE view <> 'openai'"
    )
    assert after == before


def test_every_view_option_and_thread_has_its_own(store: Store, database: Database) -> None:
    _state(store)
    _state(store, WITH_HISTORY)
    store.view("t", OPENAI)
    store.append("u", [reply(str(n)) for n in range(10)])
    store.view("u", OPENAI)
    found = fetch(
        database,
        "SELECT thread_id, view, options, count(*) FROM agentlog.snapshots "
        "GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    )
    every_option = '{"repair":true,"mark":false,"tool_names":false}'
    assert found == [
        ("t", "agent-state", '{"history":false}', 3),
        ("t", "agent-state", '{"history":true}', 3),
        ("t", "openai", every_option, 3),
        ("u", "openai", every_option, 1),
    ]


# When they are used


def _plant(database: Database, version: int, old: bytes, new: bytes) -> None:
    """Put other words into the carry of a snapshot."""
    ((carry,),) = fetch(
        database, "SELECT carry FROM agentlog.snapshots WHERE version = %s", version
    )
    text = print_bytes(unpacked(carry))
    assert old in text
    planted = packed(text.replace(old, new))
    _change(
        database, "UPDATE agentlog.snapshots SET carry = %s WHERE version = %s", planted, version
    )


def test_a_state_is_told_from_the_nearest_snapshot_before_it(
    store: Store, database: Database
) -> None:
    assert b'"max_steps":50' in _state(store)
    _plant(database, 20, b'"max_steps":50', b'"max_steps":77')
    seen = {at: b'"max_steps":77' in _state(store, at=at) for at in (19, 20, 29, 30, 35)}
    assert seen == {19: False, 20: True, 29: True, 30: False, 35: False}


def test_a_page_is_told_from_the_nearest_snapshot_before_its_place(
    store: Store, database: Database
) -> None:
    whole = store.view("t", OPENAI)
    assert not isinstance(whole, State)
    _plant(database, 20, b"said 19", b"planted")  # the turn that is held back at version 20
    page = store.view("t", OPENAI, after="19.5", limit=3)
    assert not isinstance(page, State)
    assert page.items[0].item["content"] == "said 19"  # begun before 20, which settled it
    page = store.view("t", OPENAI, after="21.0", limit=3)
    assert not isinstance(page, State)
    assert list(page.items) == [each for each in whole.items if each.version > 21][:3]
    _plant(database, 20, b"planted", b"planted again")
    difference = store.difference("t", OPENAI, begin=AtVersion(20), end=AtVersion(20))
    assert difference.items is not None
    assert (difference.items.added, difference.items.changed) == ([], [])


def _items(store: Store, at: int | None = None) -> list[Printed]:
    found = store.view("t", OPENAI, at=None if at is None else AtVersion(at))
    assert not isinstance(found, State)
    return list(found.items)


def test_items_are_taken_as_they_were_printed_and_only_what_came_since_is_folded(
    database: Database,
) -> None:
    store, reader = _counted(database)
    store.append("t", [reply(str(n)) for n in range(180)])
    right = _items(store)
    assert reader.count == 180
    # of another service: this one has them in memory
    store, reader = _counted(database)
    assert _items(store) == right
    assert reader.count == 30
    assert _items(_counted(database)[0], at=149) == right[:149]
    reader.count = 0
    page = store.view("t", OPENAI, after="20.0", limit=100)
    assert not isinstance(page, State)
    assert list(page.items) == right[20:120]
    assert reader.count == 0


def test_what_is_shown_of_them_is_what_they_hold(store: Store, database: Database) -> None:
    right = _items(store)
    ((items,),) = fetch(database, "SELECT items FROM agentlog.snapshots WHERE version = 20")
    planted = packed_items([each for each in unpacked_items(items) if each.version != 14])
    _change(database, "UPDATE agentlog.snapshots SET items = %s WHERE version = 20", planted)
    seen = {at: len(_items(_store(database), at=at)) for at in (19, 20, 35)}
    whole = {at: len([each for each in right if each.version <= at]) for at in seen}
    assert {at: whole[at] - seen[at] for at in seen} == {19: 0, 20: 1, 35: 1}


def test_a_page_deep_in_a_thread_reads_little_more_than_it_shows(database: Database) -> None:
    store, reader = _counted(database)
    store.append("t", [reply(str(n)) for n in range(3000)])
    for read in (
        lambda: store.view("t", OPENAI, after="2900.0", limit=99),
        lambda: _state(store, at=2849),
    ):
        read()
        assert reader.count >= 2800
        reader.count = 0
        read()
        assert 0 <= reader.count <= 120
        reader.count = 0


def _counted(database: Database) -> tuple[Store, CountingReader]:
    reader = CountingReader(database, tenant=TENANT)
    store = Store(
        reader=reader,
        writer=Writer(database, clock=Clock(), new_id=Ids()),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
        snapshots=Snapshots(database, tenant=TENANT, interval=50, share=PLENTY),
    )
    return store, reader


# What is wrong with them


_DAMAGES = {
    "gone": "DELETE FROM agentlog.snapshots WHERE version = %s",
    "carry garbage": "UPDATE agentlog.snapshots SET carry = "
    "set_byte(carry, length(carry) / 2, 255 - get_byte(carry, length(carry) / 2)) "
    "WHERE version = %s",
    "lists garbage": "UPDATE agentlog.snapshots SET grown = "
    "set_byte(grown, length(grown) / 2, 255 - get_byte(grown, length(grown) / 2)) "
    "WHERE version = %s",
    "carry empty": "UPDATE agentlog.snapshots SET carry = '' WHERE version = %s",
    "carry cut": "UPDATE agentlog.snapshots SET carry = substr(carry, 1, 20) WHERE version = %s",
    "lists not there": "UPDATE agentlog.snapshots SET grown = NULL WHERE version = %s",
    "of another history": "UPDATE agentlog.snapshots SET chain = 'x' WHERE version = %s",
}


@pytest.mark.parametrize("view", [STATE, WITH_HISTORY], ids=["without history", "with history"])
@pytest.mark.parametrize("version", [10, 20, 30])
@pytest.mark.parametrize("damage", _DAMAGES.values(), ids=_DAMAGES)
def test_a_damaged_one_is_passed_over_and_made_again(
    store: Store, database: Database, damage: str, version: int, view: AnyView
) -> None:
    moments = (35, 31, 29, 20, 15, 10, 9)
    right = [_state(store, view, at) for at in moments]
    rows = _rows(database)
    assert [row[0] for row in rows] == [10, 20, 30]
    assert _change(database, damage, version) == 1
    for _ in range(2):
        assert [_state(store, view, at) for at in moments] == right
    assert _rows(database) == rows


_DAMAGES_OF_ITEMS = {
    "gone": _DAMAGES["gone"],
    "missing": "UPDATE agentlog.snapshots SET items = NULL WHERE version = %s",
    "garbage": "UPDATE agentlog.snapshots SET items = "
    "set_byte(items, length(items) / 2, 255 - get_byte(items, length(items) / 2)) "
    "WHERE version = %s",
    "empty": "UPDATE agentlog.snapshots SET items = '' WHERE version = %s",
    "cut": "UPDATE agentlog.snapshots SET items = substr(items, 1, 20) WHERE version = %s",
    "of another history": _DAMAGES["of another history"],
}


@pytest.mark.parametrize("version", [10, 20, 30])
@pytest.mark.parametrize("damage", _DAMAGES_OF_ITEMS.values(), ids=_DAMAGES_OF_ITEMS)
def test_damaged_items_are_passed_over_and_made_again(
    store: Store, database: Database, damage: str, version: int
) -> None:
    moments = (35, 31, 29, 20, 15, 10, 9)
    right = [_items(store, at) for at in moments]
    rows = _rows(database)
    assert [row[0] for row in rows] == [10, 20, 30]
    assert _change(database, damage, version) == 1
    for _ in range(2):
        other = _store(database)  # which remembers nothing
        assert [_items(other, at) for at in moments] == right
    assert _rows(database) == rows


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"5\n",
        b"{}\n{}",
        b'[[1,0]]\n{"a":1}',
        b'[[1,0,"x"]]\n{"a":1}',
        b'[[1,0,6]]\n{"a":1}',
        b'[[1,0,8]]\n{"a":1}',
        b"not JSON",
    ],
)
def test_what_reads_well_but_is_no_items_is_made_again(
    store: Store, database: Database, content: bytes
) -> None:
    right = _items(store)
    rows = _rows(database)
    row = packed(content)
    _change(database, "UPDATE agentlog.snapshots SET items = %s WHERE version = 20", row)
    assert _items(_store(database)) == right
    assert _rows(database) == rows


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"null",
        b"5",
        b"[1]",
        b"[null,5]",
        b"[7,{}]",
        b"[40,{}]",
        b'[null,{"kernel":1}]',
        b'["x",{}]',
        b"not JSON",
    ],
)
def test_what_reads_well_but_is_no_carry_is_made_again(
    store: Store, database: Database, content: bytes
) -> None:
    right = _state(store)
    rows = _rows(database)
    row = packed(content)
    _change(database, "UPDATE agentlog.snapshots SET carry = %s WHERE version = 30", row)
    assert _state(store) == right
    assert _rows(database) == rows


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"[]\n",
        b"5\n",
        b'{"scratchpad":5}\n',
        b'{"scratchpad":[4,3]}\n"x","x","x"',
        b'{"scratchpad":[4,3,"x"]}\n"x","x","x"',
        b'{"scratchpad":[3,3,11]}\n"x","x","x"',
        b'{"scratchpad":[4,3,10]}\n"x","x","x"',
        b'{"scratchpad":[4,3,12]}\n"x","x","x"',
        b'{"no such list":[0,3,11]}\n"x","x","x"',
    ],
)
def test_lists_that_do_not_go_on_from_those_before_are_made_again(
    store: Store, database: Database, content: bytes
) -> None:
    right = _state(store)
    rows = _rows(database)
    row = packed(content)
    _change(database, "UPDATE agentlog.snapshots SET grown = %s WHERE version = 20", row)
    assert _state(store) == right
    assert _rows(database) == rows


def test_a_gap_is_filled_by_the_read_that_comes_by(store: Store, database: Database) -> None:
    right = _state(store, WITH_HISTORY)
    rows = _rows(database)
    _change(database, "DELETE FROM agentlog.snapshots WHERE version = 20")
    assert _state(store, WITH_HISTORY, at=25) != right
    assert _rows(database) == rows
    assert _state(store, WITH_HISTORY) == right


def test_all_of_them_may_be_dropped_at_any_time(store: Store, database: Database) -> None:
    right = _state(store)
    rows = _rows(database)
    _change(database, "TRUNCATE agentlog.snapshots")
    assert _state(store) == right
    assert _rows(database) == rows


@pytest.mark.parametrize(("version", "kept", "count"), [(10, 0, 4), (20, 4, 3), (30, 7, 3)])
def test_one_that_was_made_of_another_history_is_never_told_from(
    store: Store, database: Database, version: int, kept: int, count: int
) -> None:
    right = _state(store)
    rows = _rows(database)
    forge = "UPDATE agentlog.snapshots SET grown = %s WHERE version = %s"
    lists = {"scratchpad": Growth(kept, count, b",".join([b'"forged"'] * count))}
    _change(database, forge, packed_lists(lists), version)
    assert b"forged" in _state(store)  # nothing else tells the two apart
    _change(database, _DAMAGES["of another history"], version)
    assert _state(store) == right
    assert _rows(database) == rows


def test_nor_is_one_without_lists(database: Database) -> None:
    store = _store(database)
    store.append("t", [reply(str(number)) for number in range(35)])
    right = _state(store)
    assert _sizes(database, "grown") == [0, 0, 0]
    _plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    assert _state(store) != right
    _change(database, _DAMAGES["of another history"], 30)
    assert _state(store) == right


class NewerView(AgentStateView):
    """As a later version would have it, whose carries mean something else."""

    carry_format: ClassVar[int] = AgentStateView.carry_format + 1


def test_those_of_another_format_are_passed_over_and_leave_when_others_come(
    store: Store, database: Database
) -> None:
    right = _state(store)
    _plant(database, 20, b'"max_steps":50', b'"max_steps":77')
    _plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    newer = NewerView(STATE.options)
    assert _state(store, newer) == right
    assert _state(store, newer) == right
    formats = fetch(database, "SELECT DISTINCT format FROM agentlog.snapshots")
    assert formats == [(f"{FORMAT}.{NewerView.carry_format}.10",)]
    assert _state(store) == right


def test_another_interval_is_another_format(store: Store, database: Database) -> None:
    right = _state(store, WITH_HISTORY)
    assert _state(_store(database, interval=15), WITH_HISTORY) == right
    assert _versions(database) == [15, 30]
    assert _state(store, WITH_HISTORY) == right
    assert _versions(database) == [10, 20, 30]


# When the database will not


def test_reads_go_on_where_nothing_may_be_written(
    own_database: Database, database_url: str
) -> None:
    store = _filled(own_database)
    right = _state(store)
    _change(own_database, _DAMAGES["carry garbage"], 30)
    url = psycopg.conninfo.make_conninfo(
        database_url, options="-c default_transaction_read_only=on"
    )
    with Database(url, pool_size=1) as read_only:
        assert _state(_store(read_only)) == right
        assert not isinstance(_store(read_only).view("t", OPENAI, limit=20), State)
    views = fetch(own_database, "SELECT DISTINCT view FROM agentlog.snapshots")
    assert views == [("agent-state",)]


def test_reads_go_on_where_the_table_is_gone(own_database: Database) -> None:
    store = _filled(own_database)
    right = _state(store)
    _change(own_database, "DROP TABLE agentlog.snapshots")
    assert _state(store) == right
    assert not isinstance(store.view("t", OPENAI, after="20.0", limit=5), State)


@pytest.mark.timeout(9)  # less than what an everyday statement waits for a lock
def test_reads_do_not_wait_for_whoever_holds_the_table(
    own_database: Database, database_url: str
) -> None:
    store = _filled(own_database)
    with psycopg.connect(database_url) as other:
        other.execute("LOCK TABLE agentlog.snapshots IN SHARE MODE")
        assert b'"step_count"' in _state(store)
    assert _versions(own_database) == []


# Two at once


def test_readers_at_once_get_the_same_and_keep_what_one_would(
    store: Store, database: Database
) -> None:
    right = _state(store, WITH_HISTORY)
    rows = _rows(database)
    count = 4
    for _ in range(5):
        _change(database, "TRUNCATE agentlog.snapshots")
        together = threading.Barrier(count)

        def read(_: int, together: threading.Barrier = together) -> bytes:
            together.wait(timeout=20)
            return _state(store, WITH_HISTORY)

        with ThreadPoolExecutor(count) as pool:
            assert set(pool.map(read, range(count))) == {right}
        assert _rows(database) == rows


# What they take


def _sizes(database: Database, column: str) -> list[int]:
    index = {"carry": 0, "grown": 1}[column]
    return [len(row[1:][index] or b"") for row in _rows(database)]


def _fill(store: Store, count: int, draft: Callable[[int], list[dict[str, object]]]) -> None:
    store.start("t", {"policy": "record"})
    store.append("t", [each for number in range(count) for each in draft(number)])


def test_a_history_is_kept_once_however_often_it_is_kept(database: Database) -> None:
    store = _store(database, interval=20, share=0.125)
    _fill(store, 1000, lambda n: [reply(f"answer {n}"), _thought(n)])
    right = _state(_store(database, interval=10_000), WITH_HISTORY)
    assert _state(store, WITH_HISTORY) == right
    assert _state(store, WITH_HISTORY) == right
    grown, carries = _sizes(database, "grown"), _sizes(database, "carry")
    assert len(grown) == 100
    assert max(grown[1:]) < 2 * min(grown[1:])
    assert max(carries) < 1.2 * min(carries)


def test_a_scratchpad_that_begins_anew_needs_nothing_from_before(
    store: Store, database: Database
) -> None:
    store.append("t", [{"type": "scratchpad", "text": "new", "mode": "replace"}])
    store.append("t", [_thought(n) for n in range(20)])
    right = _state(store)
    assert b'"scratchpad":"new\\nthought 0\\nthought 1\\n' in right
    _change(database, "DELETE FROM agentlog.snapshots WHERE version < 40")
    _plant(database, 50, b'"max_steps":50', b'"max_steps":77')
    assert _state(store) == right.replace(b'"max_steps":50', b'"max_steps":77')


def test_large_carries_are_kept_as_seldom_as_the_events_they_save_are_many(
    database: Database,
) -> None:
    store = _store(database, interval=10, share=0.125)
    _fill(store, 1000, lambda n: [calls(f"call-{n}"), results(f"call-{n}")])
    whole = store.view("t", choose_view("anomalies"))
    ((log,),) = fetch(database, "SELECT sum(length(body)) FROM agentlog.events")
    kept = [size for size in _sizes(database, "carry") if size]
    assert 3 < len(kept) < 100
    assert 0 < sum(kept) <= log / 8
    assert store.view("t", choose_view("anomalies"), after="1500.0", limit=5) == whole


def test_lists_go_on_where_a_carry_is_too_large_to_be_kept(database: Database) -> None:
    store = _store(database, interval=10, share=0.125)
    _fill(store, 200, lambda n: [calls(f"never answered {n}"), _thought(n)])
    right = _state(_store(database, interval=10_000))
    assert _state(store) == right
    assert len(_sizes(database, "grown")) == 40
    assert 0 < len([size for size in _sizes(database, "carry") if size]) < 20
    assert _state(store) == right


# How they are found


@pytest.mark.parametrize(
    "name",
    [
        "select_snapshot",
        "select_snapshot_lists",
        "select_snapshot_items",
        "select_snapshot_versions",
    ],
)
def test_they_are_found_by_their_key(store: Store, database: Database, name: str) -> None:
    _state(store)
    store.append("other", [reply(str(number)) for number in range(1000)])
    _change(
        database,
        "INSERT INTO agentlog.snapshots (tenant, thread_id, view, options, format, version, chain) "
        "SELECT tenant, thread_id || n, view, options, format, version, chain "
        "FROM agentlog.snapshots, generate_series(1, 2000) AS n",
    )
    _change(database, "ANALYZE")
    parameters = {
        "tenant": TENANT,
        "thread_id": "t",
        "view": "agent-state",
        "options": STATE.options.model_dump_json(),
        "format": "1.1.10",
        "version": 35,
        "since": 10,
        "versions": [10, 20],
        "after": 10,
        "upto": 35,
        "limit": 8,
    }
    with database.connection() as connection:
        plan = connection.execute(b"EXPLAIN " + statement(name).encode(), parameters).fetchall()
    text = "\n".join(row[0] for row in plan)
    assert "snapshots_pkey" in text
    # of the events neither; there are no erasures to look for
    assert "Seq Scan" not in text.replace("Seq Scan on erasures", "")
    assert "Sort" not in text
