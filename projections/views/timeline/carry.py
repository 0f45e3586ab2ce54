"""What the view `timeline` remembers between events."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.json.values import array_of, integer_at
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.outcomes.attempts import Attempts
from agentlog.projections.outcomes.pairs import MOST_OPEN, Answer, Kind, Open, asks_in
from agentlog.projections.outcomes.suspicion import UNANSWERED, UNANSWERED_STEPS, Past
from agentlog.projections.view import Item

_WAITS_FOR_OTHERS = frozenset({"approval", "worker"})  # open for any number of steps


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class OpenItem:
    """Something asked for: its item so far, and when, in milliseconds; None if that is unknown."""

    item: Item
    time: int | None

    def unanswered(self) -> Item:
        """Return its item, suspected of being unanswered."""
        return {**self.item, "suspected": [*array_of(self.item["suspected"]), UNANSWERED]}


_NONE: Open[OpenItem] = Open()


@dataclass(slots=True)
class TimelineCarry:
    """Where the thread stands; immutable once a fold returned it.

    `ordinal` is the next free one at `version`, `time` that of the latest message. `step` and
    `response_id` are counted as the view agent-state does. `open` has by kind what has no end yet,
    `told` the figures of answers as `pairs.with_told` has them.
    """

    version: int = 0
    ordinal: int = 0
    time: int | None = None
    step: int = 0
    response_id: str | None = None
    open: Mapping[Kind, Open[OpenItem]] = field(default_factory=dict)
    has_ended: bool = False
    past: Past = field(default_factory=Past)
    attempts: Attempts = field(default_factory=Attempts)
    told: Layers[Item] = field(default_factory=Layers)

    def at(self, version: int) -> "TimelineCarry":
        """Return a copy for the fold of the event at `version`."""
        return TimelineCarry(
            *(version, 0, self.time, self.step, self.response_id),
            *(self.open, self.has_ended, self.past, self.attempts, self.told),
        )

    def count_step(self, response_id: str | None = None) -> None:
        """Count a step, unless its model response was counted last."""
        self.step += response_id is None or response_id != self.response_id
        self.response_id = self.response_id if response_id is None else response_id

    def ask(self, event: Event, spans: Iterable[OpenItem]) -> None:
        """Open the spans that an event begins."""
        asks = asks_in(event)
        kind = asks[0].kind
        self.open = {**self.open, kind: self.open.get(kind, _NONE).ask(asks, spans)}

    def answer(self, answer: Answer) -> OpenItem | None:
        """Remove and return the span that an answer ends."""
        spans = self.open.get(answer.kind)
        if spans is None:
            return None
        span, left = spans.answer(answer)
        self.open = {**self.open, answer.kind: left}
        return span

    def give_up(self) -> list[Item]:
        """Remove what is more than can be kept, and return its items."""
        items: list[Item] = []
        for kind, spans in self.open.items():
            if len(spans.values) > MOST_OPEN[kind]:
                excess, left = spans.within(MOST_OPEN[kind])
                self.open = {**self.open, kind: left}
                items += [span.unanswered() for span in excess]
        return items

    def held(self) -> list[Item]:
        """Return the items of what is open, in the order in which it began."""
        spans = sorted([span for spans in self.open.values() for span in spans.values], key=_place)
        return [span.unanswered() if self._is_unanswered(span) else span.item for span in spans]

    def _is_unanswered(self, span: OpenItem) -> bool:
        waits = span.item["kind"] in _WAITS_FOR_OTHERS
        return self.has_ended or (not waits and self._is_late(span))

    def _is_late(self, span: OpenItem) -> bool:
        return self.step - (integer_at(span.item, "step") or 0) >= UNANSWERED_STEPS


def _place(span: OpenItem) -> tuple[int, int]:
    return integer_at(span.item, "version") or 0, integer_at(span.item, "ordinal") or 0
