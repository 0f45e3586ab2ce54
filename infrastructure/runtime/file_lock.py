"""Advisory file locks; the kernel releases them when their process ends."""

import os
import sys
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

POLL_SECONDS = 0.01


class FileLock:
    """A lock on a file, which is created if missing; two objects on one file exclude each other."""

    def __init__(self, path: Path) -> None:
        # Follows no link: root may write into a folder that belongs to another account.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self.descriptor = os.open(path, flags, 0o600)

    def try_exclusive(self) -> bool:
        """Acquire the lock exclusively if it is free; return whether it was."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_exclusive(self, *, seconds: float) -> bool:
        """Acquire the lock exclusively within `seconds`; return whether that succeeded."""
        deadline = time.monotonic() + seconds
        while not self.try_exclusive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def share(self) -> None:
        """Acquire the lock shared; waits for an exclusive holder."""
        fcntl.flock(self.descriptor, fcntl.LOCK_SH)

    def release(self) -> None:
        """Release the lock; it can be acquired again."""
        fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release the lock and close the file."""
        os.close(self.descriptor)
