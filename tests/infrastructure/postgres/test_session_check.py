"""Sessions that are not as they were asked for, and a database that is another's copy."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.roles import UnsafeSession
from agentlog.infrastructure.postgres.write_access import (
    LogSubscribed,
    WriteAccess,
    WriteAccessWatch,
)
from tests.databases import new_database, subscribed
from tests.infrastructure.appends import Clock, Ids, reply, request
from tests.waiting import until


@pytest.mark.parametrize(
    ("option", "flaw"),
    [
        ("role=none", "its role is .*, not agentlog_service"),
        ("role=agentlog_tenant", "its role is agentlog_tenant"),
        ("statement_timeout=0", "it has no statement_timeout"),
        ("lock_timeout=0", "it has no lock_timeout"),
        ("idle_in_transaction_session_timeout=0", "it has no idle_in_transaction_session_timeout"),
    ],
)
def test_a_session_that_is_not_as_it_was_asked_for_is_refused(
    database_url: str, option: str, flaw: str
) -> None:
    """As behind a pooler that leaves out the options that a session begins with."""
    url = make_conninfo(database_url, options=f"-c {option}")
    with pytest.raises(UnsafeSession, match=flaw) as refused:
        Database(url, pool_size=1, in_role=True).open()
    assert "pooler" in str(refused.value)


def test_row_level_security_that_does_not_hold_is_refused(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE agentlog.events DISABLE ROW LEVEL SECURITY")
    with pytest.raises(UnsafeSession, match="row-level security does not hold for tenants"):
        Database(database_url, pool_size=1, in_role=True).open()


@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("in_role", [False, True])
def test_a_database_whose_log_a_subscription_fills_does_not_open(
    database_url: str, server_url: str, template_database: str, *, in_role: bool, forbidden: bool
) -> None:
    def database() -> Database:
        access = WriteAccess(forbidden=forbidden)
        return Database(database_url, pool_size=1, in_role=in_role, write_access=access)

    with (
        new_database(server_url, template=template_database) as publisher_url,
        subscribed(database_url, publisher_url),
        pytest.raises(LogSubscribed, match="hot standby of it, or drop the subscription"),
    ):
        database().open()
    with database():
        pass


def test_a_service_that_runs_lends_no_session_once_a_subscription_fills_the_log(
    database_url: str, server_url: str, template_database: str
) -> None:
    with (
        new_database(server_url, template=template_database) as publisher_url,
        Database(database_url, pool_size=1, in_role=True) as database,
        WriteAccessWatch(database.write_access, database.connect),
    ):
        access = database.write_access
        writer = Writer(database, clock=Clock(), new_id=Ids())
        writer.append(request("t", reply("before")))
        with subscribed(database_url, publisher_url):
            until(lambda: access.kind == "subscriber")
            assert not access.is_given
            with pytest.raises(LogSubscribed):
                writer.append(request("t", reply("a fork")))
            for source in (database, database.confined("tests")):  # what is no append
                with pytest.raises(LogSubscribed), source.connection():
                    pass
        until(lambda: access.is_given)
        writer.append(request("t", reply("after")))
