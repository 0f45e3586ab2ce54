"""Maria's event stream: OpenAI-style messages in envelopes named by `msg`.

Maria reports a turn step by step: the incoming messages, the model's response with its usage, each
call before and after it runs, and the tool message for the model. Shapes
are those of moonbitlang/maria: flat in December 2025, wrapped in `id`, `created` and `desc` by
March 2026.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    CustomMessage,
    InputMessage,
    KernelMessage,
    LlmResponseMessage,
    ReplyMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import result_text
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.residue import apply_residue, residues_of
from agentlog.projections.view import FollowPolicy, Item, Options, Placed, View
from agentlog.projections.views.chat import AssistantTurn, called_tool, file_text, wire_call
from agentlog.projections.views.maria.events import (
    after_call,
    before_call,
    event_ids,
    given_args,
    item_content,
    permitted,
    read_args,
    tool_message,
    usage_item,
)

Dialect = Literal["2025-12", "2026-03"]

WIRES: Mapping[Dialect, str] = {"2025-12": "maria", "2026-03": "maria-2026-03"}
"""The name under which an import keeps the residue of each dialect's items."""

CUSTOM = "maria."
"""Prefix of custom message types for Maria events without a message in the catalogue."""

TOLD = frozenset(
    {
        "MessageAdded",
        "UserMessage",
        "SystemPromptSet",
        "RequestCompleted",
        "AssistantMessage",
        "PreToolCall",
        "PostToolCall",
    }
)
"""Event types for messages of the catalogue; custom messages cannot use them."""


class MariaOptions(Options):
    """How to show a history in Maria's events.

    `dialect`: `2025-12` is flat; `2026-03` has an envelope and splits `MessageAdded` by role.
    """

    dialect: Dialect = "2025-12"


@dataclass(slots=True)
class SourceMessage:
    """The source message of items: its place, id, time and residues."""

    version: int
    message_id: str
    created: int
    residues: tuple[JsonValue, ...]


@dataclass(slots=True)
class MariaTurn(AssistantTurn):
    """A turn, with its first message and its usage."""

    origin: SourceMessage
    usage: Item | None


@dataclass(slots=True)
class Cost:
    """The usage of the latest model response, not yet assigned to a turn."""

    response_id: str | None
    usage: Item | None


@dataclass(slots=True)
class MariaCarry:
    """The held turn, the usage for the next turn, and the unanswered calls.

    Immutable by convention, see `AssistantTurn`.
    """

    held: MariaTurn | None = None
    cost: Cost | None = None
    unanswered: tuple[Item, ...] = ()


class MariaView(View[MariaCarry, MariaOptions]):
    """Events of Maria's daemon, as its clients receive them."""

    name: ClassVar[str] = "maria"
    follow: ClassVar[FollowPolicy] = FollowPolicy(framing="maria", is_patient=True, resumes=False)
    options_type = MariaOptions
    carry_type = MariaCarry

    def __init__(self, options: MariaOptions | None = None) -> None:
        super().__init__(options)
        self._wire = WIRES[self.options.dialect]
        self._flat = self.options.dialect == "2025-12"

    @override
    def start(self) -> MariaCarry:
        return MariaCarry()

    @override
    def fold(self, carry: MariaCarry, event: Event) -> tuple[MariaCarry, Sequence[Placed]]:
        message = event.message
        # not `match`: each failed class pattern would call pydantic's metaclass
        if type(message) is InputMessage:
            return self._say(carry, self._origin(event, message), self._user(message))
        if type(message) is ReplyMessage:
            return self._hold(carry, event, self._origin(event, message), message.text, ())
        if type(message) is ToolCallsMessage:
            return self._hold(carry, event, self._origin(event, message), None, message.calls)
        if type(message) is ToolResultsMessage:
            return self._answer(carry, self._origin(event, message), message.results)
        if type(message) is LlmResponseMessage:
            return _with_cost(carry, Cost(event.response_id, usage_item(message.usage))), ()
        if type(message) is SystemMessage:
            return self._say(carry, self._origin(event, message), self._system(message.text))
        if type(message) is CustomMessage and (item := _own_item(message)) is not None:
            return self._say(carry, self._origin(event, message), item)
        return carry, ()

    @override
    def rest(self, carry: MariaCarry) -> Sequence[Placed]:
        return self._settle(carry)[1]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return item_content(item, calls)

    def _say(
        self, carry: MariaCarry, origin: SourceMessage, item: Item
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        carry, settled = self._settle(carry)
        return carry, settled + self._placed(origin, [item])

    def _hold(
        self,
        carry: MariaCarry,
        event: Event,
        origin: SourceMessage,
        content: str | None,
        asked: Sequence[ToolCall],
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        """Add to the held turn, or settle it and hold a new one."""
        response_id = event.response_id
        calls = tuple(map(wire_call, asked))
        if carry.held is not None:
            joined = carry.held.joined(response_id, content, calls)
            if joined is not None:
                return MariaCarry(joined, carry.cost, carry.unanswered), ()
        carry, settled = self._settle(carry)
        usage, cost = _claim(carry.cost, response_id)
        turn = MariaTurn(response_id, content, calls, origin, usage)
        if response_id is None:  # no later message can join it
            settled += self._turn_items(turn, map(given_args, calls, asked))
            return MariaCarry(None, cost, carry.unanswered + calls), settled
        return MariaCarry(turn, cost, carry.unanswered), settled

    def _settle(self, carry: MariaCarry) -> tuple[MariaCarry, list[Placed]]:
        held = carry.held
        if held is None:
            return carry, []
        items = self._turn_items(held, map(read_args, held.calls))
        return MariaCarry(None, carry.cost, carry.unanswered + held.calls), items

    def _answer(
        self, carry: MariaCarry, origin: SourceMessage, results: Sequence[ToolResult]
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        carry, settled = self._settle(carry)
        unanswered = list(carry.unanswered)
        items: list[Item] = []
        for index, result in enumerate(results):
            call = _call_for(result, unanswered)
            if call is None:
                call_id = result.call_id or f"call_{origin.message_id}_{index}"
                call = wire_call(ToolCall(id=call_id, name=result.name or "unknown", args={}))
            else:
                unanswered.remove(call)
            text = result_text(result)
            items += (after_call(call, result, text), tool_message(call, text))
        carry = MariaCarry(None, carry.cost, tuple(unanswered))
        return carry, settled + self._placed(origin, items)

    def _system(self, text: str) -> Item:
        if self._flat:
            return {"msg": "MessageAdded", "message": {"role": "system", "content": text}}
        return {"msg": "SystemPromptSet", "prompt": text}

    def _user(self, message: InputMessage) -> Item:
        texts = _texts(message)
        if self._flat:
            parts: list[JsonValue] = [{"type": "text", "text": text} for text in texts]
            content: JsonValue = parts if len(parts) > 1 else "".join(texts)
            return {"msg": "MessageAdded", "message": {"role": "user", "content": content}}
        # only a string is allowed as content there
        return {"msg": "UserMessage", "content": "".join(texts)}

    def _turn_items(self, turn: MariaTurn, args: Iterable[JsonValue]) -> list[Placed]:
        content, calls = turn.content or "", list(turn.calls)
        if self._flat:
            usage: JsonValue = None if turn.usage is None else [turn.usage]
            message: Item = {"role": "assistant", "content": content, "tool_calls": [*calls]}
            item: Item = {"msg": "RequestCompleted", "usage": usage, "message": message}
        else:
            item = {"msg": "AssistantMessage", "content": content, "tool_calls": [*calls]}
            if turn.usage is not None:
                item["usage"] = turn.usage
        return self._placed(turn.origin, [item, *map(before_call, calls, args)])

    def _origin(self, event: Event, message: KernelMessage) -> SourceMessage:
        residues = tuple(residues_of(event, self._wire)) if event.metadata else ()
        return SourceMessage(event.version, event.message_id, message.timestamp, residues)

    def _placed(self, origin: SourceMessage, items: Sequence[Item]) -> list[Placed]:
        """Return the items of one message in their envelopes, with its residues applied."""
        placed: list[Placed] = []
        ids = event_ids(origin.message_id, len(items))
        for ordinal, desc in enumerate(items):
            if self._flat:
                item = {"msg": desc["msg"], "id": ids[ordinal], **desc}
            else:
                item = {"id": ids[ordinal], "created": origin.created, "desc": desc}
            if ordinal < len(origin.residues):
                item = apply_residue(item, origin.residues[ordinal], permitted)
            placed.append(Placed(origin.version, ordinal, item))
        return placed


def _texts(message: InputMessage) -> list[str]:
    texts = [] if message.text is None else [message.text]
    if message.files:
        texts += [text for text in map(file_text, message.files) if text is not None]
    return texts


def _own_item(message: CustomMessage) -> Item | None:
    """Return the Maria event that a custom message was imported from, or None."""
    msg = message.type.removeprefix(CUSTOM)
    if msg == message.type or msg in TOLD or not isinstance(message.payload, dict):
        return None
    return {"msg": msg, **{key: value for key, value in message.payload.items() if key != "msg"}}


def _with_cost(carry: MariaCarry, cost: Cost) -> MariaCarry:
    """Assign a usage to the held turn of the same response, else keep it for the next turn."""
    held = carry.held
    # an answer that is known by an id has the figures told last
    if held and held.response_id == cost.response_id and (not held.usage or cost.response_id):
        return MariaCarry(replace(held, usage=cost.usage), carry.cost, carry.unanswered)
    return MariaCarry(held, cost, carry.unanswered)


def _claim(cost: Cost | None, response_id: str | None) -> tuple[Item | None, Cost | None]:
    """Return a turn's usage, and the usage left over where it names another response."""
    if cost is None:
        return None, None
    if None not in (cost.response_id, response_id) and cost.response_id != response_id:
        return None, cost
    return cost.usage, None


def _call_for(result: ToolResult, unanswered: Sequence[Item]) -> Item | None:
    """Return the call for a result: by id, or by name where it has no id."""
    for call in unanswered:
        if result.call_id is None:
            if result.name == called_tool(call):
                return call
        elif result.call_id == call["id"]:
            return call
    return None
