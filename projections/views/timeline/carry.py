"""What the view `timeline` remembers between events."""

from dataclasses import dataclass, field

from projections.suspicion import Past
from projections.view import Item


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class Span:
    """Something asked for: its item so far, and when, in milliseconds; None if that is unknown."""

    item: Item
    time: int | None


@dataclass(slots=True)
class TimelineCarry:
    """Where the thread stands; immutable once a fold returned it.

    `ordinal` is the next free one at `version`, `time` that of the latest message. `step` and
    `response_id` are counted as the view agent-state does.
    """

    version: int = 0
    ordinal: int = 0
    time: int | None = None
    step: int = 0
    response_id: str | None = None
    open: tuple[Span, ...] = ()
    past: Past = field(default_factory=Past)

    def at(self, version: int) -> "TimelineCarry":
        """Return a copy for the fold of the event at `version`."""
        return TimelineCarry(
            version, 0, self.time, self.step, self.response_id, self.open, self.past
        )

    def count_step(self, response_id: str | None = None) -> None:
        """Count a step, unless its model response was counted last."""
        self.step += response_id is None or response_id != self.response_id
        self.response_id = self.response_id if response_id is None else response_id

    def take(self, kind: str, *, latest: bool = False, named: Item | None = None) -> Span | None:
        """Remove and return the oldest open span of a kind, or the latest, that is named so."""
        for index in range(len(self.open))[:: -1 if latest else 1]:
            item = self.open[index].item
            if item["kind"] == kind and (named is None or named.items() <= item.items()):
                found = self.open[index]
                self.open = (*self.open[:index], *self.open[index + 1 :])
                return found
        return None
