"""Steps: items of a view in a form that can be compared across histories."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.canonical import canonical
from agentlog.domain.json.text import print_bytes
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Printed, StateView, View

Which = Literal["all", "calls"]
"""Which items are compared: all, or those that call tools."""


class StateNotComparable(InvalidInput):
    """The view is one state: it has no items to align."""

    def __init__(self, view: str) -> None:
        super().__init__(
            f"the view {view!r} is one state and has no items to align: compare another view, or "
            "ask for the difference between two moments of one thread (diff)"
        )


class ItemDigest(NamedTuple):
    """An item as it is compared: its kind, and a digest of all it says, 16 bytes long."""

    type: str
    tools: tuple[str, ...]
    digest: bytes


class Stepping:
    """Turns the items of one history into steps; they must come in their order.

    Raises:
        StateNotComparable: the view is one state.
    """

    def __init__(self, view: View[Any, Any], which: Which = "all") -> None:
        if isinstance(view, StateView):
            raise StateNotComparable(view.name)
        self._view = view
        self._which = which
        self._calls: CallPlaces = {}

    def steps(self, items: Iterable[Printed]) -> Iterator[tuple[Printed, ItemDigest]]:
        """Yield the next items that are compared, each with its step."""
        for item in items:
            content = self._view.item_content(item.item, self._calls)
            if self._which == "all" or content.is_call:
                yield item, _step(content)


def _step(content: ItemContent) -> ItemDigest:
    parts = [content.type, content.tools, canonical(content.content), content.places]
    text = print_bytes(parts, sort_keys=True)
    return ItemDigest(content.type, content.tools, blake2b(text, digest_size=16).digest())
