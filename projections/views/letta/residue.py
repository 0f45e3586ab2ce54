"""Rules for residues of Letta items: they never change class, author or recipient."""

from collections.abc import Iterable, Iterator, Mapping

from agentlog.domain.json.values import JsonValue, object_of, objects_of
from agentlog.projections.view import Item
from agentlog.projections.views.letta.shapes import fits

STOP_REASONS: Mapping[str, str] = {
    "complete": "end_turn",
    "step_limit": "max_steps",
    "user_request": "cancelled",
    "error": "error",
}
"""A kernel's reason to exit → Letta's reason to stop."""

EXIT_REASONS: Mapping[str, str] = {
    "end_turn": "complete",
    "tool_rule": "complete",
    "no_tool_call": "complete",
    "max_steps": "step_limit",
    "cancelled": "user_request",
    "error": "error",
    "llm_api_error": "error",
    "invalid_llm_response": "error",
    "invalid_tool_call": "error",
    "max_tokens_exceeded": "error",
    "insufficient_credits": "error",
    "context_window_overflow_in_system_prompt": "error",
}
"""Letta's reason to stop → a kernel's reason to exit; `requires_approval` is no exit."""

AWAITS_PERSON = "requires_approval"


def permitted(item: Item, key: str, value: JsonValue) -> bool:
    """Permit changes within an item's class, but not of the ids and results it refers to."""
    changed = {**item, key: value}
    return fits(changed) and _facts(changed) <= _facts(item)


def _facts(item: Item) -> set[object]:
    """Return the protected facts of an item: its calls, results and approvals."""
    facts: set[object] = {item["message_type"]}
    match item["message_type"]:
        case "tool_call_message" | "approval_request_message":
            listed = item.get("tool_calls")
            calls = [item["tool_call"], *(listed if isinstance(listed, list) else [listed])]
            ids = (object_of(call).get("tool_call_id") for call in calls)
            facts.update(call_id for call_id in ids if isinstance(call_id, str))
        case "tool_return_message":
            returns = [item, *objects_of(item.get("tool_returns"))]
            facts.update((returned["tool_call_id"], returned["status"]) for returned in returns)
        case "approval_response_message":
            facts.update(_decisions(objects_of(item.get("approvals"))))
            if item.get("approve") is not None:
                facts.add(("approve", item["approve"]))
        case "stop_reason":
            facts.add(EXIT_REASONS.get(str(item["stop_reason"])))
        case _:
            pass
    return facts


def _decisions(approvals: Iterable[Item]) -> Iterator[tuple[object, object]]:
    for approval in approvals:
        # a tool return in place of a decision means that the call was approved
        yield approval["tool_call_id"], approval.get("approve", True)
        yield "approve", approval.get("approve", True)
