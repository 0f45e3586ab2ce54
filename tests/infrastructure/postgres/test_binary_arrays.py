"""Arrays in binary: PostgreSQL reads what was written."""

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.infrastructure.postgres.binary_arrays import (
    booleans,
    byte_strings,
    integers,
    register_arrays,
    texts,
)
from agentlog.infrastructure.postgres.database import Database

_TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))
_INTEGERS = st.integers(-(2**63), 2**63 - 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.none() | _TEXTS),
    st.lists(st.none() | st.binary()),
    st.lists(st.none() | _INTEGERS),
    st.lists(st.booleans()),
)
def test_what_goes_in_comes_out(
    database: Database,
    some_texts: list[str | None],
    some_bytes: list[bytes | None],
    some_integers: list[int | None],
    some_booleans: list[bool],
) -> None:
    with database.connection() as connection, connection.cursor(binary=True) as cursor:
        row = cursor.execute(
            "SELECT %s, %s, %s, %s",
            (
                texts(some_texts),
                byte_strings(some_bytes),
                integers(some_integers),
                booleans(some_booleans),
            ),
        ).fetchone()
    assert row == (some_texts, some_bytes, some_integers, some_booleans)


def test_each_kind_has_its_type(database: Database) -> None:
    arrays = texts(["a"]), byte_strings([b"a"]), integers([1]), booleans([True])
    with database.connection() as connection:
        row = connection.execute(
            "SELECT pg_typeof(%s), pg_typeof(%s), pg_typeof(%s), pg_typeof(%s)", arrays
        ).fetchone()
    assert row == ("text[]", "bytea[]", "bigint[]", "boolean[]")


def test_a_connection_has_to_know_them(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        with pytest.raises(psycopg.errors.UndefinedFunction):
            connection.execute("SELECT array_length(%s, 1)", (texts(["a"]),), binary=False)
        connection.rollback()
        register_arrays(connection)
        assert connection.execute("SELECT array_length(%s, 1)", (texts(["a"]),)).fetchone() == (1,)
