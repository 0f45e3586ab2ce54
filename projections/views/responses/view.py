"""The view `responses`: items of the Responses and Conversations APIs."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item, Options
from agentlog.projections.views.items.view import ItemsCarry, ItemsView
from agentlog.projections.views.responses.complete import completed, id_of
from agentlog.projections.views.responses.items import WIRE, items_of, said_by


class ResponsesOptions(Options):
    """How to show items.

    `complete`: with all that OpenAI's API returns: type, id, status, contents as parts. Without it
    items are as they came in, and those of other messages have no id.
    """

    complete: bool = False


class ResponsesView(ItemsView[ItemsCarry, ResponsesOptions]):
    """Items of the Responses and Conversations APIs; any message that they can say is one."""

    name: ClassVar[str] = WIRE
    options_type = ResponsesOptions
    carry_type = ItemsCarry

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        return items_of(event)

    @override
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        item_id = id_of(item, message_id, ordinal)
        return item_id, completed(item, item_id) if self.options.complete else item

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(item, calls)
