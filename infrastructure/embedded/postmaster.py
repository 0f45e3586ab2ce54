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
        try:
            return os.fsencode(self.cluster) in _command_line(self.pid)
        except (ProcessLookupError, FileNotFoundError):
            return False
        except PermissionError:
            return True  # hidden from us: take it at its word

    def forget_if_reused(self) -> None:
        """Remove the file of a dead server whose number some other process has now.

        PostgreSQL sees only that the process lives, and would refuse to start while it does. That
        no backend of the dead server is left, it checks by other means (its shared memory).
        """
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return  # PostgreSQL sees as much, and removes the file itself
        except PermissionError:
            pass  # somebody else's process lives too
        if not self.runs:
            (self.cluster / "postmaster.pid").unlink(missing_ok=True)

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


def _command_line(pid: int) -> bytes:
    """Return what a process was started with: nothing for one that has died, waited for or not."""
    if Path("/proc/self").exists():  # Linux, where a slim system may lack `ps`
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    shown = subprocess.run(  # noqa: S603 - a fixed program and a number
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], check=False, capture_output=True
    )
    return shown.stdout
