"""Contents of Gemini's API for single messages: shapes of google-genai 3.6, in camel case."""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
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
from agentlog.projections.call_texts import arguments_value, error_text
from agentlog.projections.item_content import CallPlaces, ItemContent, call_content, result_content
from agentlog.projections.view import Item
from agentlog.projections.views.chat import file_text
from agentlog.projections.views.repair.wire import with_record


def contents_of(event: Event) -> Sequence[Item]:
    """Return the content of an event by itself; a prompt has the role `system`."""
    match event.message:
        case InputMessage(text=text, files=files):
            parts = [] if text is None else [_text(text)]
            return (_content("user", [*parts, *map(_file, files or ())]),)
        case ReplyMessage(text=text):
            return (_content("model", [_text(text)]),)
        case ReasoningMessage(title=title, summary=summary):
            thought = "\n\n".join(filter(None, (title, summary)))
            return (_content("model", [{**_text(thought), "thought": True}]),)
        case ToolCallsMessage(calls=calls):
            return (_content("model", [*map(_call, calls)]),)
        case ToolResultsMessage(results=results):
            return (_content("user", [*map(_result, results)]),)
        case SystemMessage(text=text):
            return (_content("system", [_text(text)]),)
        case _:
            return ()


def _content(role: str, parts: Sequence[Item]) -> Item:
    return {"role": role, "parts": [*parts]}


def _text(text: str) -> Item:
    return {"text": text}


def _file(file: FileAttachment) -> Item:
    text = file_text(file)
    if text is not None:
        return _text(text)
    mime_type = file.mime_type or "application/octet-stream"
    return {"inlineData": {"mimeType": mime_type, "data": "".join(file.data.split())}}


def _call(call: ToolCall) -> Item:
    return {"functionCall": {"id": call.id, "name": call.name, "args": arguments_value(call)}}


def _result(result: ToolResult) -> Item:
    response: JsonValue = result.output if isinstance(result.output, dict) else None
    if result.error is not None:
        response = {"error": error_text(result.error)}
    function: Item = {} if result.call_id is None else {"id": result.call_id}
    name = "unknown" if result.name is None else result.name
    function |= {
        "name": name,
        "response": {"output": result.output} if response is None else response,
    }
    return with_record({"functionResponse": function}, result.call_id, result.name)


def said_by(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what a content says, for a comparison."""
    role = str(item.get("role"))
    asked: list[tuple[JsonValue, JsonValue, JsonValue]] = []
    answered: list[tuple[JsonValue, JsonValue, JsonValue]] = []
    others: list[JsonValue] = []
    parts = item.get("parts")
    for part in parts if isinstance(parts, list) else ():
        match part:
            case {"functionCall": {"id": call_id, "name": name, "args": arguments}}:
                asked.append((call_id, name, arguments))
            case {"functionResponse": dict() as result}:
                answered.append((result.get("id"), result.get("name"), result.get("response")))
            case {"text": text, **rest} if not rest:
                others.append(text)
            case _:
                others.append(part)
    text = others[0] if len(others) == 1 else others
    if asked:
        content = call_content(role, calls, asked)
    elif answered:
        content = result_content(role, calls, answered)
    else:
        return ItemContent(role, text)
    return (
        content._replace(content={"others": text, "calls": content.content}) if others else content
    )
