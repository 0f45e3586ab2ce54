"""What waits for the writer: requests that were handed in together, and who is told of them."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from domain.errors import AgentlogError
from infrastructure.appending.append_request import Outcome, Outcomes, Ready

Deliver = Callable[[Outcomes], object]
"""Takes what came of requests."""

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
    """Requests handed in together, at a time of `time.monotonic`, and what came of them."""

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
        """Put what was decided beside what had been refused before."""
        rest = iter(decided)
        self.outcomes = [
            each if isinstance(each, AgentlogError) else next(rest) for each in self.tried
        ]


def ready_of(entries: Sequence[Entry]) -> list[Ready]:
    """Return what is to be written of entries, in their order."""
    return [each for entry in entries for each in entry.ready]


class Queue:
    """Entries in the order in which they came; any number of threads may put some in.

    `capacity` is how many may wait: who finds it full is to be refused.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: deque[Entry] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def is_full(self) -> bool:
        """Whether as many wait as may."""
        return len(self._entries) >= self.capacity

    def put(self, entry: Entry) -> None:
        """Put an entry behind all others."""
        self._entries.append(entry)

    def gather(self) -> list[Entry]:
        """Take what waits, as much of it as fits one batch; at least one, if any waits."""
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
