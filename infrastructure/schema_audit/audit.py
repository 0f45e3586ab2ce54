"""Compares what our schemas are made of with what this program makes.

The server itself says both: the migrations and builds run once more, with `pg_temp` in place of the
schemas, in a transaction that is rolled back. So no list of definitions is kept, and both are
printed by the same version of PostgreSQL. It takes a login that may create temporary tables.
"""

import re
from collections.abc import Iterator

import psycopg
from psycopg import sql

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.migration import NOTES, migrations
from agentlog.infrastructure.postgres.roles import SERVICE
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.build_audit import BuildAudit
from agentlog.infrastructure.readmodels.tables import SCHEMA, VIEWS
from agentlog.projections.readmodels.registry import READ_MODELS

Definitions = dict[tuple[str, str], str]
"""Definitions by kind and name of the object."""

_LOG = "agentlog"
_PREFIX = f"{VIEWS}__"
"""Begins the name of a temporary object of the analysts' schema."""
_OF_SERVER = re.compile(
    r"DO \$\$(?:(?!\$\$).)*pg_roles(?:(?!\$\$).)*\$\$;|"
    r"^(?:CREATE|DROP) SCHEMA[^;]*;|^GRANT[^;]* ON SCHEMA[^;]*;",
    re.DOTALL | re.MULTILINE,
)
"""Statements about roles and schemas: they define nothing within a schema."""


def audit_schema(database: Connections, *, derived: bool) -> Iterator[Finding]:
    """Yield the differences of the schema; `derived`: of the tables of read models too."""
    views, others = {*READ_MODELS}, {SCHEMA}
    try:
        with database.connection() as connection:
            with connection.transaction(force_rollback=True):
                connection.execute("SET TRANSACTION READ WRITE")
                connection.execute("DISCARD TEMP")  # of an audit of read models
                outside = connection.execute(statement("select_outside")).fetchall()
                there = _there(connection)
                made = _made_by_migrations(connection)
            if derived:
                with connection.transaction(force_rollback=True):
                    connection.execute("DISCARD TEMP")
                    builds = BuildAudit.begin(connection)
                    made |= _made_by_builds(connection, builds)
                    others = {f"{SCHEMA}.{table}" for table in builds.unknown}
                    views = {table.rpartition("_")[0] for table in builds.unknown}
    except (psycopg.ProgrammingError, psycopg.NotSupportedError) as error:
        detail = (
            "cannot be checked: what the schema is made of, as temporary tables of the same kind "
            f"cannot be created ({error.diag.message_primary}): run it on the writer, by a login "
            f"that may (GRANT TEMPORARY ON DATABASE … TO {SERVICE})"
        )
        yield Finding("definition-unchecked", detail)
        return
    for kind, name in outside:
        if kind == "event trigger":
            detail = f"cannot be checked: the event trigger {name} may change what is defined"
            yield Finding("definition-unchecked", detail)
        else:
            yield Finding("definition-differs", f"{kind} {name}: it is not agentlog's")
    others |= {f"{VIEWS}.{name}" for name in views}
    others |= {name for kind, name in there.keys() - made.keys() if _is_plain(kind, name, there)}
    for kind, name in sorted(there.keys() | made.keys()):
        schema, _, bare = name.split(" ")[0].partition(".")
        if {schema, f"{schema}.{bare.split('.')[0]}"} & others:
            continue
        if flaw := _difference(there.get((kind, name)), made.get((kind, name)), kind, name):
            yield Finding("definition-differs", f"{kind} {name}: {flaw}")


def _is_plain(kind: str, name: str, there: Definitions) -> bool:
    """Return whether it is a table, as projections of others make beside ours: nothing reads it."""
    is_table = kind == "relation" and '"kind": "r"' in there[kind, name]
    return is_table and name.startswith(f"{_LOG}.")


def _difference(there: str | None, made: str | None, kind: str, name: str) -> str | None:
    if there == made:
        return None
    if made is None:
        return "it is not agentlog's"
    if there is None:
        # made when a build has all events
        is_pending = kind == "index" and name.startswith(SCHEMA) and made.startswith("f")
        return None if is_pending else "it is missing"
    return "it is not as agentlog makes it"


def _there(connection: psycopg.Connection) -> Definitions:
    return _definitions(connection, [_LOG, SCHEMA, VIEWS], owned="agentlog.events", path="''")


def _made_by_migrations(connection: psycopg.Connection) -> Definitions:
    connection.execute("SET LOCAL ROLE NONE")  # a role of ours would own what it is granted
    for text in (NOTES, *(migration.sql for migration in migrations())):
        temporary = _OF_SERVER.sub("", text).replace(f"{VIEWS}.", f"pg_temp.{_PREFIX}")
        connection.execute(temporary.replace(f"{_LOG}.", "pg_temp.").encode())
    return _made(connection, _LOG, owned="pg_temp.events")


def _made_by_builds(connection: psycopg.Connection, builds: BuildAudit) -> Definitions:
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(SERVICE)))
    builds.make_temporary()
    builds.show_temporary()
    return _made(connection, SCHEMA, owned="agentlog.events")


def _made(connection: psycopg.Connection, schema: str, *, owned: str) -> Definitions:
    """Return the definitions of temporary objects, as those of the schema that they stand for.

    On the search path the schema comes before, so that no temporary name is printed bare.
    """
    row = connection.execute("SELECT pg_my_temp_schema()::regnamespace::text").fetchone()
    space, path = str(row and row[0]), f"{schema}, pg_temp"
    made = _definitions(connection, [space], owned=owned, path=path)

    def settle(text: str) -> str:
        named = text.replace(f"{space}.", "pg_temp.").replace(f"pg_temp.{_PREFIX}", f"{VIEWS}.")
        return named.replace("pg_temp.", f"{schema}.").replace(_PREFIX, "")

    return {(kind, settle(name)): settle(text) for (kind, name), text in made.items()}


def _definitions(
    connection: psycopg.Connection, spaces: list[str], *, owned: str, path: str
) -> Definitions:
    connection.execute(f"SET LOCAL search_path = {path}".encode())
    parameters = {"spaces": spaces, "owned": owned}
    rows = connection.execute(statement("select_schema_definitions"), parameters).fetchall()
    return {(kind, name): definition for kind, name, definition in rows}
