"""Moves that others disturb: one owner stays, and nothing is lost, or comes back once erased."""

from dataclasses import replace
from threading import Thread

import psycopg
import pytest

from agentlog.extensions.cells.errors import CopyDiffers, MoveUnderWay, NotArrived, OtherTenant
from agentlog.extensions.cells.mover import Mover
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.audit.moves import insert_move
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable, TenantMoving
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.build_audit import BuildAudit
from agentlog.infrastructure.readmodels.tracking import move_all
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.extensions.cells.cells import KEY, NEW_ID, Cell, cell_on
from tests.extensions.cells.test_mover import KEY_ROW, fill, moves_of_tenant, quiet
from tests.infrastructure.appends import fetch
from tests.infrastructure.readmodels.tables import catch_up
from tests.waiting import until


def test_a_move_is_not_given_up_while_its_arrival_may_commit(
    here: Cell, there: Cell, here_url: str, there_url: str
) -> None:
    fill(here, "a")
    lost: list[BaseException] = []

    def move() -> None:
        try:
            here.mover("a").move(there.owner, quiet)
        except (DatabaseUnavailable, psycopg.Error) as error:
            lost.append(error)

    moving = Thread(target=move)
    with psycopg.connect(there_url) as blocking, Database(here_url, pool_size=2) as other:
        blocking.execute("SELECT FROM agentlog.counter FOR UPDATE")
        moving.start()
        until(lambda: fetch(there.owner, WAITS) != [])
        until(lambda: fetch(other, END_MOVERS) != [])  # as a failover of the source would
        with Database(there_url, pool_size=2) as target:
            releasing = Mover(other, "a", KEY, NEW_ID)
            with pytest.raises(MoveUnderWay):
                releasing.release(target)
    moving.join()
    assert lost
    with pytest.raises(TenantMoving):
        here.append("a", "t0", "x")
    here.mover("a").move(there.owner, quiet)
    assert isinstance(there.append("a", "t0", "x"), Appended)
    assert there.findings("a") == []


WAITS = (
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)
END_MOVERS = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def test_numbers_of_erasures_never_come_again(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    fill(there, "c")
    for thread_id in ("t0", "t1"):
        here.redact("a", thread_id)
    there.redact("c", "t0")
    here.mover("a").move(there.owner, quiet)
    assert fetch(there.owner, NUMBERS) == [("c", 1), ("a", 3), ("a", 4)]
    here.mover("a").drop(there.owner)
    here.redact("b", "t0")
    assert fetch(here.owner, NUMBERS) == [("b", 3)]
    there.redact("c", "t1")
    assert fetch(there.owner, NUMBERS)[-1] == ("c", 5)
    assert here.findings("b") == there.findings("a", "c") == []


NUMBERS = "SELECT tenant, number FROM agentlog.erasures ORDER BY number"


def test_a_tenant_that_comes_back_is_appended_to_at_once(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    here.mover("a").move(there.owner, quiet)
    here.mover("a").drop(there.owner)
    there.append("a", "t0", "grown")
    for _ in range(20):
        here.append("b", "t0", "so that the counter is beyond the other's")
    there.mover("a").move(here.owner, quiet)
    assert isinstance(here.append("a", "t0", "back"), Appended)
    assert here.findings("a", "b") == []


def test_another_tenant_of_the_name_is_refused(here: Cell, there: Cell, database_url: str) -> None:
    fill(here, "a")
    here.mover("a").move(there.owner, quiet)
    here.mover("a").drop(there.owner)
    with cell_on(database_url) as third:
        third.append("a", "t0", "of another customer")
        with pytest.raises(OtherTenant):
            third.mover("a").move(here.owner, quiet)
        third.append("a", "t0", "not even fenced")
        fill(third, "c")
        with here.owner.connection() as connection:
            connection.execute(KEY_ROW, ("c", b"c"))
        with pytest.raises(OtherTenant):
            third.mover("c").move(here.owner, quiet)
    assert here.findings() == []


def test_what_was_appended_at_the_target_meanwhile_stops_the_arrival(
    here: Cell, there: Cell
) -> None:
    fill(here, "a")

    def hasten(step: str, _: int) -> None:
        if step == "read models":
            there.append("a", "early", "routed too early")

    with pytest.raises(CopyDiffers):
        here.mover("a").move(there.owner, hasten)
    here.mover("a").release(there.owner)
    assert isinstance(here.append("a", "t0", "x"), Appended)
    assert here.findings("a") == there.findings("a") == []


def test_a_step_of_a_tenant_that_is_not_there_explains_nothing(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    here.mover("a").move(there.owner, quiet)
    (*_, left) = moves_of_tenant(here, "a")
    assert there.findings("a") == []
    with here.owner.connection() as connection:
        for number, events in ((1, left.events), (2, 0)):
            ghost = replace(left, tenant=f"ghost {number}", number=1, step="arrived")
            insert_move(connection, replace(ghost, events=events), KEY)
    assert [what.partition(":")[0] for what in here.findings("b")] == ["move-differs"] * 2


def test_a_tenant_that_has_left_has_what_it_left_with(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    here.mover("a").move(there.owner, quiet)
    with here.owner.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("CREATE TEMPORARY TABLE kept AS SELECT * FROM agentlog.moves")
        connection.execute("DELETE FROM agentlog.moves")
    here.append("a", "t0", "after it left")
    assert here.findings("a") == []
    with here.owner.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("INSERT INTO agentlog.moves SELECT * FROM kept")
    assert "move-differs" in str(here.findings())


def test_an_index_of_words_that_leaves_events_out_is_built_anew(here: Cell, there: Cell) -> None:
    fill(here, "a")
    fill(there, "c", "d", "e")
    for cell in (here, there):
        for model in READ_MODELS.values():
            catch_up(cell.owner, model, most_events=500)
    with there.owner.connection() as connection:
        move_all(connection, ["message_words.1.left_out"], 20)
    here.mover("a").move(there.owner, quiet)
    for model in READ_MODELS.values():
        catch_up(there.owner, model, most_events=500)
    with there.owner.connection() as connection:
        (words,) = (build for build in builds.builds(connection) if build.name == "message_words")
        assert (words.build, words.state, words.left_out) == (2, "live", 0)
        with connection.transaction(force_rollback=True):
            audit = BuildAudit.begin(connection)
            audit.make_temporary()
            assert list(audit.differing("a", "t0")) == []


def test_what_a_drop_left_behind_goes_with_the_next(here: Cell, there: Cell) -> None:
    fill(here, "a")
    here.mover("a").move(there.owner, quiet)
    here.mover("a").drop(there.owner)
    with here.owner.connection() as connection:
        connection.execute("INSERT INTO agentlog.tiles VALUES ('a', 0, '', 1)")
    here.mover("a").drop(there.owner)
    there.mover("a").move(here.owner, quiet)
    assert here.findings("a") == []


def test_what_the_target_lost_is_not_dropped(here: Cell, there: Cell) -> None:
    fill(here, "a")
    here.mover("a").move(there.owner, quiet)
    with there.owner.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("DELETE FROM agentlog.events WHERE position = 3")
        connection.execute("TRUNCATE agentlog.tiles")
    with pytest.raises(NotArrived):
        here.mover("a").drop(there.owner)
    with there.owner.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute("DELETE FROM agentlog.moves")
    with pytest.raises(NotArrived):
        here.mover("a").drop(there.owner)
    assert here.findings("a") == []


def test_appends_of_others_do_not_wait_for_a_drop(here: Cell, there: Cell, here_url: str) -> None:
    fill(here, "a", "b")
    here.mover("a").move(there.owner, quiet)
    with psycopg.connect(here_url) as appending:
        appending.execute("SELECT FROM agentlog.counter FOR UPDATE")
        here.mover("a").drop(there.owner)
    assert here.findings("b") == []
