"""Messages of Anthropic's API for single messages: shapes of anthropic 2.14."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
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
from agentlog.projections.call_texts import arguments_value, error_text, value_text
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.view import Item
from agentlog.projections.views.chat import file_text
from agentlog.projections.views.repair.anthropic_blocks import blocks_of
from agentlog.projections.views.repair.wire import with_record

WIRE = "anthropic"
RESPONSE = "of"
"""The key of a message that may be joined with others of its response: none of the wire's."""
_IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})


def messages_of(event: Event) -> Sequence[Item]:
    """Return the message of an event by itself, with the response that it is of."""
    match event.message:
        case InputMessage(text=text, files=files):
            parts = [] if text is None else [_text(text)]
            return [_message(event, "user", [*parts, *map(_file, files or ())])]
        case ReplyMessage(text=text):
            return [_message(event, "assistant", [_text(text)])]
        case ReasoningMessage(title=title, summary=summary):
            thought = "\n\n".join(filter(None, (title, summary)))
            block: Item = {"type": "thinking", "thinking": thought}
            return [_message(event, "assistant", [block])]
        case ToolCallsMessage(calls=calls):
            return [_message(event, "assistant", list(map(_call, calls)))]
        case ToolResultsMessage(results=results):
            answers = [_result(event, index, result) for index, result in enumerate(results)]
            return [_message(event, "user", answers)]
        case SystemMessage(text=text):
            return [{"role": "system", "content": text, RESPONSE: None}]
        case CustomMessage(type="anthropic.message", payload=dict(payload)):
            return [dict(payload)]
        case _:
            return ()


def _message(event: Event, role: str, blocks: Sequence[Item]) -> Item:
    content: list[JsonValue] = [*blocks]
    return {"role": role, "content": content, RESPONSE: event.response_id}


def _text(text: str) -> Item:
    return {"type": "text", "text": text}


def _file(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return _text(text)
    kind = file.mime_type or "application/octet-stream"
    data = "".join(file.data.split())
    source: Item = {"type": "base64", "media_type": kind, "data": data}
    return {"type": "image" if kind in _IMAGES else "document", "source": source}


def _call(call: ToolCall) -> Item:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_value(call)}


def _result(event: Event, index: int, result: ToolResult) -> Item:
    block: Item = {
        "type": "tool_result",
        "tool_use_id": result.call_id or f"toolu_{event.message_id}_{index}",
        "content": value_text(result.output),
    }
    if result.error is not None:
        block |= {"content": error_text(result.error), "is_error": True}
    return with_record(block, result.call_id, result.name)


def said_by(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what a message says, for a comparison."""
    role, blocks = str(item.get("role")), blocks_of(item)
    asked = [block for block in blocks if block.get("type") == "tool_use"]
    answered = [block for block in blocks if block.get("type") == "tool_result"]
    others = [block for block in blocks if block not in asked and block not in answered]
    texts: list[JsonValue] = [_said(block) for block in others]
    text: JsonValue = texts[0] if len(texts) == 1 else texts
    if asked:
        parts = [(call.get("id"), call.get("name"), call.get("input")) for call in asked]
        content = call_content(role, calls, parts)
    elif answered:
        results = [(block.get("tool_use_id"), None, _said(block)) for block in answered]
        content = result_content(role, calls, results)
    else:
        return ItemContent(role, text)
    return content._replace(content={"said": text, "calls": content.content}) if texts else content


def _said(block: Item) -> JsonValue:
    match block:
        case {"type": "text", "text": text}:
            return text
        case _:
            return content_of(block, {"tool_use_id", "signature"})
