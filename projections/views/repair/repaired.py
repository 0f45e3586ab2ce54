"""A conversation repaired as a whole, for a request."""

from collections.abc import Iterable

from agentlog.projections.view import Item
from agentlog.projections.views.repair.held import TurnsCarry
from agentlog.projections.views.repair.turns import Turns
from agentlog.projections.views.repair.wire import Wire


def repaired(wire: Wire, items: Iterable[Item]) -> list[Item]:
    """Return messages of an API as it takes them in a request, with no call open at the end."""
    turns = Turns(wire, TurnsCarry(), repair=True)
    for number, item in enumerate(items, 1):
        turns.add(number, item)
    return [placed.item for placed in (*turns.settled, *turns.rest(closed=True))]
