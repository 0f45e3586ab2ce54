"""Prepared statements: every value arrives as it was, and failures are those of psycopg."""

import _thread
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import psycopg
import pytest
from psycopg.pq.abc import PGresult

from infrastructure.postgres.binary_arrays import booleans, byte_strings, integers, texts
from infrastructure.postgres.prepared_statements import Parameter, Prepared

EVERY_TYPE = """
SELECT array_to_json(ARRAY[
    %(text)s::text = U&'d\\00e9j\\00e0 \\+01F600',
    %(bytes)s::bytea = '\\x00ff',
    %(nothing)b::bytea IS NULL,
    %(small)s::bigint = 1,
    %(large)s::bigint = -9223372036854775808,
    %(yes)s::boolean,
    NOT %(no)s::boolean,
    %(time)s::timestamptz = '2026-11-22 01:02:03.000004+00',
    %(long_ago)s::timestamptz = '1969-07-20 20:17:40+00',
    %(texts)b::text[] = ARRAY['a', NULL],
    %(byte_strings)b::bytea[] = ARRAY['\\x01'::bytea],
    %(integers)b::bigint[] = ARRAY[7, NULL]::bigint[],
    %(booleans)b::boolean[] = ARRAY[true, false],
    %(text)s::text <> ''
])::text
"""
VALUES: dict[str, Parameter] = {
    "text": "déjà 😀",
    "bytes": b"\x00\xff",
    "nothing": None,
    "small": 1,
    "large": -(2**63),
    "yes": True,
    "no": False,
    "time": datetime(2026, 11, 22, 3, 2, 3, 4, tzinfo=timezone(timedelta(hours=2))),
    "long_ago": datetime(1969, 7, 20, 20, 17, 40, tzinfo=UTC),
    "texts": texts(["a", None]),
    "byte_strings": byte_strings([b"\x01"]),
    "integers": integers([7, None]),
    "booleans": booleans([True, False]),
}


def _execute(
    prepared: Prepared,
    connection: psycopg.Connection,
    name: str,
    parameters: dict[str, Parameter],
) -> PGresult:
    return prepared.execute(connection, name, parameters)


@pytest.fixture
def connection(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The statements that there are, by name."""
    found: dict[str, str] = {}
    monkeypatch.setattr("infrastructure.postgres.prepared_statements.statement", found.__getitem__)
    return found


def test_every_value_arrives_as_it_was(
    connection: psycopg.Connection, statements: dict[str, str]
) -> None:
    statements["all"] = EVERY_TYPE
    prepared = Prepared()
    for _ in range(7):  # with plans for these values, and for any
        (row,) = [_execute(prepared, connection, "all", VALUES).get_value(0, 0)]
        assert row == b"[" + b",".join([b"true"] * 14) + b"]"
    assert _execute(prepared, connection, "all", {**VALUES, "small": 2}).get_value(0, 0) != row


def test_a_statement_is_prepared_once_a_connection(
    connection: psycopg.Connection, statements: dict[str, str], database_url: str
) -> None:
    statements["one"] = "SELECT %(number)s::bigint"
    prepared = Prepared()
    with psycopg.connect(database_url, autocommit=True) as other:
        for each in (connection, other, connection, other):
            assert (
                _execute(prepared, each, "one", {"number": 5}).get_value(0, 0) == b"\0" * 7 + b"\5"
            )
            names = each.execute("SELECT name FROM pg_prepared_statements WHERE from_sql = false")
            assert ("one",) in names.fetchall()


def test_a_failure_is_that_of_the_server_and_leaves_the_connection_whole(
    connection: psycopg.Connection, statements: dict[str, str]
) -> None:
    statements["wrong"] = "SELECT nowhere"
    statements["by"] = "SELECT 1 / %(number)s::bigint"
    prepared = Prepared()
    for _ in range(2):
        with pytest.raises(psycopg.errors.UndefinedColumn, match="nowhere"):
            _execute(prepared, connection, "wrong", {})
        with pytest.raises(psycopg.errors.DivisionByZero):
            _execute(prepared, connection, "by", {"number": 0})
    assert _execute(prepared, connection, "by", {"number": 1}).ntuples == 1


def test_a_connection_that_is_gone_is_told_as_such(
    connection: psycopg.Connection, statements: dict[str, str], database_url: str
) -> None:
    statements["one"] = "SELECT %(number)s::bigint"
    prepared = Prepared()
    _execute(prepared, connection, "one", {"number": 1})
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            _execute(prepared, connection, "one", {"number": 1})
    assert connection.closed


def test_ctrl_c_ends_a_statement_and_not_the_connection(
    connection: psycopg.Connection, statements: dict[str, str]
) -> None:
    statements["long"] = "SELECT pg_sleep(%(number)s::bigint)"
    prepared = Prepared()
    _execute(prepared, connection, "long", {"number": 0})
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        _execute(prepared, connection, "long", {"number": 50})
    assert connection.execute("SELECT 1").fetchone() == (1,)
    assert _execute(prepared, connection, "long", {"number": 0}).ntuples == 1


def test_what_psycopg_has_dropped_is_prepared_again(
    connection: psycopg.Connection, statements: dict[str, str]
) -> None:
    statements["one"] = "SELECT %(number)s::bigint"
    prepared = Prepared()
    _execute(prepared, connection, "one", {"number": 1})
    for _ in range(2):
        for number in range(9):  # psycopg prepares it, and drops everything after a rollback
            connection.execute("SELECT %s::text", (str(number),))
        connection.execute("BEGIN")
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT name FROM pg_prepared_statements").fetchall() == []
        assert _execute(prepared, connection, "one", {"number": 1}).ntuples == 1
