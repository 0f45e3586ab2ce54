"""The record of moves explains gaps, and a forged one explains nothing."""

from dataclasses import replace
from typing import LiteralString

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.infrastructure.audit.findings import check_all_tenants
from agentlog.infrastructure.audit.moves import insert_move, moves_of
from agentlog.infrastructure.audit.notes import VerifierKey, origin_of, public_key_of
from tests.extensions.cells.cells import KEY, Cell


@pytest.fixture
def moved(here: Cell, there: Cell) -> Cell:
    """What a tenant has left, and was dropped from."""
    for number in range(4):
        for tenant in ("a", "b"):
            here.append(tenant, "t", str(number))
    there.append("c", "t", "x", "y")
    here.mover("a").move(there.owner, lambda *_: None)
    here.mover("a").drop(there.owner)
    assert here.findings("b") == there.findings("a", "c") == []
    return here


def forge(cell: Cell, statement: str) -> None:
    with cell.owner.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(statement.encode())


FORGERIES = {
    "UPDATE agentlog.moves SET taken = taken + '{[2,3)}'": "move-differs",
    "UPDATE agentlog.moves SET last_position = 6 WHERE step = 'left'": "move-differs",
    "UPDATE agentlog.moves SET step = 'released' WHERE step = 'left'": "move-differs",
    "DELETE FROM agentlog.moves WHERE step = 'dropped'": "position-missing",
    "DELETE FROM agentlog.moves WHERE step = 'left'": "move-differs",
    "DELETE FROM agentlog.moves": "position-missing",
    "DELETE FROM agentlog.events WHERE position = 8": "position-missing",
    "UPDATE agentlog.events SET position = 1 WHERE position = 2": "position-missing",
    "UPDATE agentlog.counter SET position = 9": "position-missing",
}


@pytest.mark.parametrize("statement", FORGERIES)
def test_a_gap_that_no_move_explains_is_broken(moved: Cell, statement: str) -> None:
    forge(moved, statement)
    codes = [finding.partition(":")[0] for finding in moved.findings()]
    assert FORGERIES[statement] in codes


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE agentlog.events SET position = 4 WHERE tenant = 'a' AND version = 2",
        "DELETE FROM agentlog.events WHERE tenant = 'a' AND version = 4",
    ],
)
def test_what_arrived_is_checked_within_its_tenant(
    moved: Cell, there: Cell, statement: str
) -> None:
    assert moved.findings() == []
    forge(there, statement)
    assert there.findings("a") != []


@pytest.mark.parametrize("tenant", ["a", "b"])
def test_a_step_signed_by_another_key_is_found_by_who_holds_a_key(moved: Cell, tenant: str) -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    with moved.owner.connection() as connection:
        last = moves_of(connection, "a")[-1]
        forged = replace(last, number=last.number + 1, step="arrived", taken="{}")
        insert_move(connection, forged, other)
    held = VerifierKey(origin_of(tenant), public_key_of(KEY))
    audit = check_all_tenants(moved.owner, public_key=held).audit
    assert any("another key" in finding.detail for finding in audit.findings)


@pytest.mark.parametrize(
    "verb", ["UPDATE agentlog.moves SET other = 'x'", "DELETE FROM agentlog.moves"]
)
def test_no_step_is_changed(moved: Cell, verb: str) -> None:
    with moved.owner.connection() as connection, pytest.raises(psycopg.errors.RestrictViolation):
        connection.execute(verb.encode())


DELETIONS: dict[str, LiteralString] = {
    "events": "DELETE FROM agentlog.events",
    "checkpoints": "DELETE FROM agentlog.checkpoints",
}


@pytest.mark.parametrize("table", DELETIONS)
def test_rows_go_only_where_their_tenant_was_dropped(here: Cell, table: str) -> None:
    here.append("a", "t", "x")
    insert = "INSERT INTO agentlog.checkpoints VALUES ('a', 1, 1, '', '', '')"
    with here.owner.connection() as connection:
        connection.execute(insert)
        with pytest.raises(psycopg.errors.RestrictViolation):
            connection.execute(DELETIONS[table])
