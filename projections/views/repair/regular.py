"""Messages that stand in order already: most, added in a fraction of the time of `Turns`.

What is shown is what `Turns` shows. A message that may need more is left to it: several calls at
once, a call without a result, a second part of a response, a late result, any mark.
"""

from agentlog.projections.carries.persistent_list import Layers
from agentlog.projections.view import Item, Placed
from agentlog.projections.views.repair.held import Held, TurnsCarry
from agentlog.projections.views.repair.pairing import Call, Pairing
from agentlog.projections.views.repair.unique_ids import UniqueIds
from agentlog.projections.views.repair.wire import Wire, plain

Added = tuple[TurnsCarry, list[Placed]]


def add_in_order(
    wire: Wire, carry: TurnsCarry, version: int, item: Item, response: str | None
) -> Added | None:
    """Add a message, with repair and without marks; None where it is for `Turns`."""
    held, waits = carry.held, carry.pairing.open
    last = held[0] if held else None
    if version <= carry.place[0] or len(held) > 1 or (last is not None and not last.is_answer):
        return None
    if wire.has_own_ids:
        ids = UniqueIds(wire, carry.used, repair=True)
        item = ids.with_unique_ids(item)
        if ids.used is not carry.used:
            carry = _with_used(carry, ids.used)
    if wire.is_answer(item):
        if wire.is_lead(item) or not wire.says(item):
            return None
        grows = last is not None and response is not None and response == last.response
        return None if waits or grows else _answer(wire, carry, version, item, response)
    if waits:
        if last is None or not last.calls:
            return None
        return _result(wire, carry, version, item)
    if wire.results(item) or (last is not None and wire.is_apart(item)):
        return None
    cleaned = wire.clean(item)
    settled = _settled(wire, carry, version)
    if cleaned is None or settled is None:
        return None
    settled.append(Placed(version, 0, cleaned))
    begins = not wire.is_apart(item)
    return _after(carry, (), carry.pairing, begins=begins, version=version), settled


def _answer(
    wire: Wire, carry: TurnsCarry, version: int, item: Item, response: str | None
) -> Added | None:
    """Settle the answer before, and hold this one."""
    settled = _settled(wire, carry, version)
    if settled is None:
        return None
    held = Held(carry.order + 1, version, item, carry.turn + 1, is_answer=True, response=response)
    pairing, calls = carry.pairing, tuple(wire.calls(item))
    if calls:
        ids = UniqueIds(wire, carry.used, repair=True)
        held.calls = ids.fit(calls)
        if ids.used is not carry.used:
            carry = _with_used(carry, ids.used)
        pairing = pairing.ask(held.turn, calls)
    place = carry.held[0].version if carry.held else carry.place[0]
    return _after(carry, (held,), pairing, begins=True, version=place), settled


def _result(wire: Wire, carry: TurnsCarry, version: int, item: Item) -> Added | None:
    """Settle the only call of the held answer with its result."""
    last, (call, *others) = carry.held[0], carry.pairing.open
    cleaned = wire.clean(item)
    results = () if cleaned is None else wire.results(cleaned)
    if others or len(results) != 1 or last.calls != (Call(call.id, call.name),):
        return None
    ((call_id, name, unit),) = results
    if (call.name == name) if call_id is None else (call.id == call_id):
        unit = wire.with_call(plain(unit), last.calls[0])
        whole = wire.finish(unit)
        whole, beside = wire.lifted(whole if whole is unit else wire.clean(whole) or whole)
        settled = None if beside is not None else _settled(wire, carry, version)
        if settled:
            settled.append(Placed(version, 0, whole))
            pairing = carry.pairing.without(call)
            return _after(carry, (), pairing, begins=True, version=version), settled
    return None


def _settled(wire: Wire, carry: TurnsCarry, version: int) -> list[Placed] | None:
    """Return the held answer as it is shown before a message; None where more must be done."""
    if not carry.held:
        return []
    (last,) = carry.held
    if (
        last.answers
        or last.is_lead
        or last.mark is not None
        or not carry.place[0] < last.version < version
    ):
        return None
    item = wire.clean(wire.finish(last.item))
    return None if item is None else [Placed(last.version, 0, item)]


def _with_used(carry: TurnsCarry, used: Layers[int]) -> TurnsCarry:
    number = carry.order, carry.turn, carry.marks
    return TurnsCarry(carry.held, carry.pairing, used, *number, carry.has_begun, carry.place)


def _after(
    carry: TurnsCarry, held: tuple[Held, ...], pairing: Pairing, *, begins: bool, version: int
) -> TurnsCarry:
    """Return a carry after one more message; `version` is that of the last settled one."""
    has_begun = carry.has_begun or begins
    number = carry.order + 1, carry.turn + 1
    place = (version, 0) if version != carry.place[0] else carry.place
    return TurnsCarry(held, pairing, carry.used, *number, carry.marks, has_begun, place)
