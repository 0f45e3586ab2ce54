"""The fold of the view `anthropic`: messages that Anthropic's API takes, at any moment."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item
from agentlog.projections.views.anthropic.messages import (
    RESPONSE,
    WIRE,
    messages_of,
    said_by,
)
from agentlog.projections.views.repair.anthropic import AnthropicWire
from agentlog.projections.views.repair.turns import Turns
from agentlog.projections.views.repair.view import RepairedItemsView, RepairOptions
from agentlog.projections.views.repair.wire import without_recorded, without_records


class AnthropicOptions(RepairOptions):
    """How to show messages.

    `repair`: only what Anthropic's API takes, in an order that it takes; without it messages are as
    they came in.
    `mark`: say what repair did: under the key `agentlog` of a message or block `filler` and
    `synthesised`, what it made, `reordered`, what it moved behind later results; under
    `agentlog_recorded` what is on record in the place of what it changed.
    `system`: system prompts too, in their places, as messages of the role `system`, which a request
    has apart from its messages.
    """

    system: bool = True


class AnthropicView(RepairedItemsView[AnthropicOptions]):
    """Messages of Anthropic's API."""

    name: ClassVar[str] = WIRE
    options_type = AnthropicOptions
    wire = AnthropicWire()

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        return messages_of(event)

    @override
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        return text_at(item, "id") or f"msg_{message_id}", item

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(without_recorded(item), calls)

    @override
    def add(self, turns: Turns, version: int, item: Item) -> None:
        if item.get("role") == "system" and not self.options.system:
            return
        message = {key: value for key, value in item.items() if key != RESPONSE}
        is_plain = RESPONSE in item
        if message.get("role") == "system" and is_plain:  # its residue is of the request
            message = {"role": "system", "content": message.get("content")}
        elif not self.options.repair:
            message = without_records(message)
        response = item.get(RESPONSE)
        turns.add(
            version, message, response if isinstance(response, str) else None, is_plain=is_plain
        )
