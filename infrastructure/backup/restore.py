"""Restores a backup into an empty database, in one transaction.

Migrations make the schema first, and with it the roles, which belong to the server and are in no
archive. Then psql runs one transaction: it drops the empty schema, runs the archive's SQL, and
removes state of builds. COMMIT is sent last, after pg_restore has succeeded; if any process ends
before, the database stays empty.
"""

import os
import re
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg
from psycopg import sql

from agentlog.infrastructure.backup.contents import Progress
from agentlog.infrastructure.backup.errors import LogInTheWay
from agentlog.infrastructure.backup.manifest import DUMP, KEY, BackupManifest
from agentlog.infrastructure.backup.programs import Address, Programs, Running
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement

_PIECE = 2**20
_FROM = ("--file=-", "--no-owner", "--exit-on-error")
"""Prints the archive as SQL; the restoring login will own all objects."""
_NOT_EVERYWHERE = re.compile(
    rb"SET transaction_timeout = 0;\n"  # from 17 on
    rb"|ALTER TABLE ONLY \S+ ALTER COLUMN \S+ SET \(pg_attver=\d+\);\n"  # 15.20
)
"""Lines that servers of other versions refuse; what they set belongs to the server."""
_SETTINGS = b"""\
SET client_min_messages = warning;
SET statement_timeout = 0;
SET lock_timeout = '60s';
"""
_HINT = "the database holds nothing, as before; mend what it says below and restore again"


def restore(
    database: Database, url: str, folder: Path, manifest: BackupManifest, *, progress: Progress
) -> None:
    """Restore the backup in `folder` and migrate its schema; all of it or nothing.

    Raises:
        BackupError: see the tree in `errors`.
        MigrationError: the login may not create the schema or the roles.
    """
    with database.connection() as connection:
        _refuse_filled(connection)
        server = connection.info.server_version // 10000
    programs = Programs.at_least(max(server, manifest.pg_dump))
    database.migrate()
    with (
        programs.running("pg_restore", *_FROM, folder / DUMP, hint=_HINT, piped=True) as archive,
        _psql(programs, url) as session,
    ):
        session.tell(b"BEGIN;\n" + _SETTINGS + statement("refuse_filled_log").encode())
        _copy(archive, session, progress)
        archive.finish()
        session.tell(statement("delete_builds").encode() + b"COMMIT;\n")
        session.told_all()
        session.finish()
    database.migrate()


def restore_key(folder: Path, manifest: BackupManifest, target: Path) -> bool:
    """Copy the signing key of a backup to its place; False if it has none, or one exists."""
    if KEY not in manifest.files:
        return False
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return False
    with (folder / KEY).open("rb") as kept, os.fdopen(descriptor, "wb") as key:
        shutil.copyfileobj(kept, key)
        key.flush()
        os.fsync(key.fileno())
    return True


def _refuse_filled(connection: psycopg.Connection) -> None:
    """Raise `LogInTheWay` if the database has rows that would be lost."""
    for (table,) in connection.execute(statement("select_filled_tables")).fetchall():
        any_row = sql.SQL("SELECT FROM {} LIMIT 1").format(sql.Identifier("agentlog", table))
        if connection.execute(any_row).fetchone() is not None:
            raise LogInTheWay(table)


def _psql(programs: Programs, url: str) -> AbstractContextManager[Running]:
    address = Address.of(url)
    arguments = ("--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1")
    # the context of an error would show contents of rows
    terse = ("--set=VERBOSITY=terse", "--set=SHOW_CONTEXT=never")
    where = (f"--dbname={address.conninfo}", "--file=-")
    return programs.running(
        "psql",
        *arguments,
        *terse,
        *where,
        hint=_HINT,
        environment=address.environment,
        fed=True,
    )


def _copy(archive: Running, session: Running, progress: Progress) -> None:
    """Send the archive's SQL to psql; before the rows, without what not every server knows."""
    for line in iter(archive.stdout.readline, b""):
        if _NOT_EVERYWHERE.fullmatch(line) is None:
            session.tell(line)
        if line.startswith(b"COPY "):
            break
    done = 0
    while piece := archive.stdout.read(_PIECE):
        session.tell(piece)
        done += len(piece)
        progress("bytes", done, None)
