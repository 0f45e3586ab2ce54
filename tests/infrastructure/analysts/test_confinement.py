# ruff: noqa: S608 - what is asked here is put together from parts
"""What analysts must not get at: by queries of the service, and logged in themselves.

Each attack is made both ways where it can be. Logged in with a client of their own they have no
bounds of ours around them, only those of the database.
"""

import re

import psycopg
import pytest

from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.errors import InvalidQuery, QueryForbidden, QueryRejected
from agentlog.infrastructure.analysts.login import role_of
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.infrastructure.analysts.conftest import OTHER, SECRET
from tests.infrastructure.analysts.logins import analyst_url
from tests.infrastructure.analysts.test_analyst import rows
from tests.infrastructure.appends import TENANT, fetch

VIEWS = ["events", *PUBLIC_READ_MODELS]
TABLES = [
    "agentlog.events",
    "agentlog.threads",
    "agentlog.ledger",
    "agentlog.blobs",
    "agentlog.analysts",
    "agentlog.counter",
    "agentlog.tracking",
    "agentlog.projections",
    "agentlog.migrations",
    "agentlog_readmodels.messages_1",
    "pg_authid",
    "pg_shadow",
    "pg_statistic",
    "pg_user_mapping",
    "pg_largeobject",
    "pg_hba_file_rules",
    "pg_file_settings",
]
REFUSED = "permission denied|must be superuser|unsupported XML feature"
"""The PostgreSQL that we bring along has no XML."""


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "form",
    [
        "SELECT * FROM {}",
        "SELECT query_to_xml('SELECT * FROM {}', true, true, '')",
        "SELECT table_to_xml('{}', true, true, '')",
        "SELECT count(*) FROM {}",
        "SELECT ts_stat('SELECT ''''::tsvector FROM {}')",
        "SELECT set_config('role', 'none', true), query_to_xml('TABLE {}', true, true, '')",
    ],
)
def test_no_table_behind_the_views_can_be_read(
    analyst: Analyst, logged_in: psycopg.Connection, form: str, table: str
) -> None:
    asked = form.format(table)
    with pytest.raises((QueryForbidden, QueryRejected)) as caught:
        analyst.query(asked)
    assert re.search(REFUSED, str(caught.value))
    with pytest.raises(psycopg.errors.DatabaseError, match=REFUSED):
        logged_in.execute(asked.encode())


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT pg_read_binary_file('postgresql.conf')",
        "SELECT pg_ls_dir('.')",
        "SELECT pg_stat_file('PG_VERSION')",
        "SELECT pg_ls_logdir()",
        "SELECT current_setting('hba_file')",
        "SELECT current_setting('data_directory')",
        "SELECT pg_show_all_file_settings()",
        "SELECT agentlog.body_of('x', 'x', NULL)",
        "SELECT schema_to_xml('agentlog', true, true, '')",
        "SELECT 'agentlog.events'::regclass",
    ],
)
def test_neither_files_nor_secrets_can_be_read(
    analyst: Analyst, logged_in: psycopg.Connection, asked: str
) -> None:
    with pytest.raises((QueryForbidden, QueryRejected), match=REFUSED):
        analyst.query(asked)
    with pytest.raises(psycopg.errors.DatabaseError, match=REFUSED):
        logged_in.execute(asked.encode())


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_shows_the_rows_of_one_tenant(
    analyst: Analyst,
    other_analyst: Analyst,
    logged_in: psycopg.Connection,
    view: str,
) -> None:
    asked = f"SELECT DISTINCT tenant FROM {view}"
    assert rows(analyst.query(asked)) == [[TENANT]]
    assert rows(other_analyst.query(asked)) == [[OTHER]]
    assert logged_in.execute(asked.encode()).fetchall() == [(TENANT,)]
    told = f"SELECT set_config('agentlog.tenant', '{OTHER}', false), tenant FROM {view}"
    assert {row[1] for row in rows(analyst.query(told))} == {TENANT}
    whole = str(rows(analyst.query(f"SELECT * FROM {view}")))
    assert SECRET not in whole
    assert "secret-thread" not in whole
    assert "secret-thread" in str(rows(other_analyst.query(f"SELECT * FROM {view}")))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "leak",
    [
        "public.leak(thread_id)",
        "1 / (thread_id <> 'secret-thread')::int > 0",
        "thread_id::int > 0",
        "CAST(query_to_xml('SELECT ' || quote_literal(thread_id), true, true, '') AS text) <> ''",
        "pg_sleep(length(thread_id) - length('our-thread')) IS NULL",
        "set_config('agentlog.seen', concat('seen: ', thread_id), false) IS NULL",
        "regexp_count(thread_id, 'secret') > 0",
    ],
)
def test_functions_that_leak_are_never_shown_rows_of_others(
    analyst: Analyst, logged_in: psycopg.Connection, leak: str, view: str
) -> None:
    def attempt(asked: str) -> str:
        try:
            return str(rows(analyst.query(asked)))
        except InvalidQuery as error:
            return str(error)

    for asked in (
        f"SELECT count(*) FROM {view} WHERE {leak}",
        f"SELECT count(*), current_setting('agentlog.seen', true) FROM {view} WHERE {leak}",
        f"SELECT count(*) FROM {view} AS a JOIN {view} AS b USING (thread_id) WHERE {leak}",
    ):
        told = attempt(asked)
        assert "secret" not in told
        assert "division by zero" not in told
        assert "broken off" not in told
    assert logged_in.execute("SELECT current_setting('agentlog.seen', true)").fetchone() == (None,)


def test_every_view_is_a_barrier_and_of_whom_it_shows_the_rows(full: Database) -> None:
    views = fetch(
        full,
        "SELECT relname, reloptions, pg_get_viewdef(oid) FROM pg_class "
        "WHERE relnamespace = 'agentlog_analytics'::regnamespace AND relkind <> 'i'",
    )
    assert {name for name, _, _ in views} == {*VIEWS, "progress"}
    for _, options, definition in views:
        assert options == ["security_barrier=true"]
        assert "agentlog_analytics.tenant()" in definition


def test_statistics_of_the_tables_behind_are_not_shown(
    analyst: Analyst, full: Database, logged_in: psycopg.Connection
) -> None:
    with full.connect() as ours:
        ours.execute("ANALYZE agentlog.events")
        values = ours.execute("SELECT most_common_vals::text FROM pg_stats").fetchall()
    assert "secret-thread" in str(values)
    for asked in (
        "SELECT * FROM pg_stats",
        "SELECT * FROM pg_stats_ext",
        "SELECT * FROM pg_stats_ext_exprs",
    ):
        for shown in (
            rows(analyst.query(asked, limit=10_000)),
            logged_in.execute(asked.encode()).fetchall(),
        ):
            # names of columns are in the catalogue's own figures
            assert "secret" not in str(shown).replace("secret_sha256", "")


def test_what_others_ask_is_not_shown_and_they_cannot_be_stopped(
    analyst: Analyst, full: Database, logged_in: psycopg.Connection
) -> None:
    with full.connect() as ours:
        ours.execute("SELECT 'a secret of ours'")
        shown = "SELECT pid, query FROM pg_stat_activity WHERE usename <> current_user"
        queries = rows(analyst.query(shown))
        assert queries
        assert all(query in {"<insufficient privilege>", ""} for _, query in queries)
        for stop in ("pg_terminate_backend", "pg_cancel_backend"):
            asked = f"SELECT {stop}({ours.info.backend_pid})"
            with pytest.raises(QueryForbidden, match="permission denied"):
                analyst.query(asked)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                logged_in.execute(asked.encode())
        assert ours.execute("SELECT 1").fetchone() == (1,)


def test_names_of_tenants_are_not_in_the_names_of_roles(
    analyst: Analyst, other_analyst: Analyst
) -> None:
    other_analyst.query("SELECT 1")  # makes the role
    roles = {row[0] for row in rows(analyst.query("SELECT rolname FROM pg_roles"))}
    assert {role_of(TENANT), role_of(OTHER)} <= roles
    assert not any("somebody" in name for name in roles)


def test_a_role_that_is_bound_to_nobody_sees_nothing(full: Database) -> None:
    stranger = "a stranger"
    url = analyst_url(full, stranger)
    with full.connection() as connection:
        connection.execute("DELETE FROM agentlog.analysts WHERE tenant = %s", (stranger,))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT set_config('agentlog.tenant', %s, false)", (TENANT,))
        for view in [*VIEWS, "progress"]:
            asked = f"SELECT count(*) FROM agentlog_analytics.{view}"
            assert connection.execute(asked.encode()).fetchall() == [(0,)]


def test_what_an_attempt_says_is_not_more_than_the_catalogues_do(analyst: Analyst) -> None:
    for asked in ("SELECT * FROM agentlog.events", "SELECT * FROM agentlog.no_such_table"):
        with pytest.raises(QueryForbidden, match="permission denied for schema agentlog"):
            analyst.query(asked)
