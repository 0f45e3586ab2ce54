"""The OpenLetta wire: the seven message types of OpenLetta's own reference, without ids.

`arguments` is always an object. Other arguments become `{"value": …}`, and a raw string that is not
JSON becomes `{"raw": "…"}`; an import reads such objects as the arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, TypeAdapter, ValidationError
from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_at, object_of
from agentlog.domain.messages import (
    InputMessage,
    KernelMessage,
    LlmResponseMessage,
    ReasoningMessage,
    ReplyMessage,
    TokenUsage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import arguments_value, iso_time, result_text
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.residue import apply_residue, residue_of
from agentlog.projections.view import Item, Options, Placed, View
from agentlog.projections.views.letta.items import (
    KEPT,
    file_note,
    result_id,
    result_status,
    thought,
)

WIRE = "openletta"
UNKNOWN_TOOL = "unknown"


class OpenLettaOptions(Options):
    """There is nothing to choose."""


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class OpenLettaCarry:
    """The latest calls (id, name) without a result: a result may lack its tool's name."""

    unanswered: tuple[tuple[str, str], ...] = ()


class OpenLettaView(View[OpenLettaCarry, OpenLettaOptions]):
    """Messages in OpenLetta's format."""

    name: ClassVar[str] = WIRE
    options_type = OpenLettaOptions
    carry_type = OpenLettaCarry

    @override
    def start(self) -> OpenLettaCarry:
        return OpenLettaCarry()

    @override
    def fold(self, carry: OpenLettaCarry, event: Event) -> tuple[OpenLettaCarry, Sequence[Placed]]:
        message = event.message
        alone = _ALONE.get(type(message))  # not `match`: over the models it is far slower
        if alone is not None:
            return carry, (_placed(event, 0, alone(message)),)
        match message:
            case ToolCallsMessage(calls=calls):
                items = [_placed(event, n, _call_item(message, e)) for n, e in enumerate(calls)]
                return _with_calls(carry, calls), items
            case ToolResultsMessage(results=results):
                names = dict(carry.unanswered)
                returned = [
                    _placed(event, n, _return_item(event, message, n, names))
                    for n in range(len(results))
                ]
                return _with_results(carry, results), returned
            case LlmResponseMessage(usage=TokenUsage() as usage):
                return carry, (_placed(event, 0, _usage_item(usage)),)
            case _:
                return carry, ()

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        kind = str(item["message_type"])
        match item:
            case {"message_type": "usage_statistics"}:
                return ItemContent(kind, {})
            case {
                "tool_call": {"tool_call_id": call_id, "tool_name": tool, "arguments": arguments}
            }:
                return call_content(kind, calls, [(call_id, tool, arguments)])
            case {"tool_call_id": call_id, "tool_name": tool}:
                own = {"message_type", "timestamp", "tool_call_id", "tool_name"}
                return result_content(kind, calls, [(call_id, tool, content_of(item, own))])
            case _:
                return ItemContent(kind, content_of(item, {"message_type", "timestamp"}))


def _placed(event: Event, ordinal: int, item: Item) -> Placed:
    if event.metadata:
        item = apply_residue(item, residue_of(event, WIRE, ordinal), _may_change)
    return Placed(event.originator_version, ordinal, item)


def _kernel_item(kind: str, content: str, message: KernelMessage) -> Item:
    return {"message_type": kind, "content": content, "timestamp": iso_time(message.timestamp)}


def _input_item(message: InputMessage) -> Item:
    return _kernel_item("user_message", _content(message), message)


def _reply_item(message: ReplyMessage) -> Item:
    return _kernel_item("assistant_message", message.text, message)


def _reasoning_item(message: ReasoningMessage) -> Item:
    return _kernel_item("reasoning_message", thought(message), message)


def _call_item(message: ToolCallsMessage, call: ToolCall) -> Item:
    return {
        "message_type": "approval_request_message",
        "tool_call": {
            "tool_call_id": call.id,
            "tool_name": call.name,
            "arguments": _arguments(call),
        },
        "timestamp": iso_time(message.timestamp),
    }


def _content(message: InputMessage) -> str:
    if not message.files:
        return message.text or ""
    text = () if message.text is None else (message.text,)
    return "\n".join([*text, *map(file_note, message.files or ())])


def _arguments(call: ToolCall) -> Item:
    value = arguments_value(call)
    if isinstance(value, dict):
        return value
    return {"value" if "args" in call.model_fields_set else "raw": value}


def _return_item(
    event: Event, message: ToolResultsMessage, index: int, names: Mapping[str, str]
) -> Item:
    result = message.results[index]
    call_id = result_id(event, index, result)
    name = names.get(call_id, UNKNOWN_TOOL) if result.name is None else result.name
    return {
        "message_type": "tool_return_message",
        "tool_call_id": call_id,
        "tool_name": name,
        "status": result_status(result),
        "result": result_text(result),
        "timestamp": iso_time(message.timestamp),
    }


def _usage_item(usage: TokenUsage) -> Item:
    figures = {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    }
    known = {key: figure for key, figure in figures.items() if figure is not None}
    return {"message_type": "usage_statistics", **known}


def _with_calls(carry: OpenLettaCarry, calls: Sequence[ToolCall]) -> OpenLettaCarry:
    unanswered = dict(carry.unanswered)
    for call in calls:
        unanswered.pop(call.id, None)  # a repeated call becomes the latest
        unanswered[call.id] = call.name
    return OpenLettaCarry(tuple(unanswered.items())[-KEPT:])


def _with_results(carry: OpenLettaCarry, results: Sequence[ToolResult]) -> OpenLettaCarry:
    answered = {result.call_id for result in results}
    return OpenLettaCarry(tuple([call for call in carry.unanswered if call[0] not in answered]))


_ALONE: Mapping[type, Callable[[Any], Item]] = {
    InputMessage: _input_item,
    ReplyMessage: _reply_item,
    ReasoningMessage: _reasoning_item,
}
"""Messages with exactly one item, independent of other messages."""


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", protected_namespaces=())


class _Said(_Shape):
    message_type: Literal["user_message", "reasoning_message", "assistant_message"]
    content: str
    timestamp: str | None = None


class _Call(_Shape):
    tool_call_id: str
    tool_name: str
    arguments: dict[str, JsonValue]


class _Asked(_Shape):
    message_type: Literal["approval_request_message"]
    tool_call: _Call
    timestamp: str | None = None


class _Returned(_Shape):
    message_type: Literal["tool_return_message"]
    tool_call_id: str
    tool_name: str
    status: Literal["success", "error"]
    result: str
    timestamp: str | None = None


class _Used(_Shape):
    message_type: Literal["usage_statistics"]
    input_tokens: int | float | None = None
    output_tokens: int | float | None = None
    total_tokens: int | float | None = None


_SHAPES: TypeAdapter[object] = TypeAdapter(
    Annotated[_Said | _Asked | _Returned | _Used, Discriminator("message_type")]
)


def _may_change(item: Item, key: str, value: JsonValue) -> bool:
    """Permit changes within an item's shape, but not of its calls and results."""
    try:
        _SHAPES.validate_python({**item, key: value})
    except ValidationError:
        return False
    match item["message_type"], key:
        case (_, "message_type") | ("tool_return_message", "tool_call_id" | "status"):
            return bool(value == item[key])
        case "approval_request_message", "tool_call":
            return object_of(value)["tool_call_id"] == object_at(item, key)["tool_call_id"]
        case _:
            return True
