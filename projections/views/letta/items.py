"""Converts single messages to items of the Letta wire."""

from collections.abc import Iterator, Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, objects_of
from agentlog.domain.messages import (
    ExitMessage,
    FileAttachment,
    InputMessage,
    KernelMessage,
    LlmResponseMessage,
    ReasoningMessage,
    RuntimeErrorMessage,
    TokenUsage,
    ToolResult,
    ToolResultsMessage,
)
from agentlog.projections.call_texts import iso_time, result_text
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    arguments_of,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.residue import apply_residue, residue_of
from agentlog.projections.token_words import LETTA
from agentlog.projections.view import Item
from agentlog.projections.views import chat
from agentlog.projections.views.letta.residue import STOP_REASONS, permitted

WIRE = "letta"
KEPT = 256
"""Parts of one item, and requests for approval, that a carry keeps at most."""


def head_of(event: Event, message: KernelMessage) -> Item:
    """Return the fields that all items of a message share."""
    head: Item = {"id": f"message-{event.message_id}", "date": iso_time(message.timestamp)}
    if event.metadata and event.response_id is not None:
        head["step_id"] = event.response_id
    return head


def built(head: Item, ordinal: int, kind: str, fields: Item, residue: JsonValue) -> Item:
    """Return the item `ordinal` of a message, with its residue applied."""
    item: Item = {**head, "message_type": kind, "otid": f"{head['id']}-{ordinal}", **fields}
    return item if residue is None else apply_residue(item, residue, permitted)


def item_of(event: Event, message: KernelMessage, kind: str, fields: Item) -> Item:
    """Return the one item of a message."""
    if not event.metadata:  # most messages: builds one dict, not two
        item_id = f"message-{event.message_id}"
        return {
            "id": item_id,
            "date": iso_time(message.timestamp),
            "message_type": kind,
            "otid": f"{item_id}-0",
            **fields,
        }
    return built(head_of(event, message), 0, kind, fields, residue_of(event, WIRE, 0))


def item_residues(event: Event, number: int) -> tuple[JsonValue, ...]:
    """Return an event's residues for its first items; each may be None."""
    if not event.metadata:  # most events have none
        return (None,) * number
    return tuple([residue_of(event, WIRE, ordinal) for ordinal in range(number)])


def group_size(residue: JsonValue) -> int:
    """Return how many parts share one item, from the residue of the first."""
    match residue:
        case None:
            return 1
        case {"group": int(size)} if size > 1:
            return min(size, KEPT)
        case _:
            return 1


def item_calls(calls: Sequence[Item]) -> Item:
    """Return the fields of an item with these calls; older clients read only the first."""
    return {"tool_call": calls[0], "tool_calls": list(calls)}


def thought(message: ReasoningMessage) -> str:
    """Return the agent's reasoning, under its title where it has one."""
    return "\n".join(text for text in (message.title, message.summary) if text)


def user_content(message: InputMessage) -> JsonValue:
    """Return the text of an input, or its parts where it has files."""
    if not message.files:
        return message.text or ""
    parts: list[JsonValue] = []
    if message.text is not None:
        parts.append({"type": "text", "text": message.text})
    return [*parts, *map(_file_part, message.files)]


def file_note(file: FileAttachment) -> str:
    """Return the text of a text file; else its name and type: the wire has no files."""
    text = chat.file_text(file)
    if text is not None:
        return text
    return f"[{file.filename or 'file'}: {file.mime_type or 'application/octet-stream'}]"


def result_id(event: Event, index: int, result: ToolResult) -> str:
    """Return the call id of a result, or an id derived for it."""
    return result.call_id or f"call_{event.message_id}_{index}"


def result_status(result: ToolResult) -> str:
    """Return the status of a result, in Letta's terms."""
    return "success" if result.error is None else "error"


def return_items(event: Event, message: ToolResultsMessage) -> Sequence[Item]:
    """Return one item per result, or one for all where they were imported so."""
    returns: list[Item] = [
        {
            "type": "tool",
            "tool_call_id": result_id(event, index, result),
            "status": result_status(result),
            "tool_return": result_text(result),
        }
        for index, result in enumerate(message.results)
    ]
    head = head_of(event, message)
    residues = item_residues(event, len(returns))
    groups = [returns] if group_size(residues[0]) > 1 else [[item] for item in returns]
    return [
        built(head, n, "tool_return_message", _return_fields(group), residues[n])
        for n, group in enumerate(groups)
    ]


def stream_items(event: Event) -> Iterator[Item]:
    """Yield the items that only a stream has; they have no id and no date."""
    match event.message:
        case LlmResponseMessage(usage=TokenUsage() as usage):
            item = _usage_item(usage)
        case ExitMessage(reason=reason):
            item = {"message_type": "stop_reason", "stop_reason": STOP_REASONS[reason]}
        case RuntimeErrorMessage(error=error):
            item = {
                "message_type": "error_message",
                "run_id": f"run-{event.message_id}",
                "error_type": "runtime_error",
                "message": error,
            }
        case _:
            return
    yield apply_residue(item, residue_of(event, WIRE, 0), permitted)


def _return_fields(returns: list[Item]) -> Item:
    first = returns[0]
    return {
        "tool_call_id": first["tool_call_id"],
        "status": first["status"],
        "tool_return": first["tool_return"],
        "tool_returns": [*returns],
    }


def _usage_item(usage: TokenUsage) -> Item:
    return {
        "message_type": "usage_statistics",
        "prompt_tokens": None,
        "completion_tokens": None,
        "total_tokens": None,
        "step_count": None,
        "cached_input_tokens": None,
        "reasoning_tokens": None,
        **LETTA.counts(usage),
    }


def _file_part(file: FileAttachment) -> Item:
    if file.mime_type is None or not file.mime_type.startswith("image/"):
        return {"type": "text", "text": file_note(file)}
    data = "".join(file.data.split())
    source: Item = {"type": "base64", "media_type": file.mime_type, "data": data}
    return {"type": "image", "source": source}


_UNSAID = frozenset(
    {"message_type", "id", "date", "otid", "step_id", "run_id", "seq_id", "sender_id"}
    | {"tool_call_id", "approval_request_id"}
)


def item_content(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what an item says; its calls and results are those of its lists."""
    kind = str(item["message_type"])
    if kind == "usage_statistics":
        return ItemContent(kind, {})
    tool_calls = objects_of(item.get("tool_calls")) or objects_of([item.get("tool_call")])
    if tool_calls:
        parts = [
            (call.get("tool_call_id"), call.get("name"), arguments_of(call.get("arguments")))
            for call in tool_calls
        ]
        return call_content(kind, calls, parts)
    answered = objects_of(item.get("tool_returns")) or objects_of(item.get("approvals"))
    if answered:
        results = [
            (answer.get("tool_call_id"), None, content_of(answer, {"type", "tool_call_id"}))
            for answer in answered
        ]
        return result_content(kind, calls, results)
    return ItemContent(kind, content_of(item, _UNSAID))
