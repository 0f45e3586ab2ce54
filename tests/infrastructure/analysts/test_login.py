"""Logins of analysts: made where they may be, refused where they could do more than read."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.errors import (
    AnalystNotConfined,
    NoAnalystLogin,
    QueryForbidden,
)
from agentlog.infrastructure.analysts.login import (
    given_login,
    grants,
    make_role,
    own_login,
    role_of,
)
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.readmodels import builds
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.databases import new_database
from tests.infrastructure.analysts.logins import analyst_url, login_of
from tests.infrastructure.analysts.test_analyst import rows
from tests.infrastructure.appends import TENANT, Clock, Ids, fetch, reply, request
from tests.infrastructure.readmodels.tables import catch_up


def _analyst(url: str, tenant: str = TENANT) -> Analyst:
    return Analyst(given_login(url), tenant=tenant, slots=Slots())


def test_without_a_login_the_error_says_how_to_get_one() -> None:
    with pytest.raises(NoAnalystLogin, match=r"--grants.*AGENTLOG_ANALYST_URL"):
        Analyst(given_login(None), tenant=TENANT, slots=Slots()).query("SELECT 1")


def test_what_grants_prints_is_all_that_an_administrator_has_to_run(own_database: Database) -> None:
    with own_database.connection() as connection:
        script = grants('a tenant\'s "name"; --', database=connection.info.dbname)
    role = role_of('a tenant\'s "name"; --')
    assert "PASSWORD 'choose one of your own'" in script
    with own_database.connect() as connection:
        connection.execute(script.encode())
        connection.execute(script.encode())  # once more does no harm
        url = make_conninfo(
            own_database._conninfo,
            user=role,
            password="choose one of your own",  # noqa: S106
        )
        result = _analyst(url, 'a tenant\'s "name"; --').query("SELECT current_user, tenant()")
        assert rows(result) == [[role, 'a tenant\'s "name"; --']]


def test_the_login_of_our_own_server_is_made_when_it_is_first_needed(
    database_url: str, own_database: Database
) -> None:
    with psycopg.connect(database_url) as connection:
        if connection.pgconn.used_password:
            pytest.skip("this server asks for passwords: it is not our own")
    analyst = Analyst(
        own_login(own_database, database_url, tenant=TENANT), tenant=TENANT, slots=Slots()
    )
    assert fetch(own_database, "SELECT * FROM agentlog.analysts") == []
    assert rows(analyst.query("SELECT session_user")) == [[role_of(TENANT)]]
    assert fetch(own_database, "SELECT * FROM agentlog.analysts") == [(role_of(TENANT), TENANT)]
    ((attributes,),) = fetch(
        own_database,
        "SELECT ARRAY[rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls] "
        "FROM pg_roles WHERE rolname = %s",
        role_of(TENANT),
    )
    assert attributes == [False] * 5


def test_many_databases_of_a_server_may_make_the_role_at_once(
    server_url: str, template_database: str
) -> None:
    tenant = "made by many"
    with ExitStack() as stack:
        urls = [
            stack.enter_context(new_database(server_url, template=template_database))
            for _ in range(4)
        ]

        def make(url: str) -> None:
            with psycopg.connect(url, autocommit=True) as connection:
                make_role(connection, tenant)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(make, urls * 2))
        for url in urls:
            with psycopg.connect(url) as connection:
                bound = connection.execute("SELECT role, tenant FROM agentlog.analysts").fetchall()
            assert bound == [(role_of(tenant), tenant)]


MISTAKES = {
    "the owner": ("beyond reading", ["ALTER ROLE {role} SUPERUSER"]),
    "may make roles": ("beyond reading", ["ALTER ROLE {role} CREATEROLE"]),
    "reads everything": ("beyond reading", ["GRANT pg_read_all_data TO {role}"]),
    "reads files": ("beyond reading", ["GRANT pg_read_server_files TO {role}"]),
    "enters our schema": ("agentlog's own tables", ["GRANT USAGE ON SCHEMA agentlog TO {role}"]),
    "reads a column": ("agentlog's own", ["GRANT SELECT (body) ON agentlog.events TO {role}"]),
    "empties a table": ("agentlog's own tables", ["GRANT TRUNCATE ON agentlog.blobs TO {role}"]),
    "of nobody": ("not bound to the tenant", ["DELETE FROM agentlog.analysts"]),
    "of another": ("not bound to the tenant", ["UPDATE agentlog.analysts SET tenant = 'another'"]),
}  # fmt: skip


@pytest.mark.parametrize(("words", "mistakes"), MISTAKES.values(), ids=MISTAKES)
def test_a_login_that_could_do_more_than_an_analyst_is_refused(
    own_database: Database, words: str, mistakes: list[str]
) -> None:
    name = f"agentlog_tests_{uuid.uuid4().hex}"
    role = sql.Identifier(name)
    with own_database.connect() as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x'").format(role))
        try:
            connection.execute("INSERT INTO agentlog.analysts VALUES (%s, %s)", (name, TENANT))
            url = make_conninfo(
                own_database._conninfo,
                user=name,
                password="x",  # noqa: S106
            )
            assert rows(_analyst(url).query("SELECT 1")) == [[1]]
            for mistake in mistakes:
                connection.execute(sql.SQL(mistake).format(role=role))
            with pytest.raises(AnalystNotConfined, match=words):
                _analyst(url).query("SELECT 1")
        finally:
            connection.execute(sql.SQL("DROP OWNED BY {}").format(role))
            connection.execute(sql.SQL("DROP ROLE {}").format(role))


def test_a_login_that_leads_elsewhere_is_refused(
    own_database: Database, empty_database_url: str
) -> None:
    assert analyst_url(own_database, TENANT)
    with pytest.raises(AnalystNotConfined, match="views are not where it leads"):
        _analyst(empty_database_url).query("SELECT 1")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:the-password@127.0.0.1:1/nowhere",
        "postgres//u:the-password@nowhere",
        "host=/nowhere password=the-password dbname=x",
    ],
)
def test_a_login_that_fails_gives_no_secret_away(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(DatabaseUnavailable, match="analysts") as caught:
        _analyst(url).query("SELECT 1")
    assert "the-password" not in str(caught.value) + caplog.text
    assert "nowhere" not in str(caught.value)
    assert "analysts cannot log in" in caplog.text


def test_a_table_that_is_built_anew_stays_open_to_analysts(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    writer.append(request("t", reply("one")))
    analyst = Analyst(login_of(own_database, TENANT), tenant=TENANT, slots=Slots())
    model = READ_MODELS["messages"]
    for _ in range(2):
        catch_up(own_database, model)
        assert rows(analyst.query("SELECT count(*) FROM messages")) == [[1]]
        with pytest.raises(QueryForbidden):
            analyst.query("SELECT * FROM agentlog_readmodels.messages_1")
        with own_database.connection() as connection:
            builds.begin(connection, model)
