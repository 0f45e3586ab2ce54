"""The folder of the server's Unix socket: private, and short enough for the kernel."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from agentlog.infrastructure.embedded.account import Account
from agentlog.infrastructure.embedded.errors import UntrustedFolder

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
