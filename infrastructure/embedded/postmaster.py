"""The server's main process, as its file `postmaster.pid` and the system tell of it."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Postmaster:
    """What a server said of itself, which may be dead by now."""

    pid: int
    cluster: Path
    socket_folder: Path
    ready: bool

    @classmethod
    def read(cls, cluster: Path) -> Self | None:
        """Return the server that last wrote into `cluster`; none if it stopped cleanly.

        The file's lines: pid, folder, start, port, socket folder, address, memory, status. See
        LOCK_FILE_LINE_PID and its kin in PostgreSQL's `miscadmin.h`.
        """
        try:
            lines = os.fsdecode((cluster / "postmaster.pid").read_bytes()).splitlines()
            ready = [line.strip() for line in lines[7:]] == ["ready"]
            return cls(int(lines[0]), cluster, Path(lines[4]), ready)
        except (FileNotFoundError, IndexError, ValueError):
            return None  # absent, or half written

    @property
    def runs(self) -> bool:
        """Whether that process lives and is a server on this cluster.

        Its number alone says little: after a crash of the machine or a container's restart some
        other process has it.
        """
        return _is_server(self.pid, self.cluster)

    def stop(self, *, seconds: float) -> bool:
        """Stop it cleanly, or at once if that takes too long; return whether it is gone."""
        for order in (signal.SIGINT, signal.SIGQUIT):  # PostgreSQL's fast and immediate shutdown
            try:
                os.kill(self.pid, order)
            except ProcessLookupError:
                return True
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if not self.runs:
                    return True
                time.sleep(POLL_SECONDS)
        return False


def forget_dead(lock_file: Path, cluster: Path) -> None:
    """Remove a lock file of PostgreSQL's unless a server on `cluster` holds it.

    PostgreSQL itself sees only whether a process of that number lives. That may be any process by
    now, or one that has died and was not waited for, and it refuses to start while it is there, or
    while the file is empty. That no backend of a dead server is left it checks by other means, the
    shared memory of the cluster.
    """
    try:
        pid = int(lock_file.read_text().splitlines()[0])
    except FileNotFoundError:
        return
    except (IndexError, ValueError):
        lock_file.unlink(missing_ok=True)
        return
    if not _is_server(pid, cluster):
        lock_file.unlink(missing_ok=True)


def _is_server(pid: int, cluster: Path) -> bool:
    try:
        return os.fsencode(cluster) in _command_line(pid)
    except (ProcessLookupError, FileNotFoundError):
        return False
    except PermissionError:
        return True  # hidden from us: take the file at its word


def _command_line(pid: int) -> bytes:
    """Return what a process was started with: nothing for one that has died, waited for or not."""
    if Path("/proc/self").exists():  # Linux, where a slim system may lack `ps`
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    shown = subprocess.run(  # noqa: S603 - a fixed program and a number
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], check=False, capture_output=True
    )
    return shown.stdout
