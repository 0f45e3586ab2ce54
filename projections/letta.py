"""The Letta wire: the items that the real client (letta-client 1.12) reads.

One message may come to several items: they share its id and differ by `otid`. Calls are held back
until the next item, because a request for approval turns a call into an
`approval_request_message`. An import may say that several calls, results or approvals stood in one
item; the residue keeps that as `group`, their number.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from domain.events import Event
from domain.json_text import JsonValue
from domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    CustomMessage,
    InputMessage,
    ReasoningMessage,
    ReplyMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResultsMessage,
)
from projections.letta_carry import (
    HeldResponse,
    LettaCarry,
    hold,
    let_go,
    remember,
    settled_items,
    wire_call,
)
from projections.letta_items import (
    WIRE,
    call_fields,
    group_size,
    head_of,
    item_of,
    return_items,
    stream_items,
    thought,
    user_content,
)
from projections.letta_shapes import LIST_ONLY, STREAM_ONLY, fits
from projections.residue import residue_of
from projections.view import Item, Options, Placed, View
from projections.wording import value_text

CUSTOM = frozenset({"hidden_reasoning_message", "summary_message", "event_message", "stop_reason"})
"""What `letta.` custom messages may hold: items with no counterpart in the kernel."""


class LettaOptions(Options):
    """How to show a history to a Letta client.

    `stream`: as a stream rather than a list: with `usage_statistics`, `stop_reason` and
    `error_message`, without `summary_message` and `event_message`.
    """

    stream: bool = False


class LettaView(View[LettaCarry, LettaOptions]):
    """Messages as the Letta API lists them, or streams them."""

    name: ClassVar[str] = WIRE
    options_type = LettaOptions
    carry_type = LettaCarry

    @override
    def start(self) -> LettaCarry:
        return LettaCarry()

    @override
    def fold(self, carry: LettaCarry, event: Event) -> tuple[LettaCarry, Sequence[Placed]]:
        match event.message:
            case ToolCallsMessage() as message:
                settled = settled_items(carry)
                return replace(let_go(carry), calls=hold(event, message)), settled
            case ApprovalRequestMessage() as message:
                return _request(carry, event, message)
            case ApprovalResponseMessage() as message:
                return _respond(carry, event, message)
            case _:
                items = self._items(event)
                if not items:
                    return carry, ()
                return let_go(carry), [*settled_items(carry), *_placed(event, items)]

    @override
    def rest(self, carry: LettaCarry) -> Sequence[Placed]:
        return settled_items(carry)

    def _items(self, event: Event) -> Sequence[Item]:
        match event.message:
            case SystemMessage(text=text) as message:
                return [item_of(event, message, "system_message", {"content": text})]
            case InputMessage() as message:
                return [item_of(event, message, "user_message", {"content": user_content(message)})]
            case ReplyMessage(text=text) as message:
                return [item_of(event, message, "assistant_message", {"content": text})]
            case ReasoningMessage() as message:
                return [
                    item_of(event, message, "reasoning_message", {"reasoning": thought(message)})
                ]
            case ToolResultsMessage() as message:
                return return_items(event, message)
            case CustomMessage(type=type_name, payload=payload):
                return [payload] if self._shows(type_name, payload) else []
            case _ if self.options.stream:
                return list(stream_items(event))
            case _:
                return []

    def _shows(self, type_name: str, payload: JsonValue) -> bool:
        vendor, _, kind = type_name.partition(".")
        return (
            vendor == "letta"
            and kind in CUSTOM
            and kind not in (LIST_ONLY if self.options.stream else STREAM_ONLY)
            and fits(payload)
            and bool(payload["message_type"] == kind)
        )


def _request(
    carry: LettaCarry, event: Event, message: ApprovalRequestMessage
) -> tuple[LettaCarry, Sequence[Placed]]:
    """Turn the call held back into a request for approval; ask for a call that is not held."""
    held = carry.calls
    if held is not None and any(call["tool_call_id"] == message.call_id for call in held.calls):
        asked = tuple(dict.fromkeys((*held.asked, message.call_id)))
        return replace(carry, calls=replace(held, asked=asked)), ()
    arguments = value_text(message.args) if "args" in message.model_fields_set else "{}"
    call = wire_call(message.call_id, message.tool, arguments)
    item = item_of(event, message, "approval_request_message", call_fields([call]))
    asked_for = remember(let_go(carry).asked, message.call_id, item["id"])
    return LettaCarry(asked=asked_for), [*settled_items(carry), *_placed(event, [item])]


def _respond(
    carry: LettaCarry, event: Event, message: ApprovalResponseMessage
) -> tuple[LettaCarry, Sequence[Placed]]:
    approval: Item = {
        "type": "approval",
        "tool_call_id": message.call_id,
        "approve": message.approved,
    }
    if message.reason is not None:
        approval["reason"] = message.reason
    held, settled = carry.response, settled_items(carry)
    asked = dict(let_go(carry).asked)
    request_id = asked.pop(message.call_id, None)
    if held is not None:
        held = replace(held, approvals=(*held.approvals, approval), awaits=held.awaits - 1)
        settled = ()
    else:
        found = residue_of(event, WIRE, 0)
        held = HeldResponse(
            version=event.version,
            head=head_of(event, message),
            residue=found,
            approvals=(approval,),
            # what was imported says for itself which request it answers, or does not say
            request_id=request_id if found is None else None,
            awaits=group_size(found) - 1,
        )
    after = LettaCarry(response=held, asked=tuple(asked.items()))
    if held.awaits > 0:
        return after, settled
    return let_go(after), [*settled, *settled_items(after)]


def _placed(event: Event, items: Sequence[Item]) -> Sequence[Placed]:
    return [Placed(event.version, ordinal, item) for ordinal, item in enumerate(items)]
