"""A database with the histories of two tenants, built read models, and analysts of either."""

from base64 import b64encode
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.databases import new_database
from tests.infrastructure.analysts.logins import analyst_url, login_of
from tests.infrastructure.appends import STORY, TENANT, Clock, Ids, reply
from tests.infrastructure.readmodels.tables import catch_up

OTHER = "somebody else"
SECRET = "the other's secret"  # noqa: S105 - it is what must not be seen
LONG = "a prompt that repeats, é, \\u0000 and all " * 30

LEAK = """
CREATE FUNCTION public.leak(seen text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
BEGIN
    IF seen LIKE 'secret%' THEN
        RAISE EXCEPTION 'leaked %', seen;
    END IF;
    RETURN true;
END
$$
"""
"""A function that tells what it sees, and that the planner would rather call before all others."""


@pytest.fixture(scope="module")
def full(server_url: str, template_database: str) -> Iterator[Database]:
    """The database; nobody changes it."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        facts = ({"type": "thread.started", "policy": "record"},)
        other = [{"type": "system", "text": LONG + SECRET}, reply(SECRET), *STORY]
        file = {"type": "input", "files": [{"data": b64encode(bytes(range(256)) * 8).decode()}]}
        ours = [{"type": "system", "text": LONG}, file, *STORY, {"type": "log", "text": "\x00"}]
        writer.append(AppendRequest(OTHER, "secret-thread", other, facts, None))
        writer.append(AppendRequest(TENANT, "our-thread", ours, facts, None))
        with database.connection() as connection:
            connection.execute(LEAK)
        for model in READ_MODELS.values():
            catch_up(database, model)
        yield database


@pytest.fixture(scope="module")
def analyst(full: Database) -> Analyst:
    """The analyst of the tests' tenant."""
    return Analyst(login_of(full, TENANT), tenant=TENANT, slots=Slots())


@pytest.fixture(scope="module")
def other_analyst(full: Database) -> Analyst:
    """The analyst of the other one."""
    return Analyst(login_of(full, OTHER), tenant=OTHER, slots=Slots())


@pytest.fixture
def logged_in(full: Database) -> Iterator[psycopg.Connection]:
    """A connection of the analysts' own, which they try to talk out of everything."""
    url = analyst_url(full, TENANT)
    with psycopg.connect(make_conninfo(url, options=""), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute("SET statement_timeout = '20s'")
        connection.execute("SELECT set_config('agentlog.tenant', %s, false)", (OTHER,))
        yield connection
