"""Items of OpenAI's Responses for single messages: shapes of openai 3.54, without ids."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue, array_of, objects_of
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    CustomMessage,
    FileAttachment,
    InputMessage,
    ReasoningMessage,
    ReplyMessage,
    SystemMessage,
    ToolCall,
    ToolCallsMessage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import arguments_text, result_text
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    arguments_of,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.view import Item
from agentlog.projections.views.chat import file_text

WIRE = "responses"
_WIRES = (f"{WIRE}.", "openai.")
"""Beginnings of the types of messages whose payload is an item."""


def items_of(event: Event) -> Sequence[Item]:
    """Return the items of a message by itself."""
    match event.message:
        case InputMessage() as message:
            return [_message("user", _input(message))]
        case ReplyMessage(text=text):
            content: Item = {"type": "output_text", "text": text, "annotations": []}
            return [_message("assistant", [content])]
        case ToolCallsMessage(calls=calls):
            return list(map(_call, calls))
        case ToolResultsMessage(results=results):
            return [_result(event, index, result) for index, result in enumerate(results)]
        case SystemMessage(text=text):
            return [_message("system", [{"type": "input_text", "text": text}])]
        case ReasoningMessage(title=title, summary=summary):
            text = "\n\n".join(filter(None, (title, summary)))
            return [{"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}]
        case ApprovalRequestMessage() as asked:
            return [
                {
                    "type": "mcp_approval_request",
                    "id": asked.call_id,
                    "name": asked.tool,
                    "arguments": print_text({} if asked.args is None else asked.args),
                    "server_label": "",
                }
            ]
        case ApprovalResponseMessage() as answered:
            item: Item = {
                "type": "mcp_approval_response",
                "approval_request_id": answered.call_id,
                "approve": answered.approved,
            }
            return [item if answered.reason is None else {**item, "reason": answered.reason}]
        case CustomMessage(type=name, payload=dict(payload)) if name.startswith(_WIRES):
            return [dict(payload)] if _is_item(name, payload) else []
        case _:
            return []


def _is_item(name: str, payload: Item) -> bool:
    """Return whether a message with this payload keeps an item, not a part or a whole request."""
    kind = payload.get("type", "message")
    return isinstance(kind, str) and (name.partition(".")[2] == kind or "id" in payload)


def _message(role: str, content: list[JsonValue]) -> Item:
    return {"type": "message", "role": role, "content": content}


def _input(message: InputMessage) -> list[JsonValue]:
    parts: list[JsonValue] = []
    if message.text is not None:
        parts.append({"type": "input_text", "text": message.text})
    return [*parts, *map(_file, message.files or ())]


def _file(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return {"type": "input_text", "text": text}
    mime_type = file.mime_type or "application/octet-stream"
    uri = f"data:{mime_type};base64,{''.join(file.data.split())}"
    if mime_type.startswith("image/"):
        return {"type": "input_image", "detail": "auto", "image_url": uri}
    return {"type": "input_file", "file_data": uri, "filename": file.filename or "file"}


def _call(call: ToolCall) -> Item:
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments_text(call),
    }


def _result(event: Event, index: int, result: ToolResult) -> Item:
    return {
        "type": "function_call_output",
        "call_id": result.call_id or f"call_{event.message_id}_{index}",
        "output": result_text(result),
    }


def said_by(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what an item says, for a comparison."""
    kind = str(item.get("type", "message"))
    match item:
        case {"role": role, "content": content} if kind == "message":
            texts = [part.get("text") for part in objects_of(content)]
            content = texts[0] if len(texts) == len(array_of(content)) == 1 else content
            return ItemContent(str(role), content)
        case {"call_id": call_id, "name": name, "arguments": asked} | {
            "call_id": call_id,
            "name": name,
            "input": asked,
        }:
            return call_content(kind, calls, [(call_id, name, arguments_of(asked))])
        case {"call_id": call_id, "output": output}:
            return result_content(kind, calls, [(call_id, None, output)])
        case {"approval_request_id": call_id, **rest}:
            answer = content_of(rest, {"id", "type", "status"})
            return result_content(kind, calls, [(call_id, None, answer)])
        case _:
            return ItemContent(kind, content_of(item, {"id", "type", "status"}))
