"""Approvals: requests matched with what people said, and how long they took."""

from typing import Any

from agentlog.projections.readmodels.approvals import ApprovalRow, Approvals
from tests.histories import history
from tests.projections.readmodels.folding import rows_of

NOON = 1_767_268_800_000


def ask(call_id: str = "a", at: int = 0, **fields: Any) -> dict[str, Any]:
    kind = {"type": "approval_request", "tool": "refund", "timestamp": NOON + at}
    return {**kind, "callId": call_id, **fields}


def say(call_id: str = "a", at: int = 0, *, approved: bool = True, **fields: Any) -> dict[str, Any]:
    kind = {"type": "approval_response", "approved": approved, "timestamp": NOON + at}
    return {**kind, "callId": call_id, **fields}


def approvals(*drafts: dict[str, Any]) -> list[ApprovalRow]:
    return rows_of(Approvals(), history(*drafts))


def test_an_approval_has_what_was_asked_and_what_was_said_and_by_whom() -> None:
    (row,) = approvals(
        ask(reason="money moves"), say(at=95_000, reason="go on", metadata={"actor": "sam"})
    )
    assert (row.call_id, row.tool, row.reason) == ("a", "refund", "money moves")
    assert (row.outcome, row.answer_reason, row.answered_by) == ("granted", "go on", "sam")
    assert (row.waiting_ms, row.is_open) == (95_000.0, False)
    assert (row.version, row.answered_version) == (1, 2)


def test_what_waits_is_open_and_what_was_refused_is_denied() -> None:
    waiting, denied = approvals(ask("a"), ask("b"), say("b", approved=False))
    assert (waiting.is_open, waiting.outcome, waiting.waiting_ms) == (True, None, None)
    assert (denied.is_open, denied.outcome) == (False, "denied")


def test_an_answer_is_to_the_first_open_request_for_the_call() -> None:
    first, second = approvals(ask(), ask(at=5), say(at=7))
    assert (first.outcome, first.waiting_ms) == ("granted", 7.0)
    assert second.is_open
    first, again = approvals(ask(), say(), ask(), say(approved=False))
    assert (first.outcome, again.outcome) == ("granted", "denied")


def test_an_answer_that_nobody_asked_for_is_a_row_of_its_own() -> None:
    asked, unasked = approvals(ask("a"), say("b", approved=False))
    assert asked.is_open
    assert (unasked.call_id, unasked.tool, unasked.outcome) == ("b", None, "denied")
    assert (unasked.asked_at, unasked.waiting_ms) == (None, None)
    assert unasked.version == unasked.answered_version == 2
