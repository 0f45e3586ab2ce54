"""Snapshots that are not what was written: passed over, and made again."""

from typing import ClassVar

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.encoding import FORMAT, packed, packed_lists
from agentlog.infrastructure.views.snapshots.key import id_of
from agentlog.infrastructure.views.views import Views
from agentlog.projections.carries.growth import Growth
from agentlog.projections.registry import AnyView
from agentlog.projections.views.agent_state import AgentStateView
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.views.snapshots.kept import (
    DAMAGES,
    KEY,
    OPENAI,
    STATE,
    WITH_HISTORY,
    change,
    held,
    items_shown,
    keep,
    plant,
    put,
    rows_of,
    sizes_of,
    state_of,
    versions_of,
    views_on,
)


@pytest.mark.parametrize("view", [STATE, WITH_HISTORY], ids=["without history", "with history"])
@pytest.mark.parametrize("version", [10, 20, 30])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_one_is_passed_over_and_made_again(
    views: Views, database: Database, damage: str, version: int, view: AnyView
) -> None:
    moments = (35, 31, 29, 20, 15, 10, 9)
    right = [state_of(views, view, at) for at in moments]
    keep(views, view)
    rows = rows_of(database)
    assert [row[0] for row in rows] == [10, 20, 30]
    assert change(database, damage, version) == 1
    for _ in range(2):
        assert [state_of(views, view, at) for at in moments] == right
        keep(views, view)
    assert rows_of(database) == rows


_DAMAGES_OF_ITEMS = {
    "gone": DAMAGES["gone"],
    "missing": "UPDATE agentlog.snapshots SET items = NULL WHERE version = %s",
    "garbage": "UPDATE agentlog.snapshots SET items = "
    "set_byte(items, length(items) / 2, 255 - get_byte(items, length(items) / 2)) "
    "WHERE version = %s",
    "empty": "UPDATE agentlog.snapshots SET items = '' WHERE version = %s",
    "cut": "UPDATE agentlog.snapshots SET items = substr(items, 1, 20) WHERE version = %s",
    "sealed by another key": DAMAGES["sealed by another key"],
}


@pytest.mark.parametrize("version", [10, 20, 30])
@pytest.mark.parametrize("damage", _DAMAGES_OF_ITEMS.values(), ids=_DAMAGES_OF_ITEMS)
def test_damaged_items_are_passed_over_and_made_again(
    views: Views, database: Database, damage: str, version: int
) -> None:
    moments = (35, 31, 29, 20, 15, 10, 9)
    right = [items_shown(views, at) for at in moments]
    keep(views, OPENAI)
    rows = rows_of(database)
    assert [row[0] for row in rows] == [10, 20, 30]
    assert change(database, damage, version) == 1
    for _ in range(2):
        other = views_on(database)  # which remembers nothing
        assert [items_shown(other, at) for at in moments] == right
        keep(other, OPENAI)
    assert rows_of(database) == rows


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
    views: Views, database: Database, content: bytes
) -> None:
    right = items_shown(views)
    keep(views, OPENAI)
    rows = rows_of(database)
    put(database, 20, "items", packed(content))
    assert items_shown(views_on(database)) == right
    keep(views, OPENAI)
    assert rows_of(database) == rows


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
    views: Views, database: Database, content: bytes
) -> None:
    right = state_of(views)
    keep(views)
    rows = rows_of(database)
    put(database, 30, "carry", packed(content))
    assert state_of(views) == right
    keep(views)
    assert rows_of(database) == rows


_TEXT = packed(b'"x","x","x"')
_SIZE = len(_TEXT)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[]\n",
        b"5\n",
        b'{"scratchpad":5}\n',
        b'{"scratchpad":[4,3,11]}\n%b' % _TEXT,
        b'{"scratchpad":[4,3,11,"x"]}\n%b' % _TEXT,
        b'{"scratchpad":[3,3,11,%d]}\n%b' % (_SIZE, _TEXT),
        b'{"scratchpad":[4,3,11,%d]}\n%b' % (_SIZE - 1, _TEXT),
        b'{"scratchpad":[4,3,11,%d]}\n%b' % (_SIZE + 1, _TEXT),
        b'{"no such list":[0,3,11,%d]}\n%b' % (_SIZE, _TEXT),
    ],
)
def test_lists_that_do_not_go_on_from_those_before_are_made_again(
    views: Views, database: Database, content: bytes
) -> None:
    right = state_of(views)
    keep(views)
    rows = rows_of(database)
    put(database, 20, "grown", content)
    assert state_of(views) == right
    keep(views)
    assert rows_of(database) == rows


def test_a_gap_is_noticed_by_the_read_that_comes_by(views: Views, database: Database) -> None:
    right = state_of(views, WITH_HISTORY)
    keep(views, WITH_HISTORY)
    views.in_use.take_missed()
    rows = rows_of(database)
    change(database, "DELETE FROM agentlog.snapshots WHERE version = 20")
    assert state_of(views, WITH_HISTORY, at=25) != right
    assert views.in_use.take_missed() == [("t", WITH_HISTORY, 25)]
    keep(views, WITH_HISTORY)
    assert rows_of(database) == rows
    assert state_of(views, WITH_HISTORY) == right
    assert views.in_use.take_missed() == []


def test_all_of_them_may_be_dropped_at_any_time(views: Views, database: Database) -> None:
    right = state_of(views)
    keep(views)
    rows = rows_of(database)
    change(database, "TRUNCATE agentlog.snapshots")
    assert state_of(views) == right
    keep(views)
    assert rows_of(database) == rows


@pytest.mark.parametrize(("version", "kept", "count"), [(10, 0, 4), (20, 4, 3), (30, 7, 3)])
def test_lists_are_told_from_what_the_key_sealed_and_from_nothing_else(
    views: Views, database: Database, version: int, kept: int, count: int
) -> None:
    right = state_of(views)
    keep(views)
    rows = rows_of(database)
    forged = packed_lists({"scratchpad": Growth(kept, count, b",".join([b'"forged"'] * count))})
    put(database, version, "grown", forged)
    assert b"forged" in state_of(views)
    seal = bytes(rows[[10, 20, 30].index(version)][2] or b"")[:32]
    change(
        database,
        "UPDATE agentlog.snapshots SET grown = %s WHERE version = %s",
        seal + forged,
        version,
    )
    assert state_of(views) == right
    keep(views)
    assert rows_of(database) == rows


def test_a_carry_is_told_from_what_the_key_sealed_and_from_nothing_else(
    database: Database, threads: Threads
) -> None:
    views = views_on(database)
    threads.append("t", [reply(str(number)) for number in range(35)])
    right = state_of(views)
    keep(views)
    assert sizes_of(database, "grown") == [0, 0, 0]
    plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    assert state_of(views) != right
    change(database, DAMAGES["sealed by another key"], 30)
    assert state_of(views) == right


def test_items_are_told_from_what_the_key_sealed_and_from_nothing_else(
    views: Views, database: Database
) -> None:
    right = items_shown(views)
    keep(views, OPENAI)
    forged = held(database, 10, "items")
    put(database, 20, "items", forged)
    assert items_shown(views_on(database)) != right
    seals = "UPDATE agentlog.snapshots SET items = substr(items, 1, 32) || %s WHERE version = 20"
    change(database, seals, held(database, 30, "items"))
    assert items_shown(views_on(database)) == right


def test_what_was_made_of_another_history_is_made_again(views: Views, database: Database) -> None:
    right = state_of(views)
    keep(views)
    plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    with database.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("UPDATE agentlog.events SET chain = sha256('') WHERE version = 30")
    assert state_of(views) == right


def test_what_was_made_before_an_erasure_is_made_again(views: Views, database: Database) -> None:
    right = state_of(views)
    keep(views)
    plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    change(
        database,
        "INSERT INTO agentlog.erasures (tenant, thread_id, version, position, number, done_at) "
        "SELECT tenant, thread_id, 1, 1, 1, now() FROM agentlog.threads",
    )
    assert state_of(views) == right


class NewerView(AgentStateView):
    """As a later version would have it, whose carries mean something else."""

    carry_format: ClassVar[int] = AgentStateView.carry_format + 1


def test_those_of_another_format_are_passed_over_and_leave_when_others_come(
    views: Views, database: Database
) -> None:
    right = state_of(views)
    keep(views)
    plant(database, 20, b'"max_steps":50', b'"max_steps":77')
    plant(database, 30, b'"max_steps":50', b'"max_steps":77')
    newer = NewerView(STATE.options)
    assert state_of(views, newer) == right
    keep(views, newer)
    assert state_of(views, newer) == right
    formats = fetch(database, "SELECT DISTINCT format FROM agentlog.snapshots")
    assert formats == [(f"{FORMAT}.{NewerView.carry_format}.10.{id_of(KEY)}",)]
    assert state_of(views) == right


def test_another_interval_is_another_format(views: Views, database: Database) -> None:
    right = state_of(views, WITH_HISTORY)
    keep(views, WITH_HISTORY)
    other = views_on(database, interval=15)
    assert state_of(other, WITH_HISTORY) == right
    keep(other, WITH_HISTORY)
    assert versions_of(database) == [15, 30]
    assert state_of(views, WITH_HISTORY) == right
    keep(views, WITH_HISTORY)
    assert versions_of(database) == [10, 20, 30]
