"""The server's main process, by its file `postmaster.pid` and the system's process table."""

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
    """The contents of a server's pid file; the process may be dead by now."""

    pid: int
    cluster: Path
    socket_folder: Path | None
    """None while it starts: the line is empty until it has made its socket."""
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
            folder = Path(lines[4]) if lines[4] else None  # not Path(""), the current folder
            return cls(int(lines[0]), cluster, folder, ready)
        except (FileNotFoundError, IndexError, ValueError):
            return None  # absent, or half written

    @property
    def runs(self) -> bool:
        """Whether that process lives and is a server on this cluster.

        Its id alone is not enough: after a crash of the machine or a container's restart another
        process may have it.
        """
        return _is_server(self.pid, self.cluster)

    def stop(self, *, seconds: float) -> bool:
        """Stop it with a fast shutdown, then an immediate one; return whether it is gone."""
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


def remove_stale_lock(lock_file: Path, cluster: Path) -> None:
    """Remove a lock file of PostgreSQL's unless a server on `cluster` holds it.

    PostgreSQL checks only whether a process with that id lives. That may be any process by now, or
    a dead one that was not reaped, and PostgreSQL refuses to start while it exists, or while the
    file is empty. That no backend of a dead server is left it checks by other means, the shared
    memory of the cluster.
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
        return True  # the process is hidden: trust the file


def _command_line(pid: int) -> bytes:
    """Return a process's command line: empty for a dead one, reaped or not."""
    if Path("/proc/self").exists():  # Linux, where a slim system may lack `ps`
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    shown = subprocess.run(  # noqa: S603 - a fixed program and a number
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], check=False, capture_output=True
    )
    return shown.stdout
