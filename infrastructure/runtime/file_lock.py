"""Advisory locks on files: the kernel takes them back however their holder ends."""

import os
import sys
import time
from pathlib import Path

if sys.platform != "win32":
    import fcntl

POLL_SECONDS = 0.01


class FileLock:
    """A lock on a file, made if it is not there; two objects on one file exclude each other."""

    def __init__(self, path: Path) -> None:
        # No link is followed: as root we write into a folder that belongs to another account.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self.descriptor = os.open(path, flags, 0o600)

    def try_exclusive(self) -> bool:
        """Return whether nobody else holds the lock; if so, this one does, alone."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_exclusive(self, *, seconds: float) -> bool:
        """Return whether the lock could be had alone within `seconds`."""
        deadline = time.monotonic() + seconds
        while not self.try_exclusive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def share(self) -> None:
        """Hold the lock beside others, once nobody holds it alone."""
        fcntl.flock(self.descriptor, fcntl.LOCK_SH)

    def release(self) -> None:
        """Give the lock back; it may be taken again."""
        fcntl.flock(self.descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the lock back for good."""
        os.close(self.descriptor)
