"""Rules for residues of Letta items: they never change class, author or recipient."""

from collections.abc import Iterable, Iterator, Mapping

from agentlog.domain.json.text import JsonValue
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


def _facts(item: Item) -> set[JsonValue]:
    """Return the protected facts of an item: its calls, results and approvals."""
    facts: set[JsonValue] = {item["message_type"]}
    match item["message_type"]:
        case "tool_call_message" | "approval_request_message":
            listed = item.get("tool_calls")
            calls = [item["tool_call"], *(listed if isinstance(listed, list) else [listed])]
            facts.update(call["tool_call_id"] for call in calls if _has_id(call))
        case "tool_return_message":
            returns = [item, *(item.get("tool_returns") or ())]
            facts.update((returned["tool_call_id"], returned["status"]) for returned in returns)
        case "approval_response_message":
            facts.update(_words(item.get("approvals") or ()))
            if item.get("approve") is not None:
                facts.add(("approve", item["approve"]))
        case "stop_reason":
            facts.add(EXIT_REASONS.get(item["stop_reason"]))
        case _:
            pass
    return facts


def _has_id(call: JsonValue) -> bool:
    return isinstance(call, dict) and isinstance(call.get("tool_call_id"), str)


def _words(approvals: Iterable[Item]) -> Iterator[tuple[str, bool]]:
    for approval in approvals:
        # a tool return in place of a decision means that the call was approved
        yield approval["tool_call_id"], approval.get("approve", True)
        yield "approve", approval.get("approve", True)
