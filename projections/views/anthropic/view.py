"""The fold of the view `anthropic`: messages that Anthropic's API takes, at any moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_to_keep
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.projections.carries.persistent_list import PrintedList
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import BEFORE_ALL, Item, Options, Place, Placed
from agentlog.projections.views.anthropic.messages import WIRE, messages_of, said_by
from agentlog.projections.views.anthropic.turns import Turns
from agentlog.projections.views.items.view import Items, ItemsCarry, ItemsView


class AnthropicOptions(Options):
    """How to show messages.

    `repair`: only what Anthropic's API takes, in an order that it takes; without it messages are as
    they came in.
    `system`: system prompts too, in their places, as messages of the role `system`, which a request
    has apart from its messages.
    """

    repair: bool = True
    system: bool = True


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class AnthropicCarry(ItemsCarry):
    """What `Turns` needs to go on."""

    pending: Items = field(default_factory=PrintedList)
    open_calls: tuple[str, ...] = ()
    last: int | None = None
    response: str | None = None
    has_begun: bool = False
    place: Place = BEFORE_ALL


class AnthropicView(ItemsView[AnthropicCarry, AnthropicOptions]):
    """Messages of Anthropic's API."""

    name: ClassVar[str] = WIRE
    options_type = AnthropicOptions
    carry_type = AnthropicCarry

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        return messages_of(event)

    @override
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        return text_at(item, "id") or f"msg_{message_id}", item

    @override
    def fold(self, carry: AnthropicCarry, event: Event) -> tuple[AnthropicCarry, Sequence[Placed]]:
        carry, items = super().fold(carry, event)
        if not items:
            return carry, ()
        turns = self._turns(carry, items)
        pending = PrintedList()
        for placed in turns.pending:
            pending = pending.append(_print(placed))
        carry = replace(
            carry,
            pending=pending,
            open_calls=tuple(turns.open_calls),
            last=turns.last,
            response=turns.response,
            has_begun=turns.has_begun,
            place=turns.place,
        )
        return carry, turns.settled

    @override
    def rest(self, carry: AnthropicCarry) -> Sequence[Placed]:
        turns = self._turns(carry, super().rest(carry))
        if turns.is_answering:
            turns.close(turns.place[0])
        return [*turns.settled, *turns.pending]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(item, calls)

    def _turns(self, carry: AnthropicCarry, items: Sequence[Placed]) -> Turns:
        turns = Turns(
            list(map(_parse, carry.pending)),
            carry.open_calls,
            repair=self.options.repair,
            last=carry.last,
            response=carry.response,
            has_begun=carry.has_begun,
            place=carry.place,
        )
        for version, _, item in items:
            if self.options.system or item.get("role") != "system":
                turns.add(version, item)
        return turns


def _print(placed: Placed) -> bytes:
    return print_to_keep([placed.version, placed.ordinal, placed.item])


def _parse(value: JsonValue) -> Placed:
    match value:
        case [int(version), int(ordinal), dict(item)]:
            return Placed(version, ordinal, item)
        case _:
            return Placed(0, 0, {})
