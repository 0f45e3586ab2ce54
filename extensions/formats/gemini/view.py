"""The fold of the view `gemini`: contents that Gemini's API takes, at any moment."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.extensions.formats.gemini.contents import contents_of, said_by
from agentlog.extensions.formats.gemini.wire import GeminiWire
from agentlog.projections.carries.persistent_list import print_with_lists
from agentlog.projections.context.sent import ContextOptions, history_view, sent_items
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item, Placed, View
from agentlog.projections.views.repair.held import TurnsCarry
from agentlog.projections.views.repair.turns import Turns
from agentlog.projections.views.repair.wire import plain
from agentlog.projections.views.sent_turns import SentTurns, carry_type


class GeminiOptions(ContextOptions):
    """How to show contents.

    `repair`: only what Gemini's API takes, in an order that it takes. With or without it contents
    of the model in a row are one, and results of one turn.
    `mark`: say what repair did, as in the view `anthropic`.
    `system`: system prompts too, in their places, as contents of the role `system`, which a request
    has as `systemInstruction`.
    """

    repair: bool = True
    mark: bool = False
    system: bool = True


class GeminiView(View[TurnsCarry, GeminiOptions]):
    """Contents of generateContent. Signatures of thoughts are not shown: Gemini 3 wants them."""

    name: ClassVar[str] = "gemini"
    options_type = GeminiOptions
    carry_type = TurnsCarry

    def __init__(self, options: GeminiOptions | None = None) -> None:
        super().__init__(options)
        self.carry_type = carry_type(self.options)

    @override
    def start(self) -> TurnsCarry:
        return self.carry_type()

    @override
    def fold(self, carry: TurnsCarry, event: Event) -> tuple[TurnsCarry, Sequence[Placed]]:
        if isinstance(carry, SentTurns):
            return carry.then(event), ()
        options = self.options
        contents = contents_of(event)
        if not contents or (contents[0]["role"] == "system" and not options.system):
            return carry, ()
        turns = self._turns(carry)
        for item in contents:
            turns.add(event.version, item if options.repair else _as_recorded(item))
        return turns.carry, turns.settled

    @override
    def rest(self, carry: TurnsCarry) -> Sequence[Placed]:
        if isinstance(carry, SentTurns):
            return sent_items(history_view(self), carry.history)
        return self._turns(carry).rest() if carry.held else ()

    @override
    def dump(self, carry: TurnsCarry) -> bytes:
        return print_with_lists(carry)

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(item, calls)

    def _turns(self, carry: TurnsCarry) -> Turns:
        return Turns(_WIRE, carry, repair=self.options.repair, mark=self.options.mark)


def _as_recorded(item: Item) -> Item:
    parts = item.get("parts")
    if not isinstance(parts, list):
        return item
    return {**item, "parts": [plain(part) if isinstance(part, dict) else part for part in parts]}


_WIRE = GeminiWire()
