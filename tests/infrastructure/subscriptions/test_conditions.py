"""Subscriptions to conditions: an approval that waits, a run that failed, an audit that broke."""

from typing import Any

import pytest

from agentlog.domain.integrity.chain_audit import Finding
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.subscriptions.conditions import note_audit
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscription import Delivery, InvalidSubscription
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.subscriptions.terms import terms_of
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, reply


@pytest.fixture
def subscriptions(database: Database) -> Subscriptions:
    """The tenant's subscriptions."""
    return Subscriptions(database, tenant=TENANT)


@pytest.fixture
def queue(database: Database, subscriptions: Subscriptions) -> Queue:
    """What they have to deliver."""
    return Queue(database, subscriptions, LogReader(database, tenant=TENANT), tenant=TENANT)


def _make(subscriptions: Subscriptions, *types: str, more: str = "", **fields: Any) -> None:
    text = f"({' or '.join(f'type:{name}' for name in types)}) {more}"
    subscriptions.create(terms_of({"name": "s", "from": "start", "filter": text, **fields}))


def _pull(queue: Queue) -> list[Delivery]:
    lease = queue.pull("s", limit=100, seconds=60)
    return [] if lease is None else lease.deliveries


def _named(queue: Queue) -> list[tuple[str, str | None, int]]:
    return [(item.type, item.thread_id, item.position) for item in _pull(queue)]


def _asks(call_id: str) -> dict[str, Any]:
    return {"type": "approval_request", "callId": call_id, "tool": "pay"}


def _answers(call_id: str) -> dict[str, Any]:
    return {"type": "approval_response", "callId": call_id, "approved": True}


def _exit(reason: str) -> dict[str, Any]:
    return {"type": "exit", "reason": reason}


def test_an_approval_that_nobody_answered_waits(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions, "approval_waiting")
    threads.append("t", [reply("one"), _asks("a"), _asks("b"), _answers("a")])
    threads.append("u", [_asks("a")])
    assert _named(queue) == [("approval_waiting", "t", 3), ("approval_waiting", "u", 5)]


def test_a_run_that_exits_by_an_error_failed(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions, "run_failed", more="thread:job-*")
    for number, reason in enumerate(("complete", "error", "step_limit", "user_request")):
        threads.append(f"job-{number}", [_exit(reason)])
    threads.append("other", [_exit("error")])
    assert _named(queue) == [("run_failed", "job-1", 2)]


def test_an_event_comes_once_by_the_condition_that_it_meets_or_else_by_its_type(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions, "exit", "run_failed", "approval_waiting", "reply")
    threads.append("t", [_asks("a"), _answers("a"), reply("one"), _exit("complete")])
    threads.append("u", [_exit("error")])
    assert _named(queue) == [("reply", "t", 3), ("exit", "t", 4), ("run_failed", "u", 5)]


def test_an_audit_that_found_a_change_is_told_until_it_is_acknowledged(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, database: Database
) -> None:
    _make(subscriptions, "audit_broken")
    threads.append("t", [reply("one")])
    erased = Finding("content-redacted", "as was asked for", "t", 1)
    altered = [Finding("body-altered", f"it is not {number}", "t", number) for number in range(20)]
    note_audit(database, [erased], tenant=TENANT)
    note_audit(database, altered, tenant="another")
    assert _pull(queue) == []
    note_audit(database, [erased, *altered], tenant=TENANT)
    note_audit(database, altered, tenant=TENANT)
    (told,) = _pull(queue)
    assert (told.type, told.thread_id, told.position, told.event) == ("audit_broken", None, 1, None)
    assert told.notice is not None
    assert told.notice["count"] == 20
    assert isinstance(told.notice["findings"], list)
    assert len(told.notice["findings"]) == 10
    assert told.notice["findings"][0] == {
        "what": "body-altered",
        "detail": "it is not 0",
        "threadId": "t",
        "version": 0,
    }


def test_all_types_are_no_conditions(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, database: Database
) -> None:
    subscriptions.create(terms_of({"name": "s", "from": "start"}))
    threads.append("t", [_exit("error")])
    note_audit(database, [Finding("body-altered", "it is not", "t", 1)], tenant=TENANT)
    assert _named(queue) == [("exit", "t", 1)]


@pytest.mark.parametrize("more", ["thread:t*", "metadata.team:red"])
def test_an_audit_is_of_no_thread(more: str) -> None:
    with pytest.raises(InvalidSubscription, match="whole log"):
        terms_of({"name": "s", "filter": f"type:audit_broken {more}"})
