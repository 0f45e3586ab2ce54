"""The data folder as a whole: its ownership, its users, and the URL of its server."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from typing_extensions import override

from agentlog.infrastructure.embedded.account import account_for
from agentlog.infrastructure.embedded.cluster import Cluster, has_data
from agentlog.infrastructure.embedded.errors import (
    ForeignFolder,
    NoData,
    NotAnswering,
    ServerBusy,
    UnreachableFolder,
    UnsupportedPlatform,
)
from agentlog.infrastructure.embedded.programs import find_programs
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.runtime.file_lock import FileLock
from agentlog.infrastructure.runtime.key_files import SIGNING_KEY, SNAPSHOT_KEY

_LOCK = "server.lock"  # the first file made: it marks the folder as agentlog's
_USERS = "users.lock"
_OF_THE_SYSTEM = {"lost+found", ".DS_Store"}  # what an empty volume or folder may contain
_KEYS = {SIGNING_KEY, SNAPSHOT_KEY}  # written for another server that a URL named


class EmbeddedServer(Closing):
    """One use of the server; a context manager. See `open_embedded`."""

    def __init__(self, data_dir: Path, lock: FileLock, users: FileLock, cluster: Cluster) -> None:
        """Begin a use, under the lock; `_start` sets the URL."""
        self.data_dir = data_dir
        self.url = ""
        """For libpq, over a Unix socket."""
        self.owner = users.try_exclusive()
        """Whether no other process used the server when this use began."""
        users.share()
        self._lock, self._users, self._cluster = lock, users, cluster
        self._settings: Mapping[str, str] = {}
        self._process: int | None = os.getpid()

    @override
    def close(self, *, seconds: float = 60.0) -> None:
        """End this use; the last one stops the server cleanly. Calling twice is fine.

        Raises:
            ServerBusy: another process has been starting or stopping it for `seconds`.
        """
        if self._process != os.getpid():  # closed already, or a child's copy of its parent's use
            return
        try:
            if not self._lock.wait_exclusive(seconds=seconds):
                raise ServerBusy(self.data_dir, seconds=seconds)
            if self._users.try_exclusive():
                self._cluster.stop()
        finally:
            self._leave()

    @property
    def was_killed(self) -> bool:
        """Whether the server is gone without an orderly shutdown."""
        return self._cluster.was_killed

    def revive(self, *, seconds: float = 60.0) -> None:
        """Start a killed server, unless another process has; it recovers from its WAL.

        Raises:
            EmbeddedServerError: as `open_embedded`.
        """
        if not self._lock.wait_exclusive(seconds=seconds):
            raise ServerBusy(self.data_dir, seconds=seconds)
        try:
            self._cluster.ensure_running(self._settings, seconds=seconds)
        finally:
            self._lock.release()

    def _start(self, settings: Mapping[str, str], *, seconds: float) -> None:
        """Have the server run, and give the lock back; after a failure nothing is left running."""
        self._settings = settings
        try:
            self._cluster.initialise(durable=settings.get("fsync") != "off")
            self.url = self._cluster.ensure_running(settings, seconds=seconds)
        except NotAnswering:
            self._leave()  # let it recover: stopping it now would only begin that anew
            raise
        except BaseException:
            self.close()
            raise
        self._lock.release()

    def _leave(self) -> None:
        self._process = None
        self._users.close()
        self._lock.close()


def open_embedded(
    data_dir: Path,
    *,
    new: bool = True,
    settings: Mapping[str, str] = MappingProxyType({}),
    seconds: float = 60.0,
) -> EmbeddedServer:
    """Return a use of the server in `data_dir`, which is made, started and recovered as needed.

    Args:
        data_dir: a new or empty folder, or one this has made.
        new: whether to make the data where there is none.
        settings: PostgreSQL's, for a server that is started here; one that runs keeps its own.
        seconds: how long to wait for another process, and again for the server.

    Raises:
        EmbeddedServerError: see the tree in `errors`.
    """
    if sys.platform == "win32":
        raise UnsupportedPlatform("Windows")
    data_dir = data_dir.expanduser().resolve()
    try:
        _check_free(data_dir)
        if not new and not has_data(data_dir):
            raise NoData(data_dir)
        return _open(data_dir, settings, seconds)
    except OSError as error:
        raise UnreachableFolder(
            data_dir,
            blocked=Path(str(error.filename or data_dir)),
            account=f"user {os.geteuid()}",
            reason=error.strerror or str(error),
        ) from error


def _open(data_dir: Path, settings: Mapping[str, str], seconds: float) -> EmbeddedServer:
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    account = account_for(data_dir)
    account.take_over(data_dir)
    programs = find_programs(account)
    lock = FileLock(data_dir / _LOCK)
    account.take_over(lock.descriptor)
    if not lock.wait_exclusive(seconds=seconds):
        lock.close()
        raise ServerBusy(data_dir, seconds=seconds)
    users = FileLock(data_dir / _USERS)
    account.take_over(users.descriptor)
    server = EmbeddedServer(data_dir, lock, users, Cluster(data_dir, account, programs))
    server._start(settings, seconds=seconds)  # noqa: SLF001 - the second half of making one
    return server


def _check_free(data_dir: Path) -> None:
    """Raise `ForeignFolder` unless the folder is agentlog's, or empty, or can be made."""
    nearest = next(folder for folder in (data_dir, *data_dir.parents) if folder.exists())
    if not nearest.is_dir():
        raise ForeignFolder(data_dir)
    if nearest != data_dir:
        return
    present = {entry.name for entry in data_dir.iterdir()} - _OF_THE_SYSTEM - _KEYS
    if present and not (data_dir / _LOCK).exists():
        raise ForeignFolder(data_dir)
