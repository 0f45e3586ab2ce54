"""The view `ag-ui`: messages of the Agent-User Interaction Protocol, version 1.0."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadClosed
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    ExitMessage,
    FileAttachment,
    InputMessage,
    ReasoningMessage,
    ReplyMessage,
    SystemMessage,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import error_text, value_text
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of, result_content
from agentlog.projections.view import Item, Options, Placed, View
from agentlog.projections.views.chat import file_text, turn_content, wire_call


class AgUiView(View[None, Options]):
    """One item a message, and one a result of a call."""

    name: ClassVar[str] = "ag-ui"
    options_type = Options
    carry_type = type(None)

    @override
    def start(self) -> None:
        return None

    @override
    def fold(self, carry: None, event: Event) -> tuple[None, Sequence[Placed]]:
        items = _items(event)
        return None, [Placed(event.version, ordinal, item) for ordinal, item in enumerate(items)]

    @override
    def item_content(self, item: Item, calls: CallPlaces) -> ItemContent:
        role = str(item["role"])
        if role == "tool":
            content = content_of(item, {"id", "role", "toolCallId"})
            return result_content(role, calls, [(item["toolCallId"], None, content)])
        turn = {("tool_calls" if key == "toolCalls" else key): item[key] for key in item}
        return turn_content(role, turn, calls, {"id", "role"})


INTERRUPTING = ("approval_request", "approval_response", "exit", "thread.closed")
"""The types of events that `interrupts` is about."""


def interrupts(events: Iterable[Event]) -> list[Item]:
    """Return the approvals that wait after some events, as interrupts of the protocol.

    There are none after an exit or in a closed thread. The answer's payload is `approved` with a
    `reason`, if any.
    """
    waiting: dict[str, Item] = {}
    for event in events:
        match event.message:
            case ApprovalRequestMessage() as request:
                waiting.pop(request.call_id, None)  # the last request counts
                waiting[request.call_id] = _interrupt(event.message_id, request)
            case ApprovalResponseMessage(call_id=call_id):
                waiting.pop(call_id, None)
            case ExitMessage() | ThreadClosed():
                waiting.clear()
            case _:
                pass
    return [*waiting.values()]


_ANSWER: Item = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}


def _interrupt(message_id: str, request: ApprovalRequestMessage) -> Item:
    return {
        "id": message_id,
        "reason": "tool_call",
        "message": f"{request.tool}: {request.reason}" if request.reason else request.tool,
        "toolCallId": request.call_id,
        "responseSchema": _ANSWER,
        "metadata": {"tool": request.tool, "args": request.args},
    }


def _items(event: Event) -> Sequence[Item]:
    match event.message:
        case InputMessage() as message:
            return [_message(event, "user", _content(message))]
        case SystemMessage(text=text):
            return [_message(event, "system", text)]
        case ReplyMessage(text=text):
            return [_message(event, "assistant", text)]
        case ReasoningMessage(title=title, summary=summary):
            return [_message(event, "reasoning", "\n\n".join(filter(None, (title, summary))))]
        case ToolCallsMessage(calls=calls):
            asked: list[JsonValue] = [*map(wire_call, calls)]
            return [{"id": event.message_id, "role": "assistant", "toolCalls": asked}]
        case ToolResultsMessage(results=results):
            return [_result(event, index, result) for index, result in enumerate(results)]
        case _:
            return ()


def _message(event: Event, role: str, content: JsonValue) -> Item:
    return {"id": event.message_id, "role": role, "content": content}


def _content(message: InputMessage) -> JsonValue:
    if not message.files:
        return message.text
    text = [] if message.text is None else [_text(message.text)]
    return [*text, *map(_file, message.files)]


def _text(text: str) -> Item:
    return {"type": "text", "text": text}


def _result(event: Event, index: int, result: ToolResult) -> Item:
    item: Item = {
        "id": f"{event.message_id}-{index}",
        "role": "tool",
        "content": value_text(result.output),
        "toolCallId": result.call_id or f"call_{event.message_id}_{index}",
    }
    return item if result.error is None else {**item, "error": error_text(result.error)}


def _file(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return _text(text)
    mime_type = file.mime_type or "application/octet-stream"
    kind = mime_type.partition("/")[0]
    source: Item = {"type": "data", "value": "".join(file.data.split()), "mimeType": mime_type}
    return {"type": kind if kind in ("image", "audio", "video") else "document", "source": source}
