"""A server that hangs, or a network that swallows all, beside a statement that takes long."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.conninfo import Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable, OutcomeUnknown
from tests.infrastructure.appends import Clock, Ids, fetch, reply, request
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS, until


@pytest.fixture
def relay(database_url: str) -> Iterator[Relay]:
    with Relay(database_url) as way:
        yield way


@pytest.fixture
def database(relay: Relay) -> Iterator[Database]:
    """A database by way of the relay, which has to answer within two seconds."""
    with Database(relay.url, pool_size=2, timeouts=Timeouts(answer_seconds=2)) as opened:
        yield opened
        relay.flow()


def _asked(database: Database) -> int:
    with database.connection() as connection:
        row = connection.execute("SELECT 1").fetchone()
    return 0 if row is None else int(row[0])


def _is_back(database: Database) -> bool:
    try:
        return _asked(database) == 1
    except DatabaseUnavailable:
        return False


def test_callers_of_a_server_that_hangs_are_refused_soon_and_served_again(
    relay: Relay, database: Database
) -> None:
    assert _asked(database) == 1
    relay.swallow()
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(_asked, database) for _ in range(4)]
        for future in waiting:
            with pytest.raises(DatabaseUnavailable):
                future.result(WAIT_SECONDS)
    began = time.monotonic()
    with pytest.raises(DatabaseUnavailable):
        _asked(database)
    assert time.monotonic() - began < 2  # it is known
    relay.flow()
    until(lambda: _is_back(database))


def test_an_append_that_got_no_answer_is_not_said_to_be_refused(
    relay: Relay, database: Database
) -> None:
    writer = Writer(database, clock=Clock(), new_id=Ids())
    writer.append(request("t", reply("one")))
    relay.swallow()
    draft = {**reply("two"), "id": "01JD8Z3Q5N7V2M4K6H8G0F1E2D"}
    with ThreadPoolExecutor(1) as pool:
        appending = pool.submit(writer.append, request("t", draft))
        with pytest.raises(OutcomeUnknown, match="same message ids"):
            appending.result(WAIT_SECONDS)
    with pytest.raises(DatabaseUnavailable) as refused:
        writer.append(request("t", reply("three")))
    assert not isinstance(refused.value, OutcomeUnknown)  # it was not sent
    relay.flow()
    until(lambda: _is_back(database))
    again = writer.append(request("t", draft))
    assert isinstance(again, Appended)
    assert again.version == 2
    assert fetch(database, "SELECT version FROM agentlog.events ORDER BY 1") == [(1,), (2,)]


def test_a_statement_that_takes_long_is_left_alone(database: Database) -> None:
    assert fetch(database, "SELECT 1 FROM pg_sleep(3)") == [(1,)]
