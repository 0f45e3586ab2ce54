"""A tenant that moves is whole at its new place, its gaps are explained, and one place takes it."""

from functools import partial
from queue import Queue
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentlog.extensions.cells.errors import (
    KeyTaken,
    MoveRefused,
    NotLeft,
    SameDatabase,
    TenantThere,
)
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest, Outcomes
from agentlog.infrastructure.audit.moves import moves_of
from agentlog.infrastructure.postgres.errors import TenantElsewhere, TenantMoving
from tests.databases import new_database
from tests.extensions.cells.cells import Cell, cell_on
from tests.infrastructure.appends import fetch, reply
from tests.waiting import WAIT_SECONDS

TENANTS = ("a", "b", "c")


def quiet(_: str, __: int) -> None:
    """Show nothing."""


def interrupt(at: str, step: str, _: int) -> None:
    """Break off at a step."""
    if step == at:
        raise KeyboardInterrupt


def fill(cell: Cell, *tenants: str) -> None:
    for number in range(6):
        for tenant in tenants:
            cell.append(tenant, f"t{number % 2}", f"{tenant} says {number}", "and more")


def test_a_tenant_arrives_with_all_that_it_had(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    fill(there, "c", "d", "e")
    views, rows = here.views("a", "t0"), here.rows("a", "t0")
    there.rows("c", "t0")
    arrival = here.mover("a").move(there.owner, quiet)
    assert there.views("a", "t0") == views
    assert there.rows("a", "t0") == rows
    assert there.findings("a", "c", held=arrival.checkpoint) == []
    assert here.findings("b") == []
    here.mover("a").drop(there.owner)
    assert here.findings("b") == []
    assert fetch(here.owner, "SELECT count(*) FROM agentlog.events WHERE tenant = 'a'") == [(0,)]
    assert {len(of_model) for of_model in here.rows("a", "t0").values()} == {0}


def test_it_goes_on_at_its_new_place_and_nowhere_else(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    fill(there, "c")
    before = here.append("a", "t0", "last")
    arrival = here.mover("a").move(there.owner, quiet)
    with pytest.raises(TenantElsewhere) as refused:
        here.append("a", "t0", "too late")
    assert refused.value.other == moves_of_tenant(here, "a")[-1].other
    here.append("b", "t0", "goes on")
    after = there.append("a", "t0", "next")
    assert isinstance(before, Appended)
    assert isinstance(after, Appended)
    assert after.version == before.version + 1
    assert after.position > arrival.counter_after >= before.position
    assert there.findings("a", "c", held=arrival.checkpoint) == []


def moves_of_tenant(cell: Cell, tenant: str) -> Any:
    with cell.owner.connection() as connection:
        return moves_of(connection, tenant)


def test_others_of_one_commit_are_not_refused_with_it(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    here.mover("a").move(there.owner, quiet)
    outcomes: Queue[tuple[str, Outcomes]] = Queue()
    for tenant in ("b", "a", "b"):
        said = AppendRequest(tenant, "t0", [reply("x")])
        here.writer.submit([said], partial(_keep, outcomes, tenant))
    for _ in range(3):
        tenant, outcome = outcomes.get(timeout=WAIT_SECONDS)
        assert isinstance(outcome, TenantElsewhere) is (tenant == "a")


def _keep(kept: Queue[tuple[str, Outcomes]], tenant: str, outcomes: Outcomes) -> None:
    kept.put((tenant, outcomes))


def test_what_is_fenced_waits_and_can_be_released(here: Cell, there: Cell) -> None:
    fill(here, "a")
    with pytest.raises(KeyboardInterrupt):
        here.mover("a").move(there.owner, partial(interrupt, "check"))
    with pytest.raises(TenantMoving):
        here.append("a", "t0", "x")
    assert fetch(there.owner, "SELECT count(*) FROM agentlog.events") == [(0,)]
    here.mover("a").release(there.owner)
    here.append("a", "t0", "x")
    assert here.findings("a") == []
    with pytest.raises(MoveRefused, match="no move"):
        here.mover("a").release(there.owner)


def test_what_has_arrived_is_not_released(here: Cell, there: Cell) -> None:
    fill(here, "a")
    with pytest.raises(KeyboardInterrupt):
        here.mover("a").move(there.owner, partial(interrupt, "arrived"))
    with pytest.raises(MoveRefused):
        here.mover("a").release(there.owner)
    here.mover("a").move(there.owner, quiet)
    with pytest.raises(TenantElsewhere):
        here.append("a", "t0", "x")


def test_what_has_moved_on_is_not_copied_again(here: Cell, there: Cell, database_url: str) -> None:
    fill(here, "a")
    with pytest.raises(KeyboardInterrupt):
        here.mover("a").move(there.owner, partial(interrupt, "arrived"))
    with cell_on(database_url) as third:
        there.mover("a").move(third.owner, quiet)
        there.mover("a").drop(third.owner)
        here.mover("a").move(there.owner, quiet)
        assert there.findings("a") == []
        assert fetch(there.owner, "SELECT count(*) FROM agentlog.events") == [(0,)]
        third.append("a", "t0", "goes on")
        assert third.findings("a") == []
    with pytest.raises(TenantElsewhere):
        here.append("a", "t0", "x")


KEY_ROW = (
    "INSERT INTO agentlog.keys (id, tenant, name, scopes, secret_sha256, created_at) "
    "VALUES ('aaaaaaaaaaaa', %s, 'k', '{read}', sha256(%s), now())"
)


def test_a_key_whose_id_is_another_s_there_is_not_passed_over(here: Cell, there: Cell) -> None:
    fill(here, "a")
    for cell, tenant in ((here, "a"), (there, "c")):
        with cell.owner.connection() as connection:
            connection.execute(KEY_ROW, (tenant, tenant.encode()))
    with pytest.raises(KeyTaken):
        here.mover("a").move(there.owner, quiet)
    assert fetch(there.owner, "SELECT tenant FROM agentlog.keys") == [("c",)]
    here.mover("a").release(there.owner)
    here.append("a", "t0", "x")


ACCESS = (
    "INSERT INTO agentlog.accesses (tenant, at, method, route, status, request_id) "
    "VALUES ('a', '2026-01-01', 'GET', '/v1/threads', 200, %s)"
)


def test_a_tenant_that_comes_back_as_it_was_is_copied(here: Cell, there: Cell) -> None:
    fill(here, "a")
    views = here.views("a", "t0")
    with here.owner.connection() as connection:
        connection.cursor().executemany(ACCESS, [("1",), ("2",)])
    for source, target in ((here, there), (there, here), (here, there)):
        source.mover("a").move(target.owner, quiet)
        source.mover("a").drop(target.owner)
        assert target.views("a", "t0") == views
        accesses = "SELECT request_id FROM agentlog.accesses ORDER BY number"
        assert fetch(target.owner, accesses) == [("1",), ("2",)]
    assert here.findings("a") == there.findings("a") == []


def test_moves_that_make_no_sense_are_refused(here: Cell, there: Cell) -> None:
    fill(here, "a", "b")
    fill(there, "a")
    with pytest.raises(SameDatabase):
        here.mover("a").move(here.owner, quiet)
    with pytest.raises(TenantThere):
        here.mover("a").move(there.owner, quiet)
    with pytest.raises(MoveRefused, match="no events"):
        here.mover("nobody").move(there.owner, quiet)
    with pytest.raises(NotLeft):
        here.mover("a").drop(there.owner)
    here.append("a", "t0", "x")


ACTS = st.one_of(
    st.tuples(st.just("append"), st.sampled_from(TENANTS), st.integers(1, 3)),
    st.tuples(st.just("move"), st.sampled_from(TENANTS), st.booleans()),
)


@settings(max_examples=8, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(acts=st.lists(ACTS, min_size=4, max_size=16))
def test_both_ends_are_whole_after_any_moves(
    server_url: str, template_database: str, acts: list[Any]
) -> None:
    with (
        new_database(server_url, template=template_database) as first,
        new_database(server_url, template=template_database) as second,
        cell_on(first) as one,
        cell_on(second) as two,
    ):
        homes = dict.fromkeys(TENANTS, (one, two))
        sizes = dict.fromkeys(TENANTS, 0)
        for act, tenant, how in acts:
            home, other = homes[tenant]
            if act == "append":
                texts = [str(number) for number in range(how)]
                home.append(tenant, "t", *texts)
                sizes[tenant] += how
            elif sizes[tenant]:
                home.mover(tenant).move(other.owner, quiet)
                homes[tenant] = other, home
                if how:
                    assert home.findings(*TENANTS) == []
                home.mover(tenant).drop(other.owner)
        for tenant, (home, _) in homes.items():
            with home.owner.connection() as connection:
                counted = "SELECT count(*) FROM agentlog.events WHERE tenant = %s"
                assert connection.execute(counted, (tenant,)).fetchone() == (sizes[tenant],)
        assert one.findings(*TENANTS) == []
        assert two.findings(*TENANTS) == []
