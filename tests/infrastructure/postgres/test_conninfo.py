"""Where a database is: what is off is told, and no password with it."""

import traceback

import pytest

from agentlog.infrastructure.postgres.conninfo import InvalidConninfo, read_conninfo
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

SECRET = "hunter2"  # noqa: S105 - to be looked for


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://me:{SECRET}@host/db?sslmode",
        f"postgresql://me:pa ss{SECRET}@host:x y/db",
        f"postgresql://me:p@{SECRET}@host/db",  # an @ begins the host
        f"postgresql://me:{SECRET}/x@host/db",  # a / ends it, so the password is a port
        f"postgresql://me:%zz{SECRET}@host/db",
        f"postgresql://[{SECRET}",
        f"host=h password {SECRET}",
        f"host=h {SECRET}=1",
        f"password={SECRET} port={SECRET}",
        f"host=h password='{SECRET}",
    ],
)
def test_what_is_off_is_told_without_the_password(text: str) -> None:
    with pytest.raises(InvalidConninfo, match="write postgresql://USER:PASSWORD@HOST"):
        read_conninfo(text)
    with pytest.raises(DatabaseUnavailable, match="the URL does not parse: write") as refused:
        Database(text, pool_size=1)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:p%40ss%2Fword@host:5432/db",
        "postgresql:///db?host=/run/postgresql",
        "postgresql://a:1,b:2/db",
        "host=h port=5432 dbname=db",
        "dbname=db",
        "",
    ],
)
def test_whatever_libpq_takes_is_taken(text: str) -> None:
    read_conninfo(text)


def test_a_password_of_any_characters_goes_where_it_belongs() -> None:
    parameters = read_conninfo("postgresql://me:p%40ss%2Fw%3Aord@host:5432/db")
    assert (parameters["password"], parameters["host"], parameters["port"]) == (
        "p@ss/w:ord",
        "host",
        "5432",
    )
