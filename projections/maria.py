"""Maria's event stream: OpenAI-style messages in envelopes named by `msg`.

Maria tells a turn as its agent goes through it: the messages that come in, the model's answer with
what it cost, each call before it runs and after, and the tool message the model will read. Shapes
are those of moonbitlang/maria: flat in December 2025, wrapped in `id`, `created` and `desc` by
March 2026.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from typing_extensions import override

from domain.events import Event
from domain.json_text import JsonValue
from domain.messages import (
    CustomMessage,
    InputMessage,
    LlmResponseMessage,
    ReplyMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from projections.chat import Turn, file_text, wire_call
from projections.maria_events import (
    after_call,
    before_call,
    event_ids,
    permitted,
    text_parts,
    tool_message,
    usage_item,
)
from projections.residue import METADATA_KEY, restore
from projections.view import Item, Options, Placed, View

Dialect = Literal["2025-12", "2026-03"]

WIRES: Mapping[Dialect, str] = {"2025-12": "maria", "2026-03": "maria-2026-03"}
"""The name under which an import keeps the residue of each dialect's items."""

CUSTOM = "maria."
"""Before the `msg` of an event that has no message of its own: the type it is kept under."""

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
"""What messages of the catalogue are told in: no custom message can pass for one of these."""


class MariaOptions(Options):
    """How to show a history in Maria's events.

    `dialect`: `2025-12` is flat; `2026-03` has an envelope and splits `MessageAdded` by role.
    """

    dialect: Dialect = "2025-12"


@dataclass(frozen=True, slots=True)
class Origin:
    """The message that items come from: its place, id and time, and an import's residues."""

    version: int
    message_id: str
    created: int
    residues: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class MariaTurn(Turn):
    """A turn, with the message that began it and what it cost."""

    origin: Origin
    usage: Item | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What the latest model response cost, while no turn has claimed it."""

    response_id: str | None
    usage: Item | None


@dataclass(frozen=True, slots=True)
class MariaCarry:
    """The turn held back, the cost of the turn to come, and the calls without an answer."""

    held: MariaTurn | None = None
    cost: Cost | None = None
    unanswered: tuple[Item, ...] = ()


class MariaView(View[MariaCarry, MariaOptions]):
    """Events of Maria's daemon, as its clients hear them."""

    name: ClassVar[str] = "maria"
    options_type = MariaOptions
    carry_type = MariaCarry

    @override
    def start(self) -> MariaCarry:
        return MariaCarry()

    @override
    def fold(self, carry: MariaCarry, event: Event) -> tuple[MariaCarry, Sequence[Placed]]:
        message = event.message
        if message is None:
            return carry, ()
        origin = self._origin(event, message.timestamp)
        match message:
            case SystemMessage(text=text):
                return self._say(carry, origin, [self._system(text)])
            case InputMessage():
                return self._say(carry, origin, [self._user(message)])
            case ReplyMessage(text=text):
                return self._hold(carry, event.response_id, origin, text, ())
            case ToolCallsMessage(calls=calls):
                wired = tuple(map(wire_call, calls))
                return self._hold(carry, event.response_id, origin, None, wired)
            case ToolResultsMessage(results=results):
                return self._answer(carry, origin, results)
            case LlmResponseMessage(usage=usage):
                return _with_cost(carry, Cost(event.response_id, usage_item(usage))), ()
            case CustomMessage(type=kind, payload=dict(payload)) if _is_maria(kind):
                rest = {key: value for key, value in payload.items() if key != "msg"}
                return self._say(carry, origin, [{"msg": kind.removeprefix(CUSTOM), **rest}])
            case _:
                return carry, ()

    @override
    def rest(self, carry: MariaCarry) -> Sequence[Placed]:
        return () if carry.held is None else self._turn_items(carry.held)

    def _say(
        self, carry: MariaCarry, origin: Origin, items: Sequence[Item]
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        carry, settled = self._settle(carry)
        return carry, [*settled, *self._placed(origin, items)]

    def _hold(
        self,
        carry: MariaCarry,
        response_id: str | None,
        origin: Origin,
        content: str | None,
        calls: tuple[Item, ...],
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        """Add to the turn held back, or settle it and hold a new one."""
        if carry.held is not None:
            joined = carry.held.joined(response_id, content, calls)
            if joined is not None:
                return MariaCarry(joined, carry.cost, carry.unanswered), ()
        carry, settled = self._settle(carry)
        carry, usage = _claim_cost(carry, response_id)
        turn = MariaTurn(response_id, content, calls, origin, usage)
        carry = MariaCarry(turn, carry.cost, carry.unanswered)
        if response_id is not None:
            return carry, settled
        carry, begun = self._settle(carry)  # nothing can join it
        return carry, [*settled, *begun]

    def _settle(self, carry: MariaCarry) -> tuple[MariaCarry, Sequence[Placed]]:
        if carry.held is None:
            return carry, ()
        unanswered = (*carry.unanswered, *carry.held.calls)
        return MariaCarry(None, carry.cost, unanswered), self._turn_items(carry.held)

    def _answer(
        self, carry: MariaCarry, origin: Origin, results: Sequence[ToolResult]
    ) -> tuple[MariaCarry, Sequence[Placed]]:
        carry, settled = self._settle(carry)
        unanswered = list(carry.unanswered)
        items: list[Item] = []
        for index, result in enumerate(results):
            call = next((each for each in unanswered if _answers(result, each)), None)
            if call is None:
                call_id = result.call_id or f"call_{origin.message_id}_{index}"
                call = wire_call(ToolCall(id=call_id, name=result.name or "unknown", args={}))
            else:
                unanswered.remove(call)
            items += (after_call(call, result), tool_message(call, result))
        carry = MariaCarry(carry.held, carry.cost, tuple(unanswered))
        return carry, [*settled, *self._placed(origin, items)]

    def _system(self, text: str) -> Item:
        if self.options.dialect == "2026-03":
            return {"msg": "SystemPromptSet", "prompt": text}
        return {"msg": "MessageAdded", "message": {"role": "system", "content": text}}

    def _user(self, message: InputMessage) -> Item:
        texts = [text for text in map(file_text, message.files or ()) if text is not None]
        if message.text is not None:
            texts.insert(0, message.text)
        if self.options.dialect == "2026-03":  # content is a string there and nothing else
            return {"msg": "UserMessage", "content": "".join(texts)}
        content = text_parts(*texts) if len(texts) > 1 else "".join(texts)
        return {"msg": "MessageAdded", "message": {"role": "user", "content": content}}

    def _turn_items(self, turn: MariaTurn) -> Sequence[Placed]:
        said: Item = {"content": turn.content or "", "tool_calls": list(turn.calls)}
        if self.options.dialect == "2025-12":
            usage = None if turn.usage is None else [turn.usage]
            message = {"role": "assistant", **said}
            item: Item = {"msg": "RequestCompleted", "usage": usage, "message": message}
        else:
            item = {"msg": "AssistantMessage", **said}
            if turn.usage is not None:
                item["usage"] = turn.usage
        return self._placed(turn.origin, [item, *map(before_call, turn.calls)])

    def _origin(self, event: Event, created: int) -> Origin:
        wires = event.metadata.get(METADATA_KEY)
        found = wires.get(WIRES[self.options.dialect]) if isinstance(wires, dict) else None
        residues = tuple(found) if isinstance(found, list) else ()
        return Origin(event.version, event.message_id, created, residues)

    def _placed(self, origin: Origin, items: Sequence[Item]) -> Sequence[Placed]:
        # the items first: where they end, no further id is made
        return [
            Placed(origin.version, ordinal, self._enveloped(origin, ordinal, item, own_id))
            for ordinal, (item, own_id) in enumerate(
                zip(items, event_ids(origin.message_id), strict=False)
            )
        ]

    def _enveloped(self, origin: Origin, ordinal: int, item: Item, own_id: str) -> Item:
        if self.options.dialect == "2026-03":
            item = {"id": own_id, "created": origin.created, "desc": item}
        else:
            item = {"msg": item["msg"], "id": own_id, **item}
        found = origin.residues[ordinal] if ordinal < len(origin.residues) else None
        return restore(item, found, permitted)


def _is_maria(type_name: str) -> bool:
    return type_name.startswith(CUSTOM) and type_name.removeprefix(CUSTOM) not in TOLD


def _with_cost(carry: MariaCarry, cost: Cost) -> MariaCarry:
    """Give a cost to the turn held back if it is of that response, else keep it for the next."""
    held = carry.held
    if held is not None and held.usage is None and held.response_id == cost.response_id:
        return replace(carry, held=replace(held, usage=cost.usage))
    return replace(carry, cost=cost)


def _claim_cost(carry: MariaCarry, response_id: str | None) -> tuple[MariaCarry, Item | None]:
    """Take the cost for a turn, unless both name their response and these are two."""
    cost = carry.cost
    if cost is None:
        return carry, None
    named = cost.response_id is not None and response_id is not None
    if named and cost.response_id != response_id:
        return carry, None
    return replace(carry, cost=None), cost.usage


def _answers(result: ToolResult, call: Item) -> bool:
    """Tell whether a result is of this call: by id, or by name where it gives no id."""
    if result.call_id is None:
        return bool(result.name == call["function"]["name"])
    return bool(result.call_id == call["id"])
