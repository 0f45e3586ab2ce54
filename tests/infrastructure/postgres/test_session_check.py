"""Sessions that are not as they were asked for, and a database that is another's copy."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseReadOnly
from agentlog.infrastructure.postgres.session_check import UnsafeSession
from agentlog.infrastructure.postgres.write_access import (
    LogCopying,
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


def test_the_service_does_not_work_where_a_subscription_fills_the_log(
    database_url: str, server_url: str, template_database: str
) -> None:
    with (
        new_database(server_url, template=template_database) as publisher_url,
        subscribed(database_url, publisher_url),
    ):
        with pytest.raises(LogSubscribed, match="name the publisher"):
            Database(database_url, pool_size=1, in_role=True).open()
        with Database(database_url, pool_size=1) as owner:  # who migrates it
            owner.migrate()
    with Database(database_url, pool_size=1, in_role=True):
        pass


def test_a_service_that_runs_writes_no_more_once_a_subscription_fills_the_log(
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
            with pytest.raises(DatabaseReadOnly, match="filled by a logical subscription"):
                writer.append(request("t", reply("a fork")))
            for source in (database, database.confined("tests")):  # what is no append
                with pytest.raises(DatabaseReadOnly), source.connection() as connection:
                    connection.execute("UPDATE agentlog.counter SET position = position")
        until(lambda: access.is_given)
        writer.append(request("t", reply("after")))


def test_a_log_that_is_being_copied_is_not_lent(
    database_url: str, server_url: str, template_database: str
) -> None:
    with (
        new_database(server_url, template=template_database) as publisher_url,
        subscribed(database_url, publisher_url, copying=True),
    ):
        with pytest.raises(LogSubscribed):
            Database(database_url, pool_size=1, in_role=True).open()
        access = WriteAccess(forbidden=True)
        with (
            Database(database_url, pool_size=1, in_role=True, write_access=access) as database,
            WriteAccessWatch(access, database.connect),
        ):
            reader = LogReader(database.confined("tests"), tenant="tests")
            for read in (reader.position, reader.log):
                with pytest.raises(LogCopying, match="is copying the log"):
                    read()
            with psycopg.connect(database_url, autocommit=True) as owner:
                owner.execute("UPDATE pg_subscription_rel SET srsubstate = 'r'")
            until(lambda: access.kind == "subscriber")
            assert reader.log() == []
