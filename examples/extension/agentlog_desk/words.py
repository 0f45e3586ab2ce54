"""The view `words`: an item for each text that was said, with the words so far."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import InputMessage, ReplyMessage
from agentlog.projections.view import Item, Options, Placed, View


class Words(View[int, Options]):
    """Its carry is the number of words so far."""

    name: ClassVar[str] = "words"
    options_type = Options
    carry_type = int

    @override
    def start(self) -> int:
        return 0

    @override
    def fold(self, carry: int, event: Event) -> tuple[int, Sequence[Placed]]:
        match event.message:
            case InputMessage(text=str(text)) | ReplyMessage(text=str(text)):
                words = len(text.split())
                item: Item = {"words": words, "total": carry + words}
                return carry + words, [Placed(event.version, 0, item)]
            case _:
                return carry, []
