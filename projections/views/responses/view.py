"""The view `responses`: items of the Responses and Conversations APIs."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import text_at
from agentlog.domain.messages import ToolResultsMessage
from agentlog.projections.item_content import CallPlaces, ItemContent
from agentlog.projections.view import Item
from agentlog.projections.views.repair.responses import ResponsesWire
from agentlog.projections.views.repair.view import RepairedItemsView, RepairOptions
from agentlog.projections.views.repair.wire import with_record, without_recorded
from agentlog.projections.views.responses.items import WIRE, items_of, said_by


class ResponsesOptions(RepairOptions):
    """How to show items.

    `repair`: only what OpenAI's API takes as input, each call with its output; without it items are
    as they came in.
    `mark`: say what repair did: `agentlog` of an item is `filler` or `synthesised`, and
    `agentlog_recorded` is what is on record in the place of what it changed.
    `complete`: with all that OpenAI's API returns: type, id, status, contents as parts. Without it
    items are as they came in, and those of other messages have no id.
    """

    complete: bool = False


class ResponsesView(RepairedItemsView[ResponsesOptions]):
    """Items of the Responses and Conversations APIs; any message that they can say is one."""

    name: ClassVar[str] = WIRE
    options_type = ResponsesOptions
    wire = ResponsesWire()
    joins: ClassVar[bool] = False

    @override
    def items_of(self, event: Event) -> Sequence[Item]:
        items = items_of(event)
        if self.options.repair and type(event.message) is ToolResultsMessage:
            return [
                with_record(item, result.call_id, result.name)
                for item, result in zip(items, event.message.results, strict=True)
            ]
        return items

    @override
    def shown(self, item: Item, message_id: str, ordinal: int) -> tuple[str, Item]:
        item_id = id_of(item, message_id, ordinal)
        return item_id, completed(item, item_id) if self.options.complete else item

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        return said_by(without_recorded(item), calls)


_PREFIXES: Mapping[str, str] = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fco",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctco",
    "reasoning": "rs",
    "mcp_approval_request": "mcpr",
    "mcp_approval_response": "mcpa",
}
"""Of ids, by the types of items."""
_WITH_STATUS = frozenset({"message", "function_call", "function_call_output"})


def id_of(item: Item, message_id: str, ordinal: int) -> str:
    """Return the id of an item, which is made of its message's where it has none."""
    own_id = text_at(item, "id")
    if own_id is not None:
        return own_id
    kind = item.get("type", "message")
    prefix = _PREFIXES.get(kind, "item") if isinstance(kind, str) else "item"
    return f"{prefix}_{message_id}" + (f"_{ordinal}" if ordinal else "")


def completed(item: Item, item_id: str) -> Item:
    """Return an item with what the API's types require; what it has stays."""
    kind = item.get("type", "message")
    whole: Item = {"type": kind, "id": item_id}
    if isinstance(kind, str) and kind in _WITH_STATUS:
        whole["status"] = "completed"
    whole |= {key: value for key, value in item.items() if value is not None or key not in whole}
    content = item.get("content")
    if kind == "message" and isinstance(content, str):
        is_answer = item.get("role") == "assistant"
        part: Item = {"type": "output_text" if is_answer else "input_text", "text": content}
        whole["content"] = [{**part, "annotations": []} if is_answer else part]
    return whole
