"""Ids and names of calls as an API takes them, and told apart from those before."""

from collections.abc import Sequence

from agentlog.projections.view import Item
from agentlog.projections.views.repair.held import TurnsCarry
from agentlog.projections.views.repair.names import fitted, told_apart
from agentlog.projections.views.repair.pairing import Call
from agentlog.projections.views.repair.wire import Wire


def fit_calls(
    wire: Wire, now: TurnsCarry, calls: Sequence[Call], others: Sequence[Call] = ()
) -> tuple[Call, ...]:
    """Return calls of a message, which has others, with ids and names that the API takes.

    Notes in `now` which ids the conversation has.
    """
    limits = wire.limits
    ids = {call.id for call in others}
    fit: list[Call] = []
    for call_id, name in calls:
        shown_id = fitted(call_id, limits.call_id)
        if limits.unique == "message":
            shown_id = told_apart(shown_id, limits.call_id, ids.__contains__)
            ids.add(shown_id)
        elif limits.unique == "conversation":
            shown_id = _unique(wire, now, shown_id)
        fit.append(Call(shown_id, fitted(name, limits.tool_name)))
    return tuple(fit)


def with_unique_ids(wire: Wire, now: TurnsCarry, item: Item) -> Item:
    """Return a message whose own ids are those of no other; notes them in `now`."""
    own_ids = wire.own_ids(item)
    if not own_ids:
        return item
    unique = {own_id: _unique(wire, now, own_id) for own_id in own_ids}
    if all(own_id == other for own_id, other in unique.items()):
        return item
    return wire.with_own_ids(item, lambda own_id: unique.get(own_id, own_id))


def _unique(wire: Wire, now: TurnsCarry, name: str) -> str:
    used = now.used
    number = used.get(name)
    if number is None:
        now.used = used.with_changes({name: 2})
        return name
    unique = told_apart(
        name, wire.limits.call_id, lambda other: used.get(other) is not None, number
    )
    now.used = used.with_changes({unique: 2, name: number + 1})
    return unique
