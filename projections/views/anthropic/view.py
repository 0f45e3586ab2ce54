"""The fold of the view `anthropic`: messages that Anthropic's API takes, at any moment."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.projections.context.sent import ContextOptions
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item, Placed
from agentlog.projections.views.anthropic.messages import (
    RESPONSE,
    WIRE,
    messages_of,
    said_by,
    without_record,
)
from agentlog.projections.views.items.view import ItemsCarry, ItemsView
from agentlog.projections.views.repair.anthropic import AnthropicWire
from agentlog.projections.views.repair.held import TurnsCarry
from agentlog.projections.views.repair.turns import Turns


class AnthropicOptions(ContextOptions):
    """How to show messages.

    `repair`: only what Anthropic's API takes, in an order that it takes; without it messages are as
    they came in.
    `mark`: say what repair did: under the key `agentlog` of a message or block `filler` and
    `synthesised`, what it made, `reordered`, what it moved behind later results; under
    `agentlog_recorded` what is on record in the place of what it changed.
    `system`: system prompts too, in their places, as messages of the role `system`, which a request
    has apart from its messages.
    """

    repair: bool = True
    mark: bool = False
    system: bool = True


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class AnthropicCarry(ItemsCarry):
    """What came in, and what the repair needs to go on."""

    turns: TurnsCarry = field(default_factory=TurnsCarry)


class AnthropicView(ItemsView[AnthropicCarry, AnthropicOptions]):
    """Messages of Anthropic's API."""

    name: ClassVar[str] = WIRE
    carry_format: ClassVar[int] = 2
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
        return replace(carry, turns=turns.carry), turns.settled

    @override
    def rest(self, carry: AnthropicCarry) -> Sequence[Placed]:
        items = super().rest(carry)
        if self._is_sent:
            return items
        turns = self._turns(carry, items)
        return [*turns.settled, *turns.rest()]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(item, calls)

    def _turns(self, carry: AnthropicCarry, items: Sequence[Placed]) -> Turns:
        options = self.options
        turns = Turns(_WIRE, carry.turns, repair=options.repair, mark=options.mark)
        for version, _, item in items:
            if options.system or item.get("role") != "system":
                self._add(turns, version, item)
        return turns

    def _add(self, turns: Turns, version: int, item: Item) -> None:
        message = {key: value for key, value in item.items() if key != RESPONSE}
        is_plain = RESPONSE in item
        if message.get("role") == "system" and is_plain:  # its residue is of the request
            message = {"role": "system", "content": message.get("content")}
        elif not self.options.repair:
            message = without_record(message)
        response = item.get(RESPONSE)
        turns.add(
            version, message, response if isinstance(response, str) else None, is_plain=is_plain
        )


_WIRE = AnthropicWire()
