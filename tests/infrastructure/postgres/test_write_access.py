"""Write access: looked at again and again, and what depends on it follows."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseReadOnly
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, KEYED, Listener
from agentlog.infrastructure.postgres.migration import MigrationError
from agentlog.infrastructure.postgres.roles import UnsafeSession
from agentlog.infrastructure.postgres.write_access import (
    WhileWritable,
    WriteAccess,
    WriteAccessWatch,
)
from tests.infrastructure.appends import Clock, Ids, fetch, reply, request
from tests.waiting import until

WRITER = "https://writer.example"
READ_ONLY = "-c default_transaction_read_only=on"


def test_a_change_is_noticed_and_followed_both_ways(
    own_database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    access, events = WriteAccess(), []

    @contextmanager
    def running() -> Iterator[None]:
        events.append("began")
        yield
        events.append("ended")

    session = own_database.connect()
    with WriteAccessWatch(access, lambda: session), WhileWritable(access, running):
        assert events == ["began"]
        session.execute("SET default_transaction_read_only = on")
        until(lambda: not access.is_given)
        with pytest.raises(DatabaseReadOnly):
            access.check()
        until(lambda: events == ["began", "ended"])
        session.execute("SET default_transaction_read_only = off")
        until(lambda: events == ["began", "ended", "began"])
        access.check()
    assert events == ["began", "ended", "began", "ended"]
    assert caplog.messages == [
        "the service is now: read-only, and was: writer",
        "the service is now: writer, and was: read-only",
    ]


def test_a_look_that_fails_is_repeated_by_another_session(own_database: Database) -> None:
    access, sessions = WriteAccess(), []

    def connect() -> psycopg.Connection:
        sessions.append(own_database.connect())
        return sessions[-1]

    with WriteAccessWatch(access, connect):
        until(lambda: sessions)
        sessions[0].close()
        access.wanted.set()
        until(lambda: len(sessions) > 1)
    assert access.is_given


def test_where_writes_are_forbidden_no_session_takes_any_whatever_the_url_sets(
    database_url: str,
) -> None:
    url = make_conninfo(database_url, options="-c default_transaction_read_only=off")
    access = WriteAccess(forbidden=True, writer_url=WRITER)
    with Database(url, pool_size=1, in_role=True, write_access=access) as database:
        assert access.kind == "read-only"
        writer = Writer(database, clock=Clock(), new_id=Ids())
        with pytest.raises(DatabaseReadOnly, match=f"send it to {WRITER}"):
            writer.append(request("t", reply("one")))
        for source in (database, database.confined("tests")):
            with (
                pytest.raises(DatabaseReadOnly, match=f"send it to {WRITER}") as refused,
                source.connection() as connection,
            ):
                connection.execute("UPDATE agentlog.counter SET position = position")
            assert refused.value.writer == WRITER
        assert fetch(database, "SELECT position FROM agentlog.counter") == [(0,)]


def test_a_session_that_may_write_where_it_is_forbidden_is_refused(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a pooler that leaves out the options that a session begins with."""
    monkeypatch.setattr(
        "agentlog.infrastructure.postgres.conninfo.make_conninfo",
        lambda **given: make_conninfo(**{**given, "options": given["options"][: -len(READ_ONLY)]}),
    )
    access = WriteAccess(forbidden=True)
    with pytest.raises(UnsafeSession, match="it may write"):
        Database(database_url, pool_size=1, in_role=True, write_access=access).open()


def test_a_schema_is_not_brought_up_to_date_where_nothing_is_written(
    empty_database_url: str,
) -> None:
    url = make_conninfo(empty_database_url, options=READ_ONLY)
    with (
        Database(url, pool_size=1) as database,
        pytest.raises(MigrationError, match="`agentlog migrate` on the writer's database"),
    ):
        database.migrate()


def test_where_nothing_notifies_only_what_has_moved_is_notified(database_url: str) -> None:
    url = make_conninfo(database_url, options=READ_ONLY)
    with (
        Database(database_url, pool_size=2) as database,
        Database(url, pool_size=1) as reading,
        Listener(reading, poll_seconds=3600.0) as listener,
    ):
        heard: list[str] = []
        for channel in (KEYED, APPENDED):  # the thread starts with the first
            listener.on(channel, lambda channel=channel: heard.append(channel))  # type: ignore[misc]
        until(lambda: KEYED in heard)  # at first all may have
        heard.clear()
        Writer(database, clock=Clock(), new_id=Ids()).append(request("t", reply("one")))
        until(lambda: heard)
        assert set(heard) == {APPENDED}
