"""Turns on the Letta wire: each ends with one `stop_reason`, `usage_statistics` and `[DONE]`.

A turn ends at a `stop_reason` of the view; at a request for approval; when the thread is closed;
and at the next input, if it has not ended by then. The usage of a turn's responses is sent as one
sum at its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadClosed
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    InputMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    LogMessage,
    SystemMessage,
    TickMessage,
)
from agentlog.projections.view import FollowPolicy, Item, Options, Placed, View
from agentlog.projections.views.letta.carry import LettaCarry
from agentlog.projections.views.letta.residue import AWAITS_PERSON


class LettaOptions(Options):
    """How to show a history to a Letta client.

    `stream`: as a stream rather than a list: with `usage_statistics`, `stop_reason` and
    `error_message`, without `summary_message` and `event_message`.
    """

    stream: bool = False


DONE = "[DONE]"
"""The `message_type` of the item that stands for the wire's `data: [DONE]`."""

_FIRST_OF_END = 1_000_000
"""The ordinal of a turn's end, after all items of its version."""

_SAYS_NOTHING = SystemMessage | LlmRequestMessage | LlmResponseMessage | LogMessage | TickMessage
"""Types of messages that begin no turn."""

_TOKENS = (
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "cached_input_tokens",
    "reasoning_tokens",
    "cache_write_tokens",
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The pending end of a turn: its reason and version."""

    reason: str
    version: int


@dataclass(frozen=True, slots=True)
class LettaTurnsCarry:
    """The carry of the view, and the state of the turn.

    `phase`: asked, answered (the agent has acted), or ended. `usage`: usage of its responses so
    far. `ending`: settled with the next item. `last_reason`: why the last turn ended.
    """

    letta: LettaCarry
    phase: Literal["asked", "answered", "ended"] = "ended"
    usage: Item | None = None
    ending: Ending | None = None
    last_reason: str | None = None
    version: int = 0


class LettaTurnsView(View[LettaTurnsCarry, LettaOptions]):
    """The Letta view as streamed, turn by turn; an open turn ends with the stream."""

    name: ClassVar[str] = "letta-turns"
    follow: ClassVar[FollowPolicy] = FollowPolicy({"stream": "true"}, "letta", is_patient=True)
    options_type = LettaOptions
    carry_type = LettaTurnsCarry

    def __init__(self, letta: View[LettaCarry, LettaOptions]) -> None:
        super().__init__(letta.options)
        self._letta = letta

    @override
    def start(self) -> LettaTurnsCarry:
        return LettaTurnsCarry(self._letta.start())

    @override
    def fold(
        self, carry: LettaTurnsCarry, event: Event
    ) -> tuple[LettaTurnsCarry, Sequence[Placed]]:
        letta, items = self._letta.fold(carry.letta, event)
        carry = replace(carry, letta=letta, version=event.version)
        message = event.message
        if isinstance(message, InputMessage) and carry.phase == "answered":
            carry = _about_to_end(carry, "end_turn", event.version - 1)
        sent: list[Placed] = []
        for placed in items:
            carry, shown = _tell(carry, placed)
            sent += shown
        match message:
            case InputMessage():
                carry = replace(carry, phase="asked")
            case ApprovalRequestMessage():
                carry = _about_to_end(
                    replace(carry, phase="answered"), AWAITS_PERSON, event.version
                )
            case ThreadClosed() if carry.phase != "ended":
                carry = _about_to_end(carry, "end_turn", event.version)
            case _:
                if _acts(event) and not _stops(items):
                    carry = replace(carry, phase="answered")
        return carry, sent

    @override
    def rest(self, carry: LettaTurnsCarry) -> Sequence[Placed]:
        held = self._letta.rest(carry.letta)
        if carry.ending is None:
            return held
        upto = carry.ending.version
        return [
            *(placed for placed in held if placed.version <= upto),
            *_end(carry, carry.ending),
            *(placed for placed in held if placed.version > upto),
        ]

    @override
    def ended(self, carry: LettaTurnsCarry) -> LettaTurnsCarry:
        return carry if carry.phase == "ended" else _about_to_end(carry, "end_turn", carry.version)


def _about_to_end(carry: LettaTurnsCarry, reason: str, version: int) -> LettaTurnsCarry:
    """Mark the turn as ending; an earlier reason wins, except for a request for approval."""
    if carry.ending is not None and reason != AWAITS_PERSON:
        return carry
    return replace(carry, ending=Ending(reason, version))


def _tell(carry: LettaTurnsCarry, placed: Placed) -> tuple[LettaTurnsCarry, Sequence[Placed]]:
    """Return the items to send for an item: the end of the turn before it, then the item."""
    kind = placed.item["message_type"]
    if kind == "usage_statistics":
        return replace(carry, usage=_plus(carry.usage, placed.item)), ()
    if kind == "stop_reason":
        reason = str(placed.item["stop_reason"])
        if carry.ending is not None and reason == carry.ending.reason:
            return _over(carry, reason), _end(carry, carry.ending)
        if carry.phase == "ended" and reason == carry.last_reason:
            return carry, ()
        return _over(carry, reason), [placed, *_end(carry, Ending(reason, placed.version))[1:]]
    if carry.ending is not None and placed.version > carry.ending.version:
        end = _end(carry, carry.ending)
        return _over(carry, carry.ending.reason), [*end, placed]
    return carry, [placed]


def _over(carry: LettaTurnsCarry, reason: str) -> LettaTurnsCarry:
    return replace(carry, phase="ended", usage=None, ending=None, last_reason=reason)


def _end(carry: LettaTurnsCarry, ending: Ending) -> Sequence[Placed]:
    usage = carry.usage or {"message_type": "usage_statistics", **dict.fromkeys(_TOKENS[:-1])}
    items: Sequence[Item] = (
        {"message_type": "stop_reason", "stop_reason": ending.reason},
        usage,
        {"message_type": DONE},
    )
    return [Placed(ending.version, n, item) for n, item in enumerate(items, _FIRST_OF_END)]


def _plus(usage: Item | None, more: Item) -> Item:
    """Return the sum of usages; figures that no response reported stay missing."""
    if usage is None:
        return more
    sums = {
        key: sum(count for count in (usage.get(key), more.get(key)) if isinstance(count, int))
        for key in _TOKENS
        if isinstance(usage.get(key), int) or isinstance(more.get(key), int)
    }
    return {**usage, **sums}


def _acts(event: Event) -> bool:
    """Return whether an event is an action of the agent or its environment in a turn."""
    return not (
        event.message is None
        or event.type in FACT_TYPES
        or isinstance(event.message, _SAYS_NOTHING)
    )


def _stops(items: Sequence[Placed]) -> bool:
    return any(placed.item["message_type"] == "stop_reason" for placed in items)
