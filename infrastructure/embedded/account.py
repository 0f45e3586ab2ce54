"""The account that runs the server: the current user, or an unprivileged one instead of root."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agentlog.infrastructure.embedded.errors import OTHER_SERVER, EmbeddedServerError

if sys.platform != "win32":
    import pwd

UNPRIVILEGED = ("postgres", "nobody")
"""The accounts that root falls back to, in order of preference."""


@dataclass(frozen=True, slots=True)
class Account:
    """The user and group that own the data and run the server; `switch`: not the current ones."""

    uid: int
    gid: int
    name: str
    switch: bool

    def take_over(self, target: Path | int) -> None:
        """Give the account a file or folder (a path or a descriptor) that root would own."""
        if not self.switch:
            return
        if isinstance(target, int):
            os.fchown(target, self.uid, self.gid)
        else:
            os.lchown(target, self.uid, self.gid)

    def run(self, command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; its output is captured, as one text, in `stdout`."""
        return subprocess.run(  # noqa: S603 - PostgreSQL's own programs, with arguments of ours
            command,
            check=False,
            cwd="/",  # the current folder may be closed to the account
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            user=self.uid if self.switch else None,
            group=self.gid if self.switch else None,
            extra_groups=[] if self.switch else None,
        )

    def start(self, command: Sequence[str | Path], *, log: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own, so that Ctrl-C does not reach it."""
        return subprocess.Popen(  # noqa: S603 - as above
            command,
            cwd="/",
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            user=self.uid if self.switch else None,
            group=self.gid if self.switch else None,
            extra_groups=[] if self.switch else None,
        )

    def blocked_at(self, folder: Path) -> Path | None:
        """Return the first folder on the way that is closed to the account, if there is one."""
        for above in [*reversed(folder.parents), folder]:
            status = above.stat()
            shift = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
            if not status.st_mode >> shift & 1:
                return above
        return None


def account_for(folder: Path) -> Account:
    """Return the account for `folder`: the current user; for root, its owner or `UNPRIVILEGED`.

    Raises:
        EmbeddedServerError: the user is root, and there is no such account.
    """
    uid = os.geteuid()
    if uid != 0:
        return Account(uid, os.getegid(), f"user {uid}", switch=False)
    owner = folder.stat()
    if owner.st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, f"user {owner.st_uid}", switch=True)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid, f"user {name!r}", switch=True)
    raise EmbeddedServerError(
        "PostgreSQL refuses to run as root, and there is no user 'postgres' or 'nobody' to run it: "
        f"run agentlog as another user, or {OTHER_SERVER}"
    )


def _environment() -> dict[str, str]:
    """Return the environment without variables that affect the server, and with LC_ALL set.

    LC_ALL is for macOS: see "postmaster became multithreaded during startup" in PostgreSQL's
    documentation.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}
