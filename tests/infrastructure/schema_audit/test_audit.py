"""Whatever the schema is made of: it is what migrations and builds make, or the audit says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import psycopg
import pytest
from hypothesis import given, note, reject
from psycopg.rows import TupleRow

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.postgres.database import Connections, Database
from agentlog.infrastructure.postgres.migration import migrations
from agentlog.infrastructure.postgres.roles import SERVICE, TENANT
from agentlog.infrastructure.schema_audit import audit_schema
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.schema_audit.schema_forgeries import CHANGES, COMPARED, changes, filled


@dataclass(frozen=True)
class _Held:
    """A connection in a transaction that is rolled back in the end."""

    held: psycopg.Connection

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection]:
        yield self.held

    def findings(self, *, derived: bool = True) -> list[Finding]:
        return [*audit_schema(cast("Connections", self), derived=derived)]


@pytest.fixture(scope="module")
def database(server_url: str, template_with_tables: str) -> Iterator[Database]:
    """A database of these tests alone, with the tables of all read models."""
    with (
        new_database(server_url, template=template_with_tables) as url,
        Database(url, pool_size=2) as opened,
    ):
        yield opened


@contextmanager
def _changed(database: Database, *statements: str) -> Iterator[_Held]:
    with (
        database.connection() as connection,
        connection.transaction(force_rollback=True),
    ):
        for statement in statements:
            connection.execute(statement.encode())
        yield _Held(connection)


def _names(database: Database, query: str) -> list[TupleRow]:
    with database.connection() as connection:
        return connection.execute(query.encode()).fetchall()


@pytest.mark.parametrize("derived", [False, True])
def test_a_schema_that_migrations_and_builds_made_is_whole(
    database: Database, *, derived: bool
) -> None:
    assert [*audit_schema(database, derived=derived)] == []


def test_each_query_of_the_property_has_objects(database: Database) -> None:
    assert [kind for kind, (names, _) in CHANGES.items() if not _names(database, names)] == []


@given(drawn=changes(COMPARED))
@examples(12, long=600)
def test_no_change_of_a_definition_passes(database: Database, drawn: tuple[str, int, str]) -> None:
    query, nth, statement = drawn
    names = _names(database, query)
    change = filled(statement, names[nth % len(names)][0])
    note(change)
    with database.connection() as connection, connection.transaction(force_rollback=True):
        try:
            connection.execute(change.encode())
        except psycopg.Error:
            reject()  # not of this object
        assert _Held(connection).findings()


def test_a_login_that_owns_nothing_compares_all_of_it(database: Database) -> None:
    login = f"CREATE ROLE owns_nothing LOGIN IN ROLE {SERVICE}, {TENANT}"
    with _changed(database, login, "SET SESSION AUTHORIZATION owns_nothing") as held:
        assert held.findings() == []
        held.held.execute("RESET SESSION AUTHORIZATION")
        held.held.execute("ALTER POLICY own_tenant ON agentlog.events USING (true)")
        held.held.execute("SET SESSION AUTHORIZATION owns_nothing")
        assert [finding.detail for finding in held.findings()] == [
            "policy agentlog.events.own_tenant: it is not as agentlog makes it"
        ]


def test_a_login_that_may_create_no_temporary_tables_is_told_so(database: Database) -> None:
    revoked = (
        "DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', "
        "current_database()); END $$"
    )
    login = "CREATE ROLE owns_nothing LOGIN IN ROLE agentlog_service, agentlog_tenant"
    with _changed(database, login, revoked, "SET SESSION AUTHORIZATION owns_nothing") as held:
        (finding,) = held.findings()
        assert (finding.what, finding.verdict) == ("definition-unchecked", "not all checked")


def test_read_models_are_compared_with_the_rest_of_what_is_derived(database: Database) -> None:
    with _changed(database, "ALTER TABLE agentlog_readmodels.model_calls_1 ADD more text") as held:
        assert held.findings(derived=False) == []
        assert {finding.what for finding in held.findings()} == {"definition-differs"}


def test_what_the_audit_makes_is_made_of_every_migration_and_gone_at_its_end(
    database: Database,
) -> None:
    with database.connection() as connection:
        before = connection.execute("SELECT count(*) FROM pg_class").fetchone()
        assert [*audit_schema(database, derived=True)] == []
        assert connection.execute("SELECT count(*) FROM pg_class").fetchone() == before
    assert all("SCHEMA" not in step.sql or step.number <= 26 for step in migrations())


def test_a_table_of_another_projection_is_not_ours_to_judge(database: Database) -> None:
    own = "CREATE TABLE agentlog.tokens_by_model (model text PRIMARY KEY, tokens bigint)"
    with _changed(database, own) as held:
        assert held.findings() == []
    child = "CREATE TABLE agentlog.heirs () INHERITS (agentlog.threads)"
    with _changed(database, child) as held:
        assert [finding.what for finding in held.findings()] == ["definition-differs"]
