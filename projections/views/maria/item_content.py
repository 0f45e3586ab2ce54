"""What Maria's events say, for comparisons."""

from agentlog.domain.json.values import object_at
from agentlog.projections.item_content import CallPlaces, ItemContent, content_of, result_content
from agentlog.projections.view import Item
from agentlog.projections.views.chat import turn_content

_UNSAID = frozenset({"msg", "id", "created", "usage"})


def item_content(item: Item, calls: CallPlaces) -> ItemContent:
    """Return what an event says, in either dialect."""
    desc = object_at(item, "desc") or item
    kind = str(desc.get("msg"))
    call = desc.get("tool_call")
    if isinstance(call, dict):  # before a call runs, or after
        content = content_of(desc, _UNSAID | {"tool_call", "name"})
        return result_content(kind, calls, [(call.get("id"), desc.get("name"), content)])
    turn, message = desc, desc.get("message")
    if isinstance(message, dict) and desc.keys() <= _UNSAID | {"message"}:
        turn = message
    if "tool_call_id" in turn:
        content = content_of(turn, {"role", "tool_call_id"})
        return result_content(kind, calls, [(turn["tool_call_id"], None, content)])
    role = f" {turn['role']}" if "role" in turn else ""
    return turn_content(f"{kind}{role}", turn, calls, _UNSAID | {"role"})
