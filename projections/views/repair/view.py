"""Views of APIs, whose last step is the repair."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import ClassVar, TypeVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.projections.carries.persistent_list import PrintedList, print_with_lists
from agentlog.projections.context.sent import (
    ContextOptions,
    is_sent,
    sent_items,
    with_event,
)
from agentlog.projections.view import Item, Placed, View
from agentlog.projections.views.items.view import Items, ItemsCarry, ItemsView
from agentlog.projections.views.repair.held import TurnsCarry
from agentlog.projections.views.repair.turns import Turns
from agentlog.projections.views.repair.wire import Wire


class RepairOptions(ContextOptions):
    """How to show messages.

    `repair`: only what the API takes, in an order that it takes. `mark`: say what repair did.
    """

    repair: bool = True
    mark: bool = False


RepairOptionsT = TypeVar("RepairOptionsT", bound=RepairOptions)


@dataclass(slots=True)
class SentTurns(TurnsCarry):
    """All events, of whose context the turns are made anew."""

    history: Items = field(default_factory=PrintedList)


class TurnsView(View[TurnsCarry, RepairOptionsT]):
    """Messages of the API of a wire, made of each event by itself."""

    carry_type = TurnsCarry
    wire: Wire

    def __init__(self, options: RepairOptionsT | None = None) -> None:
        super().__init__(options)
        self.carry_type = SentTurns if is_sent(self) else TurnsCarry

    @abstractmethod
    def items_of(self, event: Event) -> Sequence[Item]:
        """Return the messages of an event by itself."""

    @override
    def start(self) -> TurnsCarry:
        return self.carry_type()

    @override
    def fold(self, carry: TurnsCarry, event: Event) -> tuple[TurnsCarry, Sequence[Placed]]:
        return self.fold_all(carry, (event,))

    @override
    def fold_all(
        self, carry: TurnsCarry, events: Iterable[Event]
    ) -> tuple[TurnsCarry, Sequence[Placed]]:
        if isinstance(carry, SentTurns):
            return SentTurns(history=reduce(with_event, events, carry.history)), ()
        turns = self._turns(carry)
        for event in events:
            for item in self.items_of(event):
                turns.add(event.version, item, event.response_id)
        return turns.carry, turns.settled

    @override
    def rest(self, carry: TurnsCarry) -> Sequence[Placed]:
        if isinstance(carry, SentTurns):
            return sent_items(self, carry.history)
        return self._turns(carry).rest() if carry.held else ()

    @override
    def dump(self, carry: TurnsCarry) -> bytes:
        return print_with_lists(carry)

    def _turns(self, carry: TurnsCarry) -> Turns:
        return Turns(self.wire, carry, repair=self.options.repair, mark=self.options.mark)


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class RepairedCarry(ItemsCarry):
    """What came in, and what the repair needs to go on."""

    turns: TurnsCarry = field(default_factory=TurnsCarry)


class RepairedItemsView(ItemsView[RepairedCarry, RepairOptionsT]):
    """Items of the API of a wire."""

    carry_format: ClassVar[int] = 3
    carry_type = RepairedCarry
    wire: Wire
    joins: ClassVar[bool] = True
    """Whether items are joined without repair too; else they are as they came in."""

    def add(self, turns: Turns, version: int, item: Item) -> None:
        """Add an item at a version."""
        turns.add(version, item)

    @override
    def fold_all(
        self, carry: RepairedCarry, events: Iterable[Event]
    ) -> tuple[RepairedCarry, Sequence[Placed]]:
        if self._is_sent or not (self.joins or self.options.repair):
            return super().fold_all(carry, events)
        now, turns = replace(carry), self._turns(carry)
        for event in events:
            for version, _, item in self.take(now, event):
                self.add(turns, version, item)
        now.turns = turns.carry
        return now, turns.settled

    @override
    def rest(self, carry: RepairedCarry) -> Sequence[Placed]:
        items = super().rest(carry)
        if self._is_sent or not (self.joins or self.options.repair):
            return items
        turns = self._turns(carry)
        for version, _, item in items:
            self.add(turns, version, item)
        return [*turns.settled, *turns.rest()]

    def _turns(self, carry: RepairedCarry) -> Turns:
        options = self.options
        return Turns(self.wire, carry.turns, repair=options.repair, mark=options.mark)


def repaired(wire: Wire, items: Iterable[Item]) -> list[Item]:
    """Return messages of an API as it takes them in a request, with no call open at the end."""
    turns = Turns(wire, TurnsCarry(), repair=True)
    for number, item in enumerate(items, 1):
        turns.add(number, item)
    return [placed.item for placed in (*turns.settled, *turns.rest(closed=True))]
