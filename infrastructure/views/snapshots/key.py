"""The secret key that seals snapshots: a file outside the database owner's reach."""

import hmac
import logging
import secrets
from pathlib import Path

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.runtime.key_files import SNAPSHOT_KEY, write_once
from agentlog.infrastructure.settings import Settings

_BYTES = 32

logger = logging.getLogger("agentlog")


class InvalidSnapshotKey(AgentlogError, kind="unavailable"):
    """The file of the snapshot key cannot be read, or is too short."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"AGENTLOG_SNAPSHOT_KEY: {path}: {reason}; make a key by "
            f"`openssl rand -out FILE {_BYTES}`, the same for all services of a database"
        )


def snapshot_key(settings: Settings) -> bytes:
    """Return the key that the settings name, or that of the data folder.

    Raises:
        InvalidSnapshotKey: it cannot be read.
    """
    if settings.snapshot_key is not None:
        return given_key(settings.snapshot_key)
    return own_key(settings.data_dir)


def given_key(path: Path) -> bytes:
    """Return the key in a file; raises `InvalidSnapshotKey`."""
    try:
        return _read(path)
    except OSError as error:
        raise InvalidSnapshotKey(path, str(error.strerror)) from error


def own_key(folder: Path) -> bytes:
    """Return the key in a data folder, made on first use; raises `InvalidSnapshotKey`.

    If the folder cannot hold a file, the key is this process's own, and snapshots of other
    processes are made again.
    """
    path = folder / SNAPSHOT_KEY
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_once(path, secrets.token_bytes(_BYTES))
        return _read(path)
    except OSError as error:
        logger.warning(
            "snapshots of views will not outlive this process: %s cannot be kept (%s); set "
            "AGENTLOG_SNAPSHOT_KEY",
            path,
            error.strerror,
        )
        return secrets.token_bytes(_BYTES)


def id_of(key: bytes) -> str:
    """Return the id of a key, which stands beside its seals and tells nothing of the key."""
    return hmac.new(key, b"id of a snapshot key", "sha256").hexdigest()[:16]


def _read(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) < _BYTES:
        raise InvalidSnapshotKey(path, f"it has fewer than {_BYTES} bytes")
    return key
