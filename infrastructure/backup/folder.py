"""The folder of a backup: written under another name, then renamed, so that it is complete."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentlog.infrastructure.backup.errors import BackupBusy, BackupExists, UnwritableBackup
from agentlog.infrastructure.runtime.file_lock import FileLock

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
