"""A file of lines on their way to the service: it outlives the process that wrote them.

The first line says how many bytes have been acknowledged. A file is locked by the process that
writes it; one that is not locked was left behind. The next process that locks it sends the rest.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from agentlog_client.identifiers import new_id

if sys.platform != "win32":
    import fcntl

SUFFIX = ".spool"
_HEADER_BYTES = 48
_OPEN: set[int] = set()
"""Descriptors with a lock: a child process shares them, and would keep the lock of its parent."""


class SpoolFile:
    """An open, locked file: one thread reads and acknowledges, others append meanwhile.

    The caller sees to it that none appends while it acknowledges.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self.end = os.fstat(descriptor).st_size
        self._sent = min(_sent_in(os.pread(descriptor, _HEADER_BYTES, 0)), self.end)

    @classmethod
    def create(cls, folder: Path) -> Self:
        """Return a new file in a folder, which is created if missing, for this user alone.

        Raises:
            OSError: it cannot be created; on Windows none can.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = new_id()
        hidden = folder / f".{name}"  # no other process locks it before we do
        descriptor = _locked(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        try:
            os.pwrite(descriptor, _header(_HEADER_BYTES), 0)
            path = hidden.rename(folder / f"{name}{SUFFIX}")
        except OSError:
            _unlock(descriptor)
            hidden.unlink(missing_ok=True)
            raise
        return cls(path, descriptor)

    @classmethod
    def adopt(cls, path: Path) -> Self | None:
        """Return a file that was left behind; None if its process lives, or it is gone.

        Raises:
            OSError: it cannot be opened.
        """
        try:
            return cls(path, _locked(path, os.O_RDWR))
        except (BlockingIOError, FileNotFoundError):
            return None

    def append(self, line: bytes) -> None:
        """Write a line: what a kill of this process, not of the machine, leaves as it is.

        Raises:
            OSError: it is not written, no part of it.
        """
        if os.pwrite(self._descriptor, line, self.end) < len(line):
            os.ftruncate(self._descriptor, self.end)
            raise OSError(f"no room for {len(line)} bytes")
        self.end += len(line)

    def pending(self, most: int) -> list[bytes]:
        """Return lines that are not acknowledged: of so many bytes together, or the first alone."""
        start, end, size = self._sent, self.end, most
        while True:
            data = os.pread(self._descriptor, min(size, end - start), start)
            whole = data.rfind(b"\n") + 1
            if whole or start + size >= end:
                return data[:whole].splitlines(keepends=True)
            size *= 2

    def acknowledge(self, count: int) -> None:
        """Go on after so many bytes.

        Raises:
            OSError: they may be sent again, which does no harm.
        """
        self._sent += count
        if self._sent == self.end:
            os.pwrite(self._descriptor, _header(_HEADER_BYTES), 0)
            os.ftruncate(self._descriptor, _HEADER_BYTES)
            self._sent = self.end = _HEADER_BYTES
        else:
            os.pwrite(self._descriptor, _header(self._sent), 0)

    @property
    def waiting(self) -> int:
        """Bytes that are not acknowledged."""
        return self.end - self._sent

    def close(self) -> None:
        """Leave the file to others, or delete it if nothing waits in it."""
        if not self.waiting:
            self.path.unlink(missing_ok=True)
        _unlock(self._descriptor)


def _header(sent: int) -> bytes:
    return json.dumps({"agentlog": 1, "sent": sent}).encode().ljust(_HEADER_BYTES - 1) + b"\n"


def _sent_in(header: bytes) -> int:
    try:
        return int(json.loads(header)["sent"])
    except (ValueError, KeyError, TypeError):
        return _HEADER_BYTES  # all of it is sent again


def left_behind(folder: Path) -> list[Path]:
    """Return the files of a folder, the oldest first: those of living processes too."""
    return sorted(folder.glob(f"*{SUFFIX}"))


@contextmanager
def adopting(folder: Path) -> Iterator[bool]:
    """Whether this process alone sends what was left behind; it does until the block ends.

    Raises:
        OSError: there is no such folder.
    """
    try:
        descriptor = _locked(folder, os.O_RDONLY)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        _unlock(descriptor)


def close_inherited() -> None:
    """Close, in a child process, what its parent has locked."""
    while _OPEN:
        os.close(_OPEN.pop())


def _locked(path: Path, flags: int) -> int:
    """Return a descriptor with the lock.

    Raises:
        BlockingIOError: another has it.
        OSError: it cannot be opened; on Windows none can be locked.
    """
    if sys.platform == "win32":
        raise OSError("spool files need locks of POSIX")
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    _OPEN.add(descriptor)
    return descriptor


def _unlock(descriptor: int) -> None:
    _OPEN.discard(descriptor)
    if sys.platform != "win32":
        fcntl.flock(descriptor, fcntl.LOCK_UN)  # of copies in child processes too
    os.close(descriptor)
