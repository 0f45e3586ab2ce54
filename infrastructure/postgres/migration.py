"""Numbered plain-SQL migrations: each file once, in order, in one transaction.

The first makes the whole schema. A database of 0.25 has it already, by 25 migrations in whose place
the first is noted; one of an older version is brought to 0.25 by that version first.

A transaction-level advisory lock makes concurrent starts safe. It ends with the session, so a
migration killed half-way leaves no lock behind (libraries that keep theirs in a row do).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import LiteralString

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.roles import check_membership

_LOCK = 0x6167_656E_746C_6F67  # "agentlog"
_STEPS_OF_0_25 = 25
_DIGEST_OF_0_25 = "d5955a56eeb1ae606cf04fed71c4402ce193a2714d3b6c3e88e1440f93e7378e"
"""SHA-256 of the digests of these steps, in their order."""

NOTES: LiteralString = (
    "CREATE TABLE IF NOT EXISTS agentlog.migrations ("
    "number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, "
    "applied_at timestamptz NOT NULL DEFAULT now())"
)
"""Creates the table that says which were applied."""


class MigrationError(AgentlogError, kind="unavailable"):
    """The database's schema is not one that this program can bring up to date."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A numbered migration."""

    number: int
    name: str
    sql: LiteralString

    @property
    def digest(self) -> str:
        """SHA-256 of the file, in hexadecimal: an applied migration may not change."""
        return sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return the known migrations, in order."""
    numbered = []
    for file in files("agentlog.infrastructure.postgres.migrations").iterdir():
        number, _, name = file.name.removesuffix(".sql").partition("_")
        if file.name.endswith(".sql"):
            sql: LiteralString = file.read_text("utf-8")
            numbered.append(Migration(int(number), name, sql))
    return sorted(numbered, key=lambda migration: migration.number)


def is_of_0_25(applied: Mapping[int, str]) -> bool:
    """Return whether these, digests by number, are the migrations of 0.25: all, and no others."""
    digests = "".join(applied[number] for number in sorted(applied))
    return (
        len(applied) == _STEPS_OF_0_25 and sha256(digests.encode()).hexdigest() == _DIGEST_OF_0_25
    )


def migrate(connection: psycopg.Connection) -> list[Migration]:
    """Apply pending migrations in one transaction; return those applied.

    Raises:
        NoServiceRole: the login may not read the schema's state.
        MigrationError: the database has migrations that are unknown or different here, or none
            but those before 0.25; the login may not run them, or the database takes no writes.
    """
    if _is_up_to_date(connection):  # this needs no ownership of the tables
        return []
    try:
        return _run(connection)
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise MigrationError(
            "the schema is older than this agentlog, and cannot be brought up to date where no "
            "writes are taken: have this version run `agentlog migrate` on the writer's database"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        user = connection.info.user
        raise MigrationError(
            f"the schema cannot be brought up to date as {user}: {error}. Run `agentlog migrate` "
            "as the owner of the tables, who may also create roles (or has an administrator create "
            "agentlog_service and agentlog_tenant, and grant them WITH ADMIN OPTION)"
        ) from error


def described(applied: Sequence[Migration]) -> str:
    """Return in words what `migrate` did."""
    if not applied:
        return f"already at migration {migrations()[-1].number}"
    names = [f"{migration.number:04}_{migration.name}" for migration in applied]
    return f"ran migration {names[0]}" if len(names) == 1 else f"ran {names[0]} to {names[-1]}"


def _run(connection: psycopg.Connection) -> list[Migration]:
    with connection.transaction():
        # no timeouts: a migration may be long, here or in another process that holds the lock
        connection.execute("SET LOCAL lock_timeout = 0")
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute("CREATE SCHEMA IF NOT EXISTS agentlog")
        connection.execute(NOTES)
        applied = _digests(connection)
        pending = _pending(applied)
        if is_of_0_25(applied):
            connection.execute("DELETE FROM agentlog.migrations")
        for migration in pending:
            if not (applied and migration.number == _STEPS_OF_0_25 + 1):
                connection.execute(migration.sql)
            connection.execute(
                "INSERT INTO agentlog.migrations (number, name, sha256) VALUES (%s, %s, %s)",
                (migration.number, migration.name, migration.digest),
            )
    return pending


def _is_up_to_date(connection: psycopg.Connection) -> bool:
    """Return whether no migration is pending; needs only the right to read."""
    try:
        row = connection.execute("SELECT to_regclass('agentlog.migrations') IS NOT NULL").fetchone()
        return row == (True,) and not _pending(_digests(connection))
    except psycopg.errors.InsufficientPrivilege:
        check_membership(connection)
        return False


def _digests(connection: psycopg.Connection) -> dict[int, str]:
    return dict(connection.execute("SELECT number, sha256 FROM agentlog.migrations").fetchall())


def _pending(applied: Mapping[int, str]) -> list[Migration]:
    known = {migration.number: migration for migration in migrations()}
    if is_of_0_25(applied):
        return list(known.values())
    if applied and min(applied) <= _STEPS_OF_0_25:
        raise MigrationError(
            f"the schema is older than 0.25, at migration {max(applied)}: have agentlog 0.25 run "
            "`agentlog migrate` on the database first, then this one"
        )
    for number, digest in applied.items():
        if number not in known:
            raise MigrationError(
                f"the database has migration {number}, which this agentlog does not know: "
                "it was made by a newer version; install that or newer"
            )
        if known[number].digest != digest:
            raise MigrationError(
                f"migration {number} has run here with other text: a step that ran is never "
                "edited; restore the file, or install the version that made the database"
            )
    return [migration for migration in known.values() if migration.number not in applied]
