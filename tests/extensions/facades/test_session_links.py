"""What a client deleted from a session is not sent again, in whichever view."""

from typing import Any

from agentlog.projections.context.context import context_at
from tests.extensions.formats.contexts.reading import said
from tests.histories import history

STARTED: dict[str, Any] = {"type": "session.started", "payload": {}}
CLEARED: dict[str, Any] = {"type": "session.cleared", "payload": {}}
WORDS = [{"type": "input", "text": "q1"}, {"type": "reply", "text": "a1"}]


def deleted(item_id: str | None = None) -> dict[str, Any]:
    return {"type": "session.item_deleted", "payload": {"item_id": item_id} if item_id else {}}


def test_the_latest_item_or_all_are_deleted() -> None:
    later = {"type": "input", "text": "q2"}
    assert said(context_at(history(STARTED, *WORDS, deleted(), later))) == ["q1", "q2"]
    assert said(context_at(history(STARTED, *WORDS, CLEARED, later))) == ["q2"]
    context = context_at(history(STARTED, *WORDS, deleted(), deleted(), deleted(), later))
    assert said(context) == ["q2"]
    assert [one.cause for one in context.dropped] == ["deletion", "deletion"]


def test_an_item_is_deleted_by_its_id() -> None:
    events = history(STARTED, *WORDS)
    own_id = f"msg_{events[1].message_id}"
    later = history(STARTED, *WORDS, deleted(own_id), deleted("msg_other"))
    assert said(context_at(later)) == ["a1"]
