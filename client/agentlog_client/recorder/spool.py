"""What is recorded and not acknowledged: in a file, and in memory while none can be written."""

import os
from hashlib import sha256
from pathlib import Path

from agentlog_client.destination import Destination
from agentlog_client.recorder.memory_lines import MemoryLines
from agentlog_client.recorder.spool_file import SpoolFile
from agentlog_client.recorder.trouble import Trouble

_MEMORY_BYTES = 64 * 2**20
_FILE_BYTES = 2**30


class Spool:
    """The lines of one process, in their order: those in memory came after those in the file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: SpoolFile | None = None
        self._memory = MemoryLines(_MEMORY_BYTES)

    def keep(self, line: bytes) -> Trouble | None:
        """Keep a line; say what is wrong if it is in no file."""
        trouble = None
        try:
            if not self._memory.waiting:
                self._opened().append(line)
                return None
        except OSError as error:
            text = f"agentlog keeps messages in memory: {self.folder} cannot be written: {error}"
            trouble = Trouble("not_written", text)
        try:
            self._memory.append(line)
        except OSError as error:
            return Trouble("dropped", f"agentlog lost a message: {error}")
        return trouble

    def _opened(self) -> SpoolFile:
        if self._file is None:
            self._file = SpoolFile.create(self.folder)
        if self._file.end > _FILE_BYTES:
            raise OSError(f"{self._file.path} has {self._file.end:,} bytes")
        return self._file

    @property
    def first_queue(self) -> SpoolFile | MemoryLines:
        """Where the oldest line is."""
        return self._file if self._file is not None and self._file.waiting else self._memory

    @property
    def waiting(self) -> int:
        """Bytes that are not acknowledged."""
        return self._memory.waiting + (0 if self._file is None else self._file.waiting)

    def close(self) -> None:
        """Leave what waits to the next process; the next line begins a new file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def forget(self) -> None:
        """Begin anew, in a child process: what waits is the parent's."""
        self._file, self._memory = None, MemoryLines(_MEMORY_BYTES)


def default_folder(to: Destination) -> Path:
    """Return the folder of a user for one service and one key: none is sent what is another's."""
    state = os.environ.get("XDG_STATE_HOME")
    try:
        base = Path(state) if state else Path.home() / ".local" / "state"
    except RuntimeError:  # an account without a home: messages wait in memory
        base = Path(os.devnull)
    digest = sha256(f"{to.url}\0{to.key or ''}".encode()).hexdigest()[:16]
    return base / "agentlog" / "recorder" / digest
