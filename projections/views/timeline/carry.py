"""What the view `timeline` remembers between events."""

from dataclasses import dataclass, field
from itertools import compress
from operator import not_

from agentlog.domain.json.values import array_of, integer_at
from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.outcomes.attempts import Attempts
from agentlog.projections.outcomes.suspicion import UNANSWERED, UNANSWERED_STEPS, Past
from agentlog.projections.view import Item

_MOST_OPEN = 10_000
_WAITS_FOR_OTHERS = frozenset({"approval", "worker"})  # open for any number of steps


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class OpenItem:
    """Something asked for: its item so far, and when, in milliseconds; None if that is unknown."""

    item: Item
    time: int | None

    @property
    def key(self) -> str | None:
        """What its answer names it by; None of a model call."""
        kind = str(self.item["kind"])
        return None if kind == "model" else key_of(kind, self.item)

    def unanswered(self) -> Item:
        """Return its item, suspected of being unanswered."""
        return {**self.item, "suspected": [*array_of(self.item["suspected"]), UNANSWERED]}


@dataclass(slots=True)
class TimelineCarry:
    """Where the thread stands; immutable once a fold returned it.

    `ordinal` is the next free one at `version`, `time` that of the latest message. `step` and
    `response_id` are counted as the view agent-state does. `open` has what began in the latest
    steps, `waiting` by key what is open for longer.
    """

    version: int = 0
    ordinal: int = 0
    time: int | None = None
    step: int = 0
    response_id: str | None = None
    open: tuple[OpenItem, ...] = ()
    waiting: Layers[OpenItem] = field(default_factory=Layers)
    has_ended: bool = False
    past: Past = field(default_factory=Past)
    attempts: Attempts = field(default_factory=Attempts)

    def at(self, version: int) -> "TimelineCarry":
        """Return a copy for the fold of the event at `version`."""
        return TimelineCarry(
            *(version, 0, self.time, self.step, self.response_id),
            *(self.open, self.waiting, self.has_ended, self.past, self.attempts),
        )

    def count_step(self, response_id: str | None = None) -> None:
        """Count a step, unless its model response was counted last."""
        self.step += response_id is None or response_id != self.response_id
        self.response_id = self.response_id if response_id is None else response_id

    def take(
        self, kind: str, *, latest: bool = False, named: Item | None = None
    ) -> OpenItem | None:
        """Remove and return the oldest open span of a kind, or the latest, that is named so."""
        key = None if named is None or kind == "model" else key_of(kind, named)
        if key is not None and (waiting := self.waiting.get(key)) is not None:
            self.waiting = self.waiting.with_changes({key: None})
            return waiting
        for index in range(len(self.open))[:: -1 if latest else 1]:
            item = self.open[index].item
            if item["kind"] == kind and (named is None or named.items() <= item.items()):
                span = self.open[index]
                self.open = (*self.open[:index], *self.open[index + 1 :])
                return span
        return None

    def age(self) -> list[Item]:
        """Let what is open for many steps wait; return the items of what is given up.

        That is a model call, which nothing names; what the same key names again; and what is more
        than can be kept.
        """
        excess = len(self.open) - _MOST_OPEN
        if excess <= 0 and not self._is_late(self.open[0]):  # the others began later
            return []
        is_old = [index < excess or self._is_late(span) for index, span in enumerate(self.open)]
        items: list[Item] = []
        changes: dict[str, OpenItem | None] = {}
        for span in compress(self.open, is_old):
            key = span.key
            if key is None or self.waiting.size + len(changes) >= _MOST_OPEN:
                items.append(span.unanswered())
                continue
            before = changes.get(key) or self.waiting.get(key)
            items += [] if before is None else [before.unanswered()]
            changes[key] = span
        self.open = tuple(compress(self.open, map(not_, is_old)))
        self.waiting = self.waiting.with_changes(changes)
        return items

    def held(self) -> list[Item]:
        """Return the items of what is open, in the order in which it began."""
        spans = [*sorted([span for _, span in self.waiting.items()], key=_place), *self.open]
        return [span.unanswered() if self._is_unanswered(span) else span.item for span in spans]

    def _is_unanswered(self, span: OpenItem) -> bool:
        waits = span.item["kind"] in _WAITS_FOR_OTHERS
        return self.has_ended or (not waits and self._is_late(span))

    def _is_late(self, span: OpenItem) -> bool:
        return self.step - (integer_at(span.item, "step") or 0) >= UNANSWERED_STEPS


def key_of(kind: str, named: Item) -> str | None:
    """Return the key of a span that is named so; None where it is named without an id."""
    named_id = named.get("workerId" if kind == "worker" else "callId")
    return None if named_id is None else f"{kind} {named_id}"


def _place(span: OpenItem) -> tuple[int, int]:
    return integer_at(span.item, "version") or 0, integer_at(span.item, "ordinal") or 0
