"""The record of accesses only grows, and each tenant has its own."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from agentlog.infrastructure.keys.accesses import (
    Access,
    Accesses,
    AccessesNotOwned,
    AccessNotRecorded,
    forget_accesses,
)
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.postgres.relay import Relay

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def access(**changes: Any) -> Access:
    usual: dict[str, Any] = {
        "tenant": "t",
        "at": NOON,
        "key_id": "a" * 12,
        "method": "GET",
        "route": "/v1/threads/{thread_id}",
        "thread_id": "support-42",
        "status": 200,
        "request_id": "r1",
    }
    return Access(**{**usual, **changes})


def test_accesses_are_listed_the_latest_first(own_database: Database) -> None:
    accesses = Accesses(own_database)
    noted = [access(at=NOON + timedelta(seconds=n), request_id=str(n)) for n in range(3)]
    for read in noted:
        accesses.note(read)
    accesses.note(access(tenant="other"))
    listed = accesses.page("t")
    assert [asdict(read) | {"number": None} for read in listed] == [
        asdict(read) | {"number": None} for read in reversed(noted)
    ]
    assert accesses.page("t", before=listed[0].number, limit=1) == [listed[1]]


def test_accesses_are_found_by_key_and_thread(own_database: Database) -> None:
    accesses = Accesses(own_database)
    accesses.note(access(key_id=None, thread_id=None))
    accesses.note(access(key_id="b" * 12))
    accesses.note(access(thread_id="t-2"))
    assert [read.thread_id for read in accesses.page("t", key_id="a" * 12)] == ["t-2"]
    assert [read.key_id for read in accesses.page("t", thread_id="support-42")] == ["b" * 12]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM agentlog.accesses",
        "TRUNCATE agentlog.accesses",
        "UPDATE agentlog.accesses SET status = 404",
    ],
)
def test_the_database_refuses_the_owner_any_change(own_database: Database, statement: str) -> None:
    Accesses(own_database).note(access())
    with (
        own_database.connection() as connection,
        pytest.raises(psycopg.errors.RestrictViolation, match="only grows"),
    ):
        connection.execute(statement.encode())


def test_what_cannot_be_recorded_is_said(database_url: str) -> None:
    with (
        Relay(database_url) as relay,
        Database(relay.url, pool_size=1, wait_seconds=0.1) as database,
    ):
        relay.cut()
        with pytest.raises(AccessNotRecorded, match="AGENTLOG_READ_AUDIT"):
            Accesses(database).note(access())


def test_what_the_database_refuses_is_not_recorded(own_database: Database) -> None:
    with pytest.raises(AccessNotRecorded):
        Accesses(own_database).note(access(route="\x00"))


def test_old_accesses_go_by_the_owner_alone_and_a_record_says_so(
    own_database: Database, database_url: str
) -> None:
    accesses = Accesses(own_database)
    for days in (400, 401, 30):
        accesses.note(access(at=NOON - timedelta(days=days)))
    accesses.note(access(tenant="other", at=NOON - timedelta(days=500)))
    before = NOON - timedelta(days=365)
    with (
        Database(database_url, pool_size=1, in_role=True) as of_the_service,
        pytest.raises(AccessesNotOwned, match="AGENTLOG_ACCESS_DAYS"),
    ):
        forget_accesses(of_the_service, before=before)
    assert forget_accesses(own_database, before=before) == 3
    noted, kept = accesses.page("t")
    assert kept.at == NOON - timedelta(days=30)
    assert (noted.method, noted.route) == ("DELETE", "accesses before 2025-11-21: 2")
    (other,) = accesses.page("other")
    assert other.route == "accesses before 2025-11-21: 1"
    assert forget_accesses(own_database, before=before) == 0
    with own_database.connection() as connection, pytest.raises(psycopg.errors.RestrictViolation):
        connection.execute("DELETE FROM agentlog.accesses")
