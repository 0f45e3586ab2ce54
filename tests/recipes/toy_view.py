"""The view `toy`: texts of inputs; stands for any view that the recipe adds."""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.messages import InputMessage
from agentlog.projections.view import Options, Placed, View


class ToyOptions(Options):
    """How to show texts."""

    loud: bool = False


class ToyView(View[None, ToyOptions]):
    """An item for each input."""

    name: ClassVar[str] = "toy"
    options_type = ToyOptions
    carry_type = type(None)

    @override
    def start(self) -> None:
        return None

    @override
    def fold(self, carry: None, event: Event) -> tuple[None, Sequence[Placed]]:
        if not isinstance(event.message, InputMessage):
            return None, ()
        text = event.message.text or ""
        item = Placed(event.version, 0, {"toy": text.upper() if self.options.loud else text})
        return None, (item,)
