"""The carry of the Letta view: items held back until a later message settles them."""

from collections.abc import Sequence
from dataclasses import dataclass

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import ToolCallsMessage
from agentlog.projections.call_texts import arguments_text
from agentlog.projections.view import Item, Placed
from agentlog.projections.views.letta.items import (
    KEPT,
    built,
    group_size,
    head_of,
    item_calls,
    item_residues,
)


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class HeldCalls:
    """The calls of one message, and the ids of those with a request for approval."""

    version: int
    head: Item
    calls: tuple[Item, ...]
    residues: tuple[JsonValue, ...]
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldResponse:
    """Approvals of one item; `awaits` more follow."""

    version: int
    head: Item
    residue: JsonValue
    approvals: tuple[Item, ...]
    request_id: str | None
    awaits: int


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class LettaCarry:
    """Held items, and the requested approvals: (call id, id of the item)."""

    calls: HeldCalls | None = None
    response: HeldResponse | None = None
    asked: tuple[tuple[str, str], ...] = ()


NOTHING_HELD = LettaCarry()


def hold(event: Event, message: ToolCallsMessage) -> HeldCalls:
    """Return the calls of a message as held calls."""
    calls = [letta_call(call.id, call.name, arguments_text(call)) for call in message.calls]
    return HeldCalls(
        event.originator_version,
        head_of(event, message),
        tuple(calls),
        item_residues(event, len(calls)),
    )


def letta_call(call_id: str, name: str, arguments: str) -> Item:
    """Return a call in Letta's shape."""
    return {"tool_call_id": call_id, "name": name, "arguments": arguments}


def without_settled(carry: LettaCarry) -> LettaCarry:
    """Return the carry after its items are settled; keeps the requests for approval."""
    asked = carry.asked
    if not asked and (carry.calls is None or not carry.calls.asked):
        return NOTHING_HELD
    if carry.calls is not None and carry.calls.asked:
        for placed, calls in _items_of(carry.calls):
            for call_id in (call["tool_call_id"] for call in calls):
                if call_id in carry.calls.asked:
                    asked = remember(asked, call_id, str(placed.item["id"]))
    return LettaCarry(asked=asked)


def settle(carry: LettaCarry, items: Sequence[Placed] = ()) -> tuple[LettaCarry, Sequence[Placed]]:
    """Return the carry after its items are settled, and those items followed by `items`."""
    if carry.calls is None and carry.response is None:
        return carry, items
    return without_settled(carry), [*settled_items(carry), *items]


def settled_items(carry: LettaCarry) -> Sequence[Placed]:
    """Return the held items in their current form."""
    if carry.calls is not None:
        return [placed for placed, _ in _items_of(carry.calls)]
    if carry.response is None:
        return ()
    held = carry.response
    fields: Item = {
        "approvals": list(held.approvals),
        "approve": held.approvals[0]["approve"],
        "approval_request_id": held.request_id,
        "reason": held.approvals[0].get("reason"),
    }
    item = built(held.head, 0, "approval_response_message", fields, held.residue)
    return (Placed(held.version, 0, item),)


def _items_of(held: HeldCalls) -> Sequence[tuple[Placed, Sequence[Item]]]:
    """Return the items of held calls, each with its calls."""
    together: dict[tuple[str, int], list[Item]] = {}
    grouped = group_size(held.residues[0]) > 1
    first: dict[str, int] = {}
    for index, call in enumerate(held.calls):
        asked = call["tool_call_id"] in held.asked
        kind = "approval_request_message" if asked else "tool_call_message"
        ordinal = first.setdefault(kind, index) if grouped else index
        together.setdefault((kind, ordinal), []).append(call)
    items_with_calls: list[tuple[Placed, Sequence[Item]]] = []
    for (kind, ordinal), calls in together.items():
        item = built(held.head, ordinal, kind, item_calls(calls), held.residues[ordinal])
        items_with_calls.append((Placed(held.version, ordinal, item), calls))
    return items_with_calls


def remember(
    asked: tuple[tuple[str, str], ...], call_id: str, item_id: str
) -> tuple[tuple[str, str], ...]:
    """Return `asked` with the latest request for the approval of a call."""
    others = tuple(pair for pair in asked if pair[0] != call_id)
    return (*others, (call_id, item_id))[-KEPT:]
