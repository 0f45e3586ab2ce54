"""The view `source`: items of other programs' formats, exactly as their client appended them."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.projections.view import Item, Options
from agentlog.projections.views.items.view import ItemsCarry, ItemsView

WIRE = "source"


class SourceView(ItemsView[ItemsCarry, Options]):
    """Items of which the messages have templates; other messages are not shown."""

    name: ClassVar[str] = WIRE
    options_type = Options
    carry_type = ItemsCarry

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        return ()

    @override
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        return text_at(item, "id") or text_at(item, "uuid") or message_id, item
