"""Interrupts that ask a person to allow calls, as approvals of the thread.

They are those of LangChain's agents: an interrupt with `action_requests`, or with items that have
an `action_request`, and the answers to both. Other interrupts are values like any other.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from agentlog_client.adapters.langchain.messages import Draft
from agentlog_client.adapters.langchain.plain import readable, unicode
from agentlog_client.identifiers import derived_id
from agentlog_client.operation import Json

_GRANTS = frozenset({"approve", "accept", "edit"})
_DENIES = frozenset({"reject", "ignore", "respond", "response"})


def approval_requests(interrupts: Any, calls: Sequence[Json]) -> list[Draft]:  # noqa: ANN401 - as below
    """Return the requests in what a task wrote of its interrupts; `calls` may be meant by them."""
    left = list(calls)
    drafts: list[Draft] = []
    for interrupt in interrupts if isinstance(interrupts, list | tuple) else ():
        asked_in = getattr(interrupt, "id", "")
        for n, (tool, args, reason) in enumerate(_requests(getattr(interrupt, "value", None))):
            call = next((c for c in left if (c["name"], c.get("args")) == (tool, args)), None)
            if call is not None:
                left.remove(call)
            drafts.append(
                {
                    "id": derived_id("approval", asked_in, n),
                    "type": "approval_request",
                    "callId": call["id"] if call else f"{asked_in}.{n}",
                    "tool": tool,
                    "args": args,
                    **({"reason": reason} if reason else {}),
                }
            )
    return drafts


def approval_responses(answer: Any, waiting: Sequence[str]) -> list[Draft]:  # noqa: ANN401 - as below
    """Return the responses in what a graph was resumed with, to the calls that wait, in order."""
    decisions = answer.get("decisions") if isinstance(answer, dict) else answer
    drafts: list[Draft] = []
    for call_id, decision in zip(
        waiting, decisions if isinstance(decisions, list) else (), strict=False
    ):
        match decision:
            case {"type": str(kind)} if kind in _GRANTS | _DENIES:
                reason = decision.get("message") or decision.get("args")
                drafts.append(
                    {
                        "id": derived_id("approved", call_id),
                        "type": "approval_response",
                        "callId": call_id,
                        "approved": kind in _GRANTS,
                        **({"reason": unicode(reason)} if isinstance(reason, str) else {}),
                    }
                )
            case _:
                return []
    return drafts


def _requests(value: Any) -> Iterator[tuple[str, Json, str | None]]:  # noqa: ANN401 - a user's
    """Yield tool, arguments and description of what an interrupt asks for."""
    items = value.get("action_requests") if isinstance(value, dict) else value
    for item in items if isinstance(items, list) else ():
        match item:
            case {"name": str(name), "args": args} | {
                "action_request": {"action": str(name), "args": args}
            }:
                reason = item.get("description")
                yield unicode(name), readable(args), unicode(reason) if reason else None
            case _:
                pass
