"""The OpenAI chat wire: a list of messages that is always safe to send to a model.

A model's API refuses a history in which a call has no result before the next turn, or a result has
no call. The log is unchanged; this view repairs: an unanswered call gets a filler result
`{"status":"pending"}` before the next turn, a result without its call gets a synthesised call.
A system message is no turn: where calls are open, it is shown after their results.
The repair rules are the Unternet kernel's; item shapes are those of openai 3.54. What a message
had beyond them where it came from is shown on request.
"""

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    CustomMessage,
    InputMessage,
    ReplyMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import result_text
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of, result_content
from agentlog.projections.residue import residue_of
from agentlog.projections.view import Item
from agentlog.projections.views.chat import turn_content, user_content, wire_call
from agentlog.projections.views.openai_residue import restored, shown_whole
from agentlog.projections.views.repair.chat import RESIDUE, ChatWire
from agentlog.projections.views.repair.view import RepairOptions, TurnsView
from agentlog.projections.views.repair.wire import RECORDED, with_record

WHOLE = "openai.message"
"""The type of messages whose payload is an item of this wire that no other message would show."""


class OpenAIOptions(RepairOptions):
    """How to show a history on the OpenAI wire.

    `repair`: fill in what a model's API would miss; without it the log shows as it is.
    `mark`: say what repair did, under the key `agentlog`: `filler` and `synthesised` are items
    that it made, `reordered` is one that it moved behind later results.
    `tool_names`: give tool messages the `name` of their tool, where the result has one.
    `foreign`: show what an import had beyond the API's types, and `tool_names`.
    """

    tool_names: bool = False
    foreign: bool = False


class OpenAIView(TurnsView[OpenAIOptions]):
    """Messages of the chat completions API."""

    name: ClassVar[str] = "openai"
    carry_format: ClassVar[int] = 4
    options_type = OpenAIOptions
    also: ClassVar[frozenset[str]] = frozenset()
    """Foreign keys that are shown in any case."""
    changes: ClassVar[bool] = True
    """Whether repair changes messages; else their order alone."""

    def __init__(self, options: OpenAIOptions | None = None) -> None:
        super().__init__(options)
        self._names_tools = self.options.tool_names or self.options.foreign
        is_foreign = self.options.foreign or not self.changes
        self.wire = ChatWire(
            names_tools=self._names_tools, foreign=is_foreign, restore=self._restore
        )

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        role = str(item["role"])
        if role != "tool":
            return turn_content(role, item, calls, {"role", RECORDED})
        content = content_of(item, {"role", "tool_call_id", "name", RECORDED})
        return result_content(role, calls, [(item["tool_call_id"], item.get("name"), content)])

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        message = event.message
        # not `match`: each failed class pattern would call pydantic's metaclass
        if type(message) is ToolResultsMessage:
            return [self._tool_item(event, n, result) for n, result in enumerate(message.results)]
        item: Item | None = None
        if type(message) is InputMessage:
            item = {"role": "user", "content": user_content(message)}
        elif type(message) is ReplyMessage:
            item = {"role": "assistant", "content": message.text}
        elif type(message) is ToolCallsMessage:
            calls: list[JsonValue] = [*map(wire_call, message.calls)]
            item = {"role": "assistant", "content": None, "tool_calls": calls}
        elif type(message) is SystemMessage:
            item = {"role": "system", "content": message.text}
        elif type(message) is CustomMessage and message.type == WHOLE:
            item = shown_whole(message.payload, foreign=self.options.foreign)
        if item is None:
            return ()
        return (self._with_residue(event, 0, item) if event.metadata else item,)

    def _tool_item(self, event: Event, index: int, result: ToolResult) -> Item:
        call_id = result.call_id or f"call_{event.message_id}_{index}"
        item: Item = {"role": "tool", "content": result_text(result), "tool_call_id": call_id}
        if self._names_tools and result.name is not None:
            item["name"] = result.name
        if event.metadata:
            item = self._with_residue(event, index, item)
        return with_record(item, result.call_id, result.name)

    def _with_residue(self, event: Event, ordinal: int, item: Item) -> Item:
        """Return a message with its residue, or that apart, as it may be joined with others."""
        residue = residue_of(event, self.name, ordinal)
        if residue is None:
            return item
        if item["role"] in {"assistant", "tool"} and type(event.message) is not CustomMessage:
            return {**item, RESIDUE: residue}
        return self._restore(item, residue)

    def _restore(self, item: Item, residue: JsonValue) -> Item:
        options = self.options
        return restored(
            item, residue, foreign=options.foreign, also=self.also, repair=options.repair
        )
