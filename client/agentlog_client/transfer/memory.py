"""What watch remembers of the files that it has sent, also after a restart."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentlog_client.errors import AgentlogError
from agentlog_client.transfer.sources import Stamp


class AlreadyWatched(AgentlogError):
    """Another process watches the same for the same service."""

    def __init__(self) -> None:
        super().__init__("another process watches this folder for this service")


class NoStateFolder(AgentlogError):
    """What was sent cannot be remembered."""

    def __init__(self, reason: object) -> None:
        super().__init__(
            f"what was sent cannot be remembered ({reason}): have XDG_STATE_HOME name a folder "
            "that can be written"
        )


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as the service has taken it.

    `sent` bytes of it, with that SHA-256, are in the current import.
    """

    size: int
    changed: int
    sent: int
    sha256: str

    @property
    def stamp(self) -> Stamp:
        """Its size and time of change then."""
        return self.size, self.changed


@dataclass(slots=True)
class Memory:
    """Of one folder and service: the import that is under way, and the files by name."""

    path: Path
    import_id: str | None = None
    files: dict[str, Sent] = field(default_factory=dict)
    _lock: Any = None

    @classmethod
    def of(cls, **what: object) -> "Memory":
        """Return what is remembered of a folder and service.

        Raises:
            AlreadyWatched: another process has it.
            NoStateFolder: its folder cannot be written.
        """
        state = os.environ.get("XDG_STATE_HOME")
        name = sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]
        try:
            base = Path(state) if state else Path.home() / ".local" / "state"
            folder = base / "agentlog" / "watch"
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            memory = cls(folder / f"{name}.json")
            memory._take_lock()
        except (OSError, RuntimeError) as error:  # an account without a home
            raise NoStateFolder(error) from error
        try:
            known = json.loads(memory.path.read_text())
            memory.import_id = known["import"]
            memory.files = {name: Sent(**sent) for name, sent in known["files"].items()}
        except (OSError, ValueError, KeyError, TypeError):  # none, or not of this version
            memory.import_id, memory.files = None, {}
        return memory

    def keep(self) -> None:
        """Write it down, if it can be: else it may be sent again, which does no harm."""
        part = self.path.with_suffix(".part")
        files = {name: asdict(sent) for name, sent in self.files.items()}
        with suppress(OSError):
            part.write_text(json.dumps({"import": self.import_id, "files": files}))
            part.replace(self.path)

    def leave_import(self) -> None:
        """Forget the import: what changes from now on is sent whole once, to another."""
        self.import_id = None
        self.files = {
            name: Sent(sent.size, sent.changed, 0, "") for name, sent in self.files.items()
        }

    @property
    def sent_bytes(self) -> int:
        """The bytes in the current import."""
        return sum(sent.sent for sent in self.files.values())

    def _take_lock(self) -> None:
        if find_spec("fcntl") is None:  # Windows: two watchers of a folder are not noticed
            return
        import fcntl  # noqa: PLC0415 - not everywhere

        self._lock = self.path.with_suffix(".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise AlreadyWatched from error
