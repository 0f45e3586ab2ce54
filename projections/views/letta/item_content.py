"""What items of the Letta wire say, for comparisons."""

from agentlog.domain.json.values import objects_of
from agentlog.projections.item_content import (
    CallPlaces,
    ItemContent,
    arguments_of,
    call_content,
    content_of,
    result_content,
)
from agentlog.projections.view import Item

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
