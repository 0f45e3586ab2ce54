"""What the Letta view holds back until a later message settles it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.events import Event
from domain.json_text import JsonValue
from domain.messages import ToolCallsMessage
from projections.letta_items import KEPT, WIRE, built, call_fields, group_size, head_of
from projections.residue import residue_of
from projections.view import Item, Placed
from projections.wording import arguments_text


@dataclass(frozen=True, slots=True)
class HeldCalls:
    """The calls of one message, and the ids of those for which approval has been requested."""

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


@dataclass(frozen=True, slots=True)
class LettaCarry:
    """What is held back, and the approvals that were asked for: (call id, id of the item)."""

    calls: HeldCalls | None = None
    response: HeldResponse | None = None
    asked: tuple[tuple[str, str], ...] = ()


def hold(event: Event, message: ToolCallsMessage) -> HeldCalls:
    """Return the calls of a message, held back."""
    return HeldCalls(
        version=event.version,
        head=head_of(event, message),
        calls=tuple(wire_call(call.id, call.name, arguments_text(call)) for call in message.calls),
        residues=tuple(residue_of(event, WIRE, n) for n in range(len(message.calls))),
    )


def wire_call(call_id: str, name: str, arguments: str) -> Item:
    """Return a call in Letta's shape."""
    return {"tool_call_id": call_id, "name": name, "arguments": arguments}


def let_go(carry: LettaCarry) -> LettaCarry:
    """Return the carry once its items are settled: who asked for approval is remembered."""
    asked = carry.asked
    if carry.calls is not None and carry.calls.asked:
        for placed, calls in _shown(carry.calls):
            for call_id in (call["tool_call_id"] for call in calls):
                if call_id in carry.calls.asked:
                    asked = remember(asked, call_id, placed.item["id"])
    return LettaCarry(None, None, asked)


def settled_items(carry: LettaCarry) -> Sequence[Placed]:
    """Return the items held back, as they stand."""
    if carry.calls is not None:
        return [placed for placed, _ in _shown(carry.calls)]
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


def _shown(held: HeldCalls) -> Iterator[tuple[Placed, Sequence[Item]]]:
    """Yield the items of calls held back, each with its calls."""
    together: dict[tuple[str, int], list[Item]] = {}
    grouped = group_size(held.residues[0]) > 1
    first: dict[str, int] = {}
    for index, call in enumerate(held.calls):
        asked = call["tool_call_id"] in held.asked
        kind = "approval_request_message" if asked else "tool_call_message"
        ordinal = first.setdefault(kind, index) if grouped else index
        together.setdefault((kind, ordinal), []).append(call)
    for (kind, ordinal), calls in together.items():
        found = held.residues[ordinal]
        item = built(held.head, ordinal, kind, call_fields(calls), found)
        yield Placed(held.version, ordinal, item), calls


def remember(
    asked: tuple[tuple[str, str], ...], call_id: str, item_id: str
) -> tuple[tuple[str, str], ...]:
    """Return who asked, with the latest request for the approval of a call."""
    others = tuple(pair for pair in asked if pair[0] != call_id)
    return (*others, (call_id, item_id))[-KEPT:]
