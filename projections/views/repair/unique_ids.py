"""Ids and names of calls as an API takes them, and told apart from those before."""

from collections.abc import Sequence

from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.view import Item
from agentlog.projections.views.repair.names import fitted, told_apart
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Wire


class UniqueIds:
    """Gives calls ids; `used` are those of the conversation, as a carry keeps them."""

    def __init__(self, wire: Wire, used: Layers[int], *, repair: bool) -> None:
        self.used = used
        self._renames = repair and wire.renames
        self._wire = wire

    def fit(self, calls: Sequence[Call], others: Sequence[Call] = ()) -> tuple[Call, ...]:
        """Return calls of a message, which has others, with ids and names that the API takes."""
        limits = self._wire.limits
        if not (calls and self._renames):
            return tuple(calls)
        ids = {call.id for call in others}
        fit: list[Call] = []
        for call_id, name in calls:
            shown_id = fitted(call_id, limits.call_id)
            if limits.unique == "message":
                shown_id = told_apart(shown_id, limits.call_id, ids.__contains__)
                ids.add(shown_id)
            elif limits.unique == "conversation":
                shown_id = self._unique(shown_id)
            fit.append(Call(shown_id, fitted(name, limits.tool_name)))
        return tuple(fit)

    def with_unique_ids(self, item: Item) -> Item:
        """Return a message whose own ids are those of no other."""
        unique = {own_id: self._unique(own_id) for own_id in self._wire.own_ids(item)}
        if all(own_id == other for own_id, other in unique.items()):
            return item
        return self._wire.with_own_ids(item, lambda own_id: unique.get(own_id, own_id))

    def _unique(self, name: str) -> str:
        used = self.used
        number = used.get(name) or 2
        unique = told_apart(
            name, self._wire.limits.call_id, lambda other: used.get(other) is not None, number
        )
        changes: dict[str, int | None] = {unique: 2}
        if unique != name:
            changes[name] = number + 1
        self.used = used.with_changes(changes)
        return unique
