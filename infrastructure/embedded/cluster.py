"""The data, which PostgreSQL calls a cluster: made, started, adopted and stopped.

At most one process at a time may call what changes it: `server` holds a lock meanwhile.
"""

import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg

from agentlog.infrastructure.embedded.account import Account
from agentlog.infrastructure.embedded.errors import (
    CannotStart,
    CannotStop,
    NotAnswering,
    OtherMajorVersion,
    UnreachableFolder,
    UntrustedFolder,
)
from agentlog.infrastructure.embedded.postmaster import POLL_SECONDS, Postmaster, remove_stale_lock
from agentlog.infrastructure.embedded.programs import MAJOR_VERSION

USER = "agentlog"
DATABASE = "agentlog"

_FOLDER = "postgresql"
_AFTERMATH_SECONDS = 5.0  # how long the backends of a killed server may take to notice
_STOP_SECONDS = 60.0
_LARGEST_LOG = 4 * 2**20
_TAIL_LINES = 15
_TAIL_BYTES = 2**16


class Cluster:
    """The folder `postgresql` of a data folder, its log beside it, and the server on it."""

    def __init__(self, data_dir: Path, account: Account, programs: Path) -> None:
        self._data_dir, self._account, self._programs = data_dir, account, programs
        self._path = data_dir / _FOLDER
        self._log = data_dir / "postgresql.log"
        self._child: subprocess.Popen[bytes] | None = None

    def initialise(self, *, durable: bool) -> None:
        """Make the cluster if there is none: beside its place, then renamed, so never half of one.

        `durable`: it is flushed to disk before the rename.

        Raises:
            CannotStart: initdb failed.
            OtherMajorVersion: there is a cluster, of another PostgreSQL.
            UnreachableFolder: the account cannot reach the data folder.
        """
        if self._path.exists():
            version = (self._path / "PG_VERSION").read_text().strip()
            if version != MAJOR_VERSION:
                raise OtherMajorVersion(self._data_dir, made_by=version, expected=MAJOR_VERSION)
            return
        for left in self._data_dir.glob(f"{self._path.name}.new-*"):
            shutil.rmtree(left, ignore_errors=True)  # an orphaned initdb may still write
        making = self._data_dir / f"{self._path.name}.new-{uuid.uuid4().hex}"
        options = [
            "--auth-local=trust",
            "--auth-host=reject",
            "--encoding=UTF8",
            "--data-checksums",
        ]
        options += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        options += [f"--username={USER}", "--no-instructions", *([] if durable else ["--no-sync"])]
        done = self._account.run([self._programs / "initdb", "-D", making, *options])
        if done.returncode != 0:
            raise self._failure("initdb", _last_lines(done.stdout))
        making.rename(self._path)
        if durable:
            _sync(self._data_dir)

    def ensure_running(self, settings: Mapping[str, str], *, seconds: float) -> str:
        """Return the URL of the server, started or found running, once it takes connections.

        A server whose starter was killed runs on, and is used as it is. If the server itself was
        killed, a new one recovers from the WAL.

        Raises:
            CannotStart: postgres failed.
            NotAnswering: it runs, but took no connection within `seconds`.
            UnreachableFolder: the account cannot reach the data folder.
        """
        began = time.monotonic()
        crashed = Postmaster.read(self._path) is not None
        log_from = 0
        while True:
            postmaster = Postmaster.read(self._path)
            folder = None if postmaster is None else postmaster.socket_folder
            is_ready = postmaster is not None and postmaster.ready
            if folder is not None and is_ready and self._answers(folder):
                return url(folder, DATABASE)
            waited = time.monotonic() - began
            if (postmaster is not None and postmaster.runs) or self._child_runs:
                if waited > seconds:
                    raise NotAnswering(self._data_dir, seconds=seconds, tail=self._tail(log_from))
            elif self._child is None or (crashed and waited < _AFTERMATH_SECONDS):
                log_from = self._start(settings)
            else:
                raise self._failure("postgres", self._tail(log_from))
            time.sleep(POLL_SECONDS)

    @property
    def was_killed(self) -> bool:
        """Whether the server's pid file is there and its process is not."""
        postmaster = Postmaster.read(self._path)
        return postmaster is not None and not postmaster.runs and not self._child_runs

    def stop(self) -> None:
        """Stop the server, if it runs.

        Raises:
            CannotStop: it was signalled, and still runs.
        """
        postmaster = Postmaster.read(self._path)
        if (
            (postmaster is None or not postmaster.runs)
            and self._child is not None
            and self._child_runs
        ):
            postmaster = Postmaster(
                self._child.pid, self._path, self._data_dir / "socket", ready=False
            )
        if postmaster is None or not postmaster.runs:
            return
        if not postmaster.stop(seconds=_STOP_SECONDS):
            raise CannotStop(self._data_dir, pid=postmaster.pid)
        folder = postmaster.socket_folder
        if folder is not None and folder.parent != self._data_dir:
            with suppress(OSError):  # it is not empty: other files are in it
                folder.rmdir()  # a temporary one; a server that has stopped leaves it empty

    @property
    def _child_runs(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def _start(self, settings: Mapping[str, str]) -> int:
        """Start postgres; return where in the log its output begins."""
        if self._log.exists() and self._log.stat().st_size > _LARGEST_LOG:
            self._log.replace(self._log.with_suffix(".log.old"))
        folder = make_socket_folder(self._data_dir, self._account)
        for lock_file in (self._path / "postmaster.pid", folder / f".s.PGSQL.{PORT}.lock"):
            remove_stale_lock(lock_file, self._path)
        quoted = str(folder).replace('"', '""')
        forced = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": f'"{quoted}"',
            "log_min_error_statement": "panic",  # keeps messages of agents out of this log
        }
        command: list[str | Path] = [self._programs / "postgres", "-D", self._path]
        for name, value in {**settings, **forced}.items():
            command += ["-c", f"{name}={value}"]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self._log, flags, 0o600), "ab") as log:
            self._account.take_over(log.fileno())
            size = os.fstat(log.fileno()).st_size
            self._child = self._account.start(command, log=log)
        # Reaped whenever it ends: it may outlive this object.
        threading.Thread(target=self._child.wait, name="postgres", daemon=True).start()
        return size

    def _answers(self, socket_folder: Path) -> bool:
        """Return whether the server takes connections; if so, create a missing database."""
        try:
            address = url(socket_folder, "postgres")
            connection = psycopg.connect(address, autocommit=True, connect_timeout=2)
        except psycopg.OperationalError:
            return False
        try:
            with connection:
                query = "SELECT 1 FROM pg_database WHERE datname = %s"
                if connection.execute(query, [DATABASE]).fetchone() is None:
                    connection.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.Error as error:
            raise CannotStart("postgres", self._data_dir, tail=str(error)) from error
        return True

    def _tail(self, log_from: int) -> str:
        if not self._log.exists():
            return ""
        with self._log.open("rb") as log:
            log.seek(max(log_from, self._log.stat().st_size - _TAIL_BYTES))
            return _last_lines(log.read().decode(errors="replace"))

    def _failure(self, program: str, tail: str) -> CannotStart | UnreachableFolder:
        blocked = self._account.blocked_at(self._data_dir)
        if blocked is None:
            return CannotStart(program, self._data_dir, tail=tail)
        return UnreachableFolder(self._data_dir, blocked=blocked, account=self._account.name)


def has_data(data_dir: Path) -> bool:
    """Return whether there is a cluster in the data folder."""
    return (data_dir / _FOLDER).exists()


def url(socket_folder: Path, database: str) -> str:
    """Return the URL by which libpq reaches a database of the server."""
    host = quote(os.fsencode(socket_folder), safe="")
    return f"postgresql://{USER}@/{database}?host={host}&port={PORT}"


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_lines(text: str) -> str:
    return "\n".join(text.splitlines()[-_TAIL_LINES:])


PORT = 5432
"""Part of the socket's name; no port is opened."""

_LONGEST = 103  # bytes in sockaddr_un.sun_path on macOS, less the final NUL; Linux has four more


def make_socket_folder(data_dir: Path, account: Account) -> Path:
    """Return the folder for the socket: in `data_dir`, or a temporary one if that path is too long.

    Connections are trusted, so only the folder's permissions guard the server.

    Raises:
        UntrustedFolder: another user made that folder, or it is open to others.
    """
    folder = data_dir / "socket"
    if not _fits(folder):
        name = f"agentlog-{hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]}"
        places = [Path(tempfile.gettempdir()), Path("/tmp")]  # noqa: S108 - made private, checked
        folder = next((place / name for place in places if _fits(place / name)), places[-1] / name)
    folder.mkdir(mode=0o700, exist_ok=True)
    if _is_private(folder, os.geteuid()):
        account.take_over(folder)
    if not _is_private(folder, account.uid):
        raise UntrustedFolder(folder)
    return folder


def _is_private(folder: Path, uid: int) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == uid and not status.st_mode & 0o077


def _fits(folder: Path) -> bool:
    # libpq splits a host at a comma.
    path = os.fsencode(folder / f".s.PGSQL.{PORT}")
    return len(path) <= _LONGEST and b"," not in path
