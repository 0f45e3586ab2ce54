"""Steps: items of a view in a form that can be compared across histories."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, NamedTuple

from domain.errors import InvalidInput
from domain.json.canonical import canonical
from domain.json.text import print_bytes
from projections.said import Calls
from projections.view import Printed, StateView, View


class StateNotComparable(InvalidInput):
    """The view is one state: it has no items to align."""

    def __init__(self, view: str) -> None:
        super().__init__(
            f"the view {view!r} is one state and has no items to align: compare another view, or "
            "ask for the difference between two moments of one thread (diff)"
        )
        self.view = view


class Step(NamedTuple):
    """An item as it is compared: its kind, and a digest of all it says, 16 bytes long."""

    type: str
    tools: tuple[str, ...]
    digest: bytes


class Stepping:
    """Turns the items of one history into steps; they must come in their order.

    Raises:
        StateNotComparable: the view is one state.
    """

    def __init__(self, view: View[Any, Any]) -> None:
        if isinstance(view, StateView):
            raise StateNotComparable(view.name)
        self._view = view
        self._calls: Calls = {}

    def steps(self, items: Iterable[Printed]) -> list[Step]:
        """Return the steps of the next items."""
        return [self._step(each) for each in items]

    def _step(self, item: Printed) -> Step:
        said = self._view.said(item.item, self._calls)
        parts = [said.type, said.tools, canonical(said.content), said.places]
        text = print_bytes(parts, sort_keys=True)
        return Step(said.type, said.tools, blake2b(text, digest_size=16).digest())
