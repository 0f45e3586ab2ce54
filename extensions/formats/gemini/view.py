"""The fold of the view `gemini`: contents that Gemini's API takes, at any moment."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.extensions.formats.gemini.contents import contents_of, said_by
from agentlog.extensions.formats.gemini.wire import GeminiWire
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item
from agentlog.projections.views.repair.view import RepairOptions, TurnsView
from agentlog.projections.views.repair.wire import without_recorded, without_records


class GeminiOptions(RepairOptions):
    """How to show contents.

    `repair`: only what Gemini's API takes, in an order that it takes. With or without it contents
    of the model in a row are one, and results of one turn.
    `mark`: say what repair did, as in the view `anthropic`.
    `system`: system prompts too, in their places, as contents of the role `system`, which a request
    has as `systemInstruction`.
    """

    system: bool = True


class GeminiView(TurnsView[GeminiOptions]):
    """Contents of generateContent. Signatures of thoughts are not shown: Gemini 3 wants them."""

    name: ClassVar[str] = "gemini"
    carry_format: ClassVar[int] = 2
    options_type = GeminiOptions
    wire = GeminiWire()

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        contents = contents_of(event)
        if contents and contents[0]["role"] == "system" and not self.options.system:
            return ()
        return contents if self.options.repair else [*map(without_records, contents)]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(without_recorded(item), calls)
