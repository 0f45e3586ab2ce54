"""Makes a backup: dumps, counts and signs one snapshot of the database."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    VerifierKey,
    origin_of,
    public_key_of,
    signed_note,
    to_base64,
)
from agentlog.infrastructure.backup.contents import (
    LogContents,
    Progress,
    TenantContents,
    applied_migrations,
    contents_of,
)
from agentlog.infrastructure.backup.errors import (
    BackupBusy,
    BackupExists,
    UnreadableTable,
    UnwritableBackup,
)
from agentlog.infrastructure.backup.manifest import (
    DUMP,
    KEY,
    NAME,
    BackupManifest,
    TenantLog,
    check_schema,
    file_of,
)
from agentlog.infrastructure.backup.programs import Address, Programs
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels.tables import SCHEMA, VIEWS
from agentlog.infrastructure.runtime.file_lock import FileLock

_LOOK_SECONDS = 0.1
_HINT = "no backup was written; what it says below is PostgreSQL's own"


@dataclass(frozen=True, slots=True)
class Signing:
    """The key that signs the backup; `kept`: the key itself is included, on request."""

    key: Ed25519PrivateKey
    kept: bool = False


def back_up(  # noqa: PLR0913 - one parameter a choice
    database: Database,
    url: str,
    path: Path,
    *,
    signing: Signing | None,
    now: datetime,
    progress: Progress,
) -> BackupManifest:
    """Write a backup to `path`, which must not exist; the log may grow meanwhile.

    Without `signing` the stored checkpoints are included, and no new one is made.

    Raises:
        BackupError: see the tree in `errors`.
        LogContradicted: the log is not the one that its last checkpoint was signed over.
        DatabaseUnavailable: the connection broke.
    """
    with new_folder(path) as folder, _snapshot(database) as (connection, snapshot):
        _check_rights(connection)
        check_schema(applied_migrations(connection))
        server = connection.info.server_version
        programs = Programs.at_least(server // 10000)
        contents = contents_of(connection, progress, checked=signing is not None)
        arguments = _arguments(folder / DUMP, snapshot, _views(connection))
        _dump(programs, url, folder / DUMP, arguments, progress)
        if signing is not None and signing.kept:
            _write_key(signing.key, folder / KEY)
        manifest = BackupManifest(
            agentlog=version("agentlog"),
            made_at=now,
            server=server,
            pg_dump=programs.major,
            schema=contents.schema,
            position=contents.position,
            tenants=_logs(contents, None if signing is None else signing.key),
            moves=[move.note for move in contents.moves],
            files={
                name: file_of(folder / name) for name in (DUMP, KEY) if (folder / name).exists()
            },
        )
        (folder / NAME).write_text(manifest.text(), "utf-8")
    return manifest


@contextmanager
def _snapshot(database: Database) -> Iterator[tuple[psycopg.Connection, str]]:
    """Yield a connection with a snapshot of the log, and the snapshot's name for others."""
    with database.connection() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET LOCAL lock_timeout = '60s'")
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        yield connection, "" if row is None else str(row[0])


def _check_rights(connection: psycopg.Connection) -> None:
    row = connection.execute(statement("select_unreadable_table")).fetchone()
    if row is not None:
        raise UnreadableTable(row[0], user=connection.info.user)


def _views(connection: psycopg.Connection) -> list[str]:
    """Return the views that depend on read models."""
    rows = connection.execute("SELECT DISTINCT name FROM agentlog.projections").fetchall()
    return [name for (name,) in rows]


def _arguments(file: Path, snapshot: str, views: Sequence[str]) -> list[str]:
    """Return the arguments of pg_dump, without the database's address."""
    return [
        "--format=custom",
        f"--file={file}",
        f"--snapshot={snapshot}",
        *(f"--schema={schema}" for schema in ("agentlog", SCHEMA, VIEWS)),
        # rebuilds create and drop tables of read models; excluded tables are not locked
        f"--exclude-table={SCHEMA}.*",
        *(f'--exclude-table={VIEWS}."{view}"' for view in views),
        "--exclude-table-data=agentlog.snapshots",
        "--exclude-table-data=agentlog.tiles",
        "--lock-wait-timeout=60s",
        "--no-password",
    ]


def _dump(
    programs: Programs, url: str, file: Path, arguments: Sequence[str], progress: Progress
) -> None:
    address = Address.of(url)
    where = f"--dbname={address.conninfo}"
    with programs.running(
        "pg_dump", *arguments, where, hint=_HINT, environment=address.environment
    ) as running:
        while not running.ended(seconds=_LOOK_SECONDS):
            progress("bytes", file.stat().st_size if file.exists() else 0, None)
        running.finish()


def _logs(contents: LogContents, key: Ed25519PrivateKey | None) -> list[TenantLog]:
    return [_log(tenant, key) for tenant in contents.tenants]


def _log(contents: TenantContents, key: Ed25519PrivateKey | None) -> TenantLog:
    log = TenantLog(
        tenant=contents.tenant,
        threads=contents.threads,
        events=contents.events,
        root=to_base64(contents.root),
    )
    if key is None:
        return log
    origin = origin_of(contents.tenant)
    signed = {
        "checkpoint": signed_note(Checkpoint(origin, contents.events, contents.root), key),
        "public_key": VerifierKey(origin, public_key_of(key)).text,
    }
    return log.model_copy(update=signed)


def _write_key(key: Ed25519PrivateKey, target: Path) -> None:
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


_LOCK = "lock"


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a folder to write into, which is renamed to `path` when the block succeeds.

    Until then it is `path` with `.part` at its end. If the block fails it is removed; if the
    process is killed it stays, and the next backup to `path` removes it.

    Raises:
        BackupExists: `path` exists.
        BackupBusy: another process writes a backup there.
        UnwritableBackup: the folder cannot be made or written; also for the caller's writes.
    """
    path = path.expanduser().absolute()
    if os.path.lexists(path):
        raise BackupExists(path)
    making = path.with_name(f"{path.name}.part")
    try:
        making.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(making / _LOCK)
        try:
            if not lock.try_exclusive():
                raise BackupBusy(path)
            try:
                _empty(making)
                yield making
                _publish(making, path)
            except BaseException:
                shutil.rmtree(making, ignore_errors=True)
                raise
        finally:
            lock.close()
    except OSError as error:
        raise UnwritableBackup(path, error) from error


def _empty(folder: Path) -> None:
    """Remove the contents left by a killed backup."""
    for path in folder.iterdir():
        if path.name != _LOCK:
            path.unlink()


def _publish(making: Path, path: Path) -> None:
    (making / _LOCK).unlink()
    for made in making.iterdir():
        made.chmod(0o600)  # for copies elsewhere, which may lose the folder's mode
        _sync(made)
    _sync(making)
    if os.path.lexists(path):
        raise BackupExists(path)
    making.rename(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
