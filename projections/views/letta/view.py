"""The Letta wire: items as letta-client 1.12 reads them.

One message may give several items: they share its id and differ by `otid`. Calls are held back
until the next item, because a request for approval turns a call into an `approval_request_message`.
Where an imported item had several calls, results or approvals, the residue has their number as
`group`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.messages import (
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
from agentlog.projections.call_texts import value_text
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import FollowPolicy, Item, Placed, View
from agentlog.projections.views.letta.carry import (
    NOTHING_HELD,
    HeldResponse,
    LettaCarry,
    hold,
    letta_call,
    remember,
    settle,
    settled_items,
)
from agentlog.projections.views.letta.items import (
    WIRE,
    group_size,
    head_of,
    item_calls,
    item_content,
    item_of,
    item_residues,
    return_items,
    stream_items,
    thought,
    user_content,
)
from agentlog.projections.views.letta.shapes import LIST_ONLY, STREAM_ONLY, fits
from agentlog.projections.views.letta.turns import LettaOptions, LettaTurnsView

CUSTOM = frozenset({"hidden_reasoning_message", "summary_message", "event_message", "stop_reason"})
"""Items of `letta.` custom messages, with no counterpart in the kernel."""


_Step = tuple[LettaCarry, Sequence[Placed]]


class LettaView(View[LettaCarry, LettaOptions]):
    """Messages as the Letta API lists them, or streams them."""

    name: ClassVar[str] = WIRE
    follow: ClassVar[FollowPolicy] = LettaTurnsView.follow
    options_type = LettaOptions
    carry_type = LettaCarry

    @override
    def start(self) -> LettaCarry:
        return NOTHING_HELD

    @override
    def fold(self, carry: LettaCarry, event: Event) -> tuple[LettaCarry, Sequence[Placed]]:
        message = event.message
        # a dict of classes: a `match` over the models is far slower
        alone = _ALONE.get(type(message))
        if alone is not None:
            return settle(carry, (Placed(event.originator_version, 0, alone(event, message)),))
        step = _STEPS.get(type(message))
        if step is not None:
            return step(carry, event, message)
        items = self._others(event)
        return settle(carry, _placed(event, items)) if items else (carry, ())

    @override
    def rest(self, carry: LettaCarry) -> Sequence[Placed]:
        return settled_items(carry)

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return item_content(item, calls)

    @override
    def followed(self) -> View[Any, Any]:
        return LettaTurnsView(self) if self.options.stream else self

    def _others(self, event: Event) -> Sequence[Item]:
        match event.message:
            case CustomMessage(type=type_name, payload=payload):
                return [object_of(payload)] if self._shows(type_name, payload) else []
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
            and object_of(payload).get("message_type") == kind
        )


def _calls(carry: LettaCarry, event: Event, message: ToolCallsMessage) -> _Step:
    """Hold the calls until the next item."""
    after, settled = settle(carry)
    return LettaCarry(hold(event, message), None, after.asked), settled


def _results(carry: LettaCarry, event: Event, message: ToolResultsMessage) -> _Step:
    return settle(carry, _placed(event, return_items(event, message)))


def _request(carry: LettaCarry, event: Event, message: ApprovalRequestMessage) -> _Step:
    """Turn the held call into a request for approval, or create one for a call that is not held."""
    held = carry.calls
    if held is not None and any(call["tool_call_id"] == message.call_id for call in held.calls):
        asked = tuple(dict.fromkeys((*held.asked, message.call_id)))
        return replace(carry, calls=replace(held, asked=asked)), ()
    arguments = value_text(message.args) if "args" in message.model_fields_set else "{}"
    call = letta_call(message.call_id, message.tool, arguments)
    item = item_of(event, message, "approval_request_message", item_calls([call]))
    after, settled = settle(carry, _placed(event, [item]))
    return LettaCarry(asked=remember(after.asked, message.call_id, str(item["id"]))), settled


def _respond(carry: LettaCarry, event: Event, message: ApprovalResponseMessage) -> _Step:
    approval: Item = {
        "type": "approval",
        "tool_call_id": message.call_id,
        "approve": message.approved,
    }
    if message.reason is not None:
        approval["reason"] = message.reason
    held = carry.response
    before, settled = settle(carry)
    asked = dict(before.asked)
    request_id = asked.pop(message.call_id, None)
    if held is not None:
        held = replace(held, approvals=(*held.approvals, approval), awaits=held.awaits - 1)
        settled = ()
    else:
        (residue,) = item_residues(event, 1)
        held = HeldResponse(
            version=event.version,
            head=head_of(event, message),
            residue=residue,
            approvals=(approval,),
            # imported responses name their request themselves, or none
            request_id=request_id if residue is None else None,
            awaits=group_size(residue) - 1,
        )
    after = LettaCarry(response=held, asked=tuple(asked.items()))
    if held.awaits > 0:
        return after, settled
    after, answered = settle(after)
    return after, [*settled, *answered]


def _placed(event: Event, items: Sequence[Item]) -> Sequence[Placed]:
    return [Placed(event.version, ordinal, item) for ordinal, item in enumerate(items)]


def _system(event: Event, message: SystemMessage) -> Item:
    return item_of(event, message, "system_message", {"content": message.text})


def _input(event: Event, message: InputMessage) -> Item:
    return item_of(event, message, "user_message", {"content": user_content(message)})


def _reply(event: Event, message: ReplyMessage) -> Item:
    return item_of(event, message, "assistant_message", {"content": message.text})


def _reasoning(event: Event, message: ReasoningMessage) -> Item:
    return item_of(event, message, "reasoning_message", {"reasoning": thought(message)})


_ALONE: Mapping[type, Callable[[Event, Any], Item]] = {
    SystemMessage: _system,
    InputMessage: _input,
    ReplyMessage: _reply,
    ReasoningMessage: _reasoning,
}
"""Messages with exactly one item, independent of other messages."""

_STEPS: Mapping[type, Callable[[LettaCarry, Event, Any], _Step]] = {
    ToolCallsMessage: _calls,
    ToolResultsMessage: _results,
    ApprovalRequestMessage: _request,
    ApprovalResponseMessage: _respond,
}
