"""The OpenAI chat wire: a list of messages that is always safe to send to a model.

A model's API refuses a history in which a call has no result before the next turn, or a result has
no call. The log is unchanged; this view repairs: an unanswered call gets a filler result
`{"status":"pending"}` before the next turn, a result without its call gets a synthesised call.
A system message is no turn: where calls are open, it is shown after their results.
The repair rules are the Unternet kernel's; item shapes are those of openai 3.54. What a message
had beyond them where it came from is shown on request.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    CustomMessage,
    InputMessage,
    ReplyMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import result_text
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of, result_content
from agentlog.projections.residue import residue_of
from agentlog.projections.view import Item, Options, Placed, View
from agentlog.projections.views.chat import (
    AssistantTurn,
    called_tool,
    turn_content,
    user_content,
    wire_call,
)
from agentlog.projections.views.openai_residue import restored, shown_whole

FILLER = '{"status":"pending"}'
MARK = "agentlog"
"""The key under which `mark` says what repair did to an item."""
WHOLE = "openai.message"
"""The type of messages whose payload is an item of this wire that no other message would show."""


class OpenAIOptions(Options):
    """How to show a history on the OpenAI wire.

    `repair`: fill in what a model's API would miss; without it the log shows as it is.
    `mark`: say what repair did, under the key `agentlog`: `filler` and `synthesised` are items
    that it made, `reordered` is one that it moved behind later results.
    `tool_names`: give tool messages the `name` of their tool, where the result has one.
    `foreign`: show what an import had beyond the API's types, and `tool_names`.
    """

    repair: bool = True
    mark: bool = False
    tool_names: bool = False
    foreign: bool = False


@dataclass(slots=True)
class OpenAITurn(AssistantTurn):
    """A turn, with its place and residue."""

    version: int
    ordinal: int
    residue: JsonValue = None


OpenCall = tuple[str, str]
"""The id and the name of a call that lacks an answer."""


@dataclass(slots=True)
class OpenAICarry:
    """The held turn, and the previous turn's open calls. Immutable, see `AssistantTurn`.

    `waiting` are system messages that repair shows after the results of open calls; until then they
    are unsettled, from the place `version`, `ordinal` on.
    """

    held: OpenAITurn | None = None
    unanswered: tuple[OpenCall, ...] = ()
    waiting: tuple[Item, ...] = ()
    version: int = 0
    ordinal: int = 0


_NOTHING = OpenAICarry()


class OpenAIView(View[OpenAICarry, OpenAIOptions]):
    """Messages of the chat completions API."""

    name: ClassVar[str] = "openai"
    carry_format: ClassVar[int] = 2
    options_type = OpenAIOptions
    carry_type = OpenAICarry
    also: ClassVar[frozenset[str]] = frozenset()
    """Foreign keys that are shown in any case."""

    @override
    def start(self) -> OpenAICarry:
        return _NOTHING

    @override
    def fold(self, carry: OpenAICarry, event: Event) -> tuple[OpenAICarry, Sequence[Placed]]:
        message = event.message
        # not `match`: each failed class pattern would call pydantic's metaclass
        if type(message) is InputMessage:
            return self._say(carry, event, {"role": "user", "content": user_content(message)})
        if type(message) is ReplyMessage:
            return self._hold(carry, event, message.text, ())
        if type(message) is ToolCallsMessage:
            return self._hold(carry, event, None, tuple(map(wire_call, message.calls)))
        if type(message) is ToolResultsMessage:
            return self._answer(carry, event, message.results)
        if type(message) is SystemMessage:
            return self._interject(carry, event, {"role": "system", "content": message.text})
        if type(message) is CustomMessage and message.type == WHOLE:
            item = shown_whole(message.payload, foreign=self.options.foreign)
            if item is not None:
                show = self._interject if item["role"] in ("system", "developer") else self._say
                return show(carry, event, item)
        return carry, ()

    @override
    def rest(self, carry: OpenAICarry) -> Sequence[Placed]:
        if carry.held is not None:
            return (self._placed(carry.held),)
        items = self._closing(carry.unanswered, carry.waiting) if carry.waiting else ()
        return [
            Placed(carry.version, ordinal, item)
            for ordinal, item in enumerate(items, carry.ordinal)
        ]

    def _say(
        self, carry: OpenAICarry, event: Event, item: Item
    ) -> tuple[OpenAICarry, Sequence[Placed]]:
        """Begin the next turn with `item`; closes all open calls."""
        settled, unanswered = self._let_go(carry)
        items = [*self._closing(unanswered, carry.waiting), self._restore(event, 0, item)]
        return _NOTHING, _with(settled, event, items)

    def _interject(
        self, carry: OpenAICarry, event: Event, item: Item
    ) -> tuple[OpenAICarry, Sequence[Placed]]:
        """Add a system message, which leaves calls open."""
        settled, unanswered = self._let_go(carry)
        item = self._restore(event, 0, item)
        if not unanswered:
            return _NOTHING, _with(settled, event, [item])
        if not self.options.repair:
            return OpenAICarry(None, tuple(unanswered)), _with(settled, event, [item])
        waiting = (*carry.waiting, item)
        return OpenAICarry(None, tuple(unanswered), waiting, event.version), settled

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        role = str(item["role"])
        if role != "tool":
            return turn_content(role, item, calls, {"role"})
        content = content_of(item, {"role", "tool_call_id", "name"})
        return result_content(role, calls, [(item["tool_call_id"], item.get("name"), content)])

    def _hold(
        self, carry: OpenAICarry, event: Event, content: str | None, calls: tuple[Item, ...]
    ) -> tuple[OpenAICarry, Sequence[Placed]]:
        """Add to the held turn, or begin and hold the next one; closes all open calls."""
        response_id = event.response_id
        if carry.held is not None and response_id is not None:
            joined = carry.held.joined(response_id, content, calls)
            if joined is not None:
                return OpenAICarry(joined, carry.unanswered), ()
        settled, unanswered = self._let_go(carry)
        items = self._closing(unanswered, carry.waiting)
        residue = residue_of(event, self.name, 0)
        turn = OpenAITurn(response_id, content, calls, event.version, len(items), residue)
        return OpenAICarry(turn), _with(settled, event, items)

    def _answer(
        self, carry: OpenAICarry, event: Event, results: Sequence[ToolResult]
    ) -> tuple[OpenAICarry, Sequence[Placed]]:
        """Add results: first those of open calls, then each orphan with a synthesised call.

        An orphan ends the turn with or without repair, so that both match results with the same
        calls.
        """
        settled, unanswered = self._let_go(carry)
        items: list[Item] = []
        orphans: list[tuple[int, ToolResult]] = []
        last_answer = -1
        for index, result in enumerate(results):
            call = _call_for(result, unanswered)
            if call is not None:
                unanswered.remove(call)
                last_answer = index
                items.append(self._tool_item(event, index, result, call[0]))
                continue
            orphans.append((index, result))
            if not self.options.repair:
                items.append(self._tool_item(event, index, result, _own_id(event, index, result)))
        waiting = carry.waiting
        if last_answer >= 0:
            waiting = tuple(self._mark(item, "reordered") for item in waiting)
        if unanswered and not orphans:
            place = event.version, len(items)
            carry = OpenAICarry(None, tuple(unanswered), waiting, *place)
            return carry, _with(settled, event, items)
        items += self._closing(unanswered, waiting)
        if self.options.repair:
            items += self._with_calls(event, orphans, last_answer)
        return _NOTHING, _with(settled, event, items)

    def _closing(self, unanswered: Sequence[OpenCall], waiting: Sequence[Item]) -> Sequence[Item]:
        """Return what ends a turn: filler results for open calls, then what waited for them."""
        if not unanswered or not self.options.repair:
            return waiting
        fillers: list[Item] = []
        for call_id, name in unanswered:
            item: Item = {"role": "tool", "content": FILLER, "tool_call_id": call_id}
            if self._names_tools:
                item["name"] = name
            fillers.append(self._mark(item, "filler"))
        return [*fillers, *waiting]

    def _with_calls(
        self, event: Event, orphans: Sequence[tuple[int, ToolResult]], last_answer: int
    ) -> Iterator[Item]:
        for index, result in orphans:
            call_id = _own_id(event, index, result)
            call = ToolCall(id=call_id, name=result.name or "unknown", args={})
            turn: Item = {"role": "assistant", "content": None, "tool_calls": [wire_call(call)]}
            yield self._mark(turn, "synthesised")
            item = self._tool_item(event, index, result, call_id)
            yield self._mark(item, "reordered") if index < last_answer else item

    def _tool_item(self, event: Event, index: int, result: ToolResult, call_id: str) -> Item:
        item: Item = {"role": "tool", "content": result_text(result), "tool_call_id": call_id}
        if self._names_tools and result.name is not None:
            item["name"] = result.name
        return self._restore(event, index, item)

    @property
    def _names_tools(self) -> bool:
        return self.options.tool_names or self.options.foreign

    def _mark(self, item: Item, repair: str) -> Item:
        return {**item, MARK: repair} if self.options.mark else item

    def _let_go(self, carry: OpenAICarry) -> tuple[list[Placed], list[OpenCall]]:
        """Return the held turn as an item, and its open calls."""
        held = carry.held
        if held is None:
            return [], list(carry.unanswered)
        calls = [(str(call["id"]), str(called_tool(call))) for call in held.calls]
        return [self._placed(held)], calls

    def _placed(self, turn: OpenAITurn) -> Placed:
        item: Item = {"role": "assistant", "content": turn.content}
        if turn.calls:
            item["tool_calls"] = list(turn.calls)
        return Placed(turn.version, turn.ordinal, self._with_residue(item, turn.residue))

    def _restore(self, event: Event, ordinal: int, item: Item) -> Item:
        return self._with_residue(item, residue_of(event, self.name, ordinal))

    def _with_residue(self, item: Item, residue: JsonValue) -> Item:
        return restored(item, residue, foreign=self.options.foreign, also=self.also)


def _with(settled: list[Placed], event: Event, items: Sequence[Item]) -> Sequence[Placed]:
    """Return the settled items, then the items of an event at their places."""
    version = event.version
    for ordinal, item in enumerate(items):
        settled.append(Placed(version, ordinal, item))
    return settled


def _call_for(result: ToolResult, unanswered: Sequence[OpenCall]) -> OpenCall | None:
    """Return the open call for `result`: by id, or by name where it has no id."""
    for call in unanswered:
        if call[0] == result.call_id or (result.call_id is None and call[1] == result.name):
            return call
    return None


def _own_id(event: Event, index: int, result: ToolResult) -> str:
    return result.call_id or f"call_{event.message_id}_{index}"
