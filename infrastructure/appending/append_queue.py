"""Queue of requests that wait for the writer, each with the callback for its outcomes."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from domain.errors import AgentlogError
from infrastructure.appending.append_request import Outcome, Outcomes, Ready

Deliver = Callable[[Outcomes], object]
"""Callback with the outcomes of requests."""

_BATCH_REQUESTS = 1000
_BATCH_BYTES = 8 * 2**20


class WriterOverloaded(AgentlogError):
    """More appends are waiting than the writer takes: ask again a little later."""

    def __init__(self, capacity: int) -> None:
        super().__init__(
            f"{capacity} appends are waiting already: ask again a little later; "
            "nothing of this one was written"
        )
        self.capacity = capacity


@dataclass(slots=True)
class Entry:
    """Requests handed in together at a time of `time.monotonic`, and their outcomes."""

    tried: Sequence[Ready | AgentlogError]
    asked_at: float
    deliver: Deliver
    outcomes: Outcomes | None = None
    ready: Sequence[Ready] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.ready = [each for each in self.tried if isinstance(each, Ready)]
        self.size = sum(each.size for each in self.ready)

    def settle(self, decided: Sequence[Outcome]) -> None:
        """Set the outcomes: those just decided, and the refusals from before."""
        rest = iter(decided)
        self.outcomes = [
            each if isinstance(each, AgentlogError) else next(rest) for each in self.tried
        ]


def ready_of(entries: Sequence[Entry]) -> list[Ready]:
    """Return the ready requests of entries, in their order."""
    return [each for entry in entries for each in entry.ready]


class Queue:
    """A thread-safe FIFO queue of entries.

    `capacity` is the most requests that may wait; callers refuse requests while the queue is full.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: deque[Entry] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def is_full(self) -> bool:
        """Whether the queue has reached its capacity."""
        return len(self._entries) >= self.capacity

    def put(self, entry: Entry) -> None:
        """Add an entry at the end."""
        self._entries.append(entry)

    def gather(self) -> list[Entry]:
        """Remove and return entries for one batch; at least one if the queue is not empty."""
        entries: list[Entry] = []
        requests = size = 0
        while self._entries:
            entry = self._entries[0]
            requests += len(entry.ready)
            size += entry.size
            if entries and (requests > _BATCH_REQUESTS or size > _BATCH_BYTES):
                break
            entries.append(self._entries.popleft())
        return entries
