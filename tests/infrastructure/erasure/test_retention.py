"""Retention erases what its rules cover when it erases, and nothing else."""

from datetime import timedelta
from hashlib import sha256
from itertools import count

import pytest

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject
from agentlog.domain.retention import Rules
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.definitions.definitions import Definitions, UnknownDefinition
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.erasure.retention import Due, Kept, Retention, rules_set_in
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, make_older, reply, request

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


def rules(reason: str = "over", **conditions: str) -> Rules:
    return Rules.model_validate({"rules": [{"older_than": "30d", "reason": reason, **conditions}]})


def old(threads: Threads, database: Database, *thread_ids: str) -> None:
    """Say something in threads, a hundred days ago."""
    for thread_id in thread_ids:
        threads.append(thread_id, [reply(SECRET)])
    aged(database, *thread_ids)


def aged(database: Database, *thread_ids: str) -> None:
    with database.connection() as connection:
        for thread_id in thread_ids:
            make_older(connection, TENANT, thread_id, timedelta(days=100))


def holds(threads: Threads, thread_id: str) -> bool:
    """Return whether the thread still says it."""
    return any(SECRET.encode() in event.body for event in threads.messages(thread_id))


def test_what_is_said_after_another_was_erased_is_not(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    old(threads, database, "b", "a")
    expired = Retention(database, redactor, rules, tenant=TENANT).expired(apply=True)
    assert next(expired).thread_id == "a"
    threads.append("b", [reply("still here")])
    assert list(expired) == []
    assert holds(threads, "b")
    assert not holds(threads, "a")


def test_a_thread_that_grows_while_it_is_judged_is_kept_and_named(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    old(threads, database, "t")
    reads = count(1)

    def rules_read() -> Rules:
        if next(reads) == 2:  # first for the list, then for the thread
            threads.append("t", [reply("still here")])
        return rules()

    retention = Retention(database, redactor, rules_read, tenant=TENANT)
    assert list(retention.expired(apply=True)) == [Kept("t", "it has grown meanwhile")]
    assert holds(threads, "t")
    assert threads.head("t").version == 2


def test_a_rule_goes_as_it_is_when_a_thread_is_erased(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    old(threads, database, "c", "b", "a")
    definitions = Definitions(database, tenant=TENANT)
    definitions.set("rule", "retention", print_text(rules().model_dump()))
    retention = Retention(database, redactor, lambda: rules_set_in(definitions), tenant=TENANT)
    expired = retention.expired(apply=True)
    first = next(expired)
    definitions.set("rule", "retention", print_text(rules("changed").model_dump()))
    second = next(expired)
    assert isinstance(first, Due)
    assert isinstance(second, Due)
    assert first.reason.startswith("over (rule retention, change ")
    assert second.reason.startswith("changed (rule retention, change ")
    assert second.reason != first.reason
    definitions.remove("rule", "retention")
    with pytest.raises(UnknownDefinition):
        next(expired)
    assert [holds(threads, thread_id) for thread_id in "abc"] == [False, False, True]


def redactions(threads: Threads, thread_id: str) -> int:
    return len(threads.messages(thread_id, types=["thread.redacted"]))


@pytest.mark.parametrize("apply", [False, True])
def test_a_thread_with_a_fork_in_use_is_kept_whole_and_so_is_the_fork(
    threads: Threads, database: Database, redactor: Redactor, forker: Forker, *, apply: bool
) -> None:
    old(threads, database, "t")
    forker.fork("t", as_thread="f")
    forker.fork("f", as_thread="g")
    aged(database, "f")
    retention = Retention(database, redactor, rules, tenant=TENANT)
    why = "g, its fork or of its run, is not due"
    kept = {thread for thread in retention.expired(apply=apply) if isinstance(thread, Kept)}
    assert kept == {Kept("f", why), Kept("t", why)}
    assert all(holds(threads, thread_id) for thread_id in "tfg")


def test_a_thread_goes_with_its_forks_when_all_are_due_each_once(
    threads: Threads, database: Database, redactor: Redactor, forker: Forker
) -> None:
    old(threads, database, "t")
    forker.fork("t", as_thread="f")
    forker.fork("f", as_thread="g")
    aged(database, "f", "g")
    retention = Retention(database, redactor, rules, tenant=TENANT)
    listed = set(retention.expired(apply=False))
    assert set(retention.expired(apply=True)) == listed
    assert {thread.thread_id for thread in listed} == {"t", "f", "g"}
    assert not any(holds(threads, thread_id) for thread_id in "tfg")
    assert [redactions(threads, thread_id) for thread_id in "tfg"] == [1, 1, 1]
    assert list(retention.expired(apply=True)) == []


def test_a_fork_that_goes_on_after_its_origin_was_erased_keeps_its_beginning(
    threads: Threads, database: Database, redactor: Redactor, forker: Forker
) -> None:
    old(threads, database, "t")
    forker.fork("t", as_thread="f")
    aged(database, "f")
    old(threads, database, "t")  # changed last, so its turn comes first
    expired = Retention(database, redactor, rules, tenant=TENANT).expired(apply=True)
    assert next(expired).thread_id == "t"
    threads.append("f", [reply("still here")])
    assert list(expired) == []
    assert not holds(threads, "t")
    assert holds(threads, "f")
    redactor.redact("t", None, "a person asked")  # that reaches the fork still
    assert not holds(threads, "f")


def test_of_a_recorded_run_threads_go_when_all_are_due(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    threads.start("main", {})
    threads.start("sub", {"parent": "main"})
    exchange = {"type": "agentlog.exchange", "payload": {"request": SECRET}}
    for thread_id in ("main", "sub"):
        threads.append(thread_id, [exchange])
    old(threads, database, "sub")
    retention = Retention(database, redactor, rules, tenant=TENANT)
    kept = Kept("sub", "main, its fork or of its run, is not due")
    assert list(retention.expired(apply=True)) == [kept]
    assert holds(threads, "sub")
    assert holds(threads, "main")
    aged(database, "main")
    assert {thread.thread_id for thread in retention.expired(apply=True)} == {"main", "sub"}
    assert [redactions(threads, thread_id) for thread_id in ("main", "sub")] == [1, 1]
    assert not holds(threads, "main")


def test_what_is_listed_counts_messages_that_lost_only_a_file(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    file = {"data": "QUJD" * 400, "mimeType": "image/png"}
    threads.append("t", [{"type": "input", "text": SECRET, "files": [file]}])
    redactor.redact_file(sha256(b"ABC" * 400).hexdigest(), "a face")
    aged(database, "t")
    retention = Retention(database, redactor, rules, tenant=TENANT)
    (listed,) = retention.expired(apply=False)
    assert isinstance(listed, Due)
    assert listed.events == 1
    assert list(retention.expired(apply=True)) == [listed]


@pytest.mark.parametrize(
    "remark",
    [{"type": "thread.noted", "text": "look here"}, {"type": "thread.judged", "verdict": "fail"}],
)
def test_an_old_thread_that_someone_remarks_on_is_as_young_as_the_remark(
    threads: Threads, database: Database, redactor: Redactor, remark: JsonObject
) -> None:
    old(threads, database, "t")
    threads.remark("t", remark)
    retention = Retention(database, redactor, rules, tenant=TENANT)
    assert list(retention.expired(apply=True)) == []
    assert holds(threads, "t")
    aged(database, "t")
    (gone,) = retention.expired(apply=True)
    assert isinstance(gone, Due)
    assert gone.events == 2


def spoiled(database: Database, thread_id: str, version: int) -> None:
    """Make an event of a thread unreadable, as a broken disk may."""
    guard = "ALTER TABLE agentlog.events {} TRIGGER events_only_redacted"
    with database.connection() as connection:
        connection.execute(guard.format("DISABLE").encode())
        connection.execute(
            "UPDATE agentlog.events SET body = 'nonsense', metadata = 'nonsense' "
            "WHERE tenant = %s AND thread_id = %s AND version = %s",
            (TENANT, thread_id, version),
        )
        connection.execute(guard.format("ENABLE").encode())


def test_where_a_thread_fails_the_others_go(
    threads: Threads, database: Database, redactor: Redactor
) -> None:
    old(threads, database, "c", "b", "a")
    spoiled(database, "b", 1)
    retention = Retention(database, redactor, rules, tenant=TENANT)
    gone, failed, last = retention.expired(apply=True)
    assert (gone.thread_id, last.thread_id) == ("a", "c")
    assert isinstance(failed, Kept)
    assert (failed.thread_id, failed.failed) == ("b", True)
    assert [holds(threads, thread_id) for thread_id in "ac"] == [False, False]
    assert redactions(threads, "b") == 0


def test_what_was_interrupted_is_completed_or_named(
    threads: Threads, database: Database, redactor: Redactor, writer: Writer
) -> None:
    fact = {"type": "thread.redacted", "all": True, "reason": "over", "left": ["0" * 64]}
    for thread_id in "ab":
        threads.append(thread_id, [reply(SECRET)])
        writer.append(request(thread_id, facts=[fact]))
    spoiled(database, "a", 2)
    (failed,) = Retention(database, redactor, rules, tenant=TENANT).expired(apply=True)
    assert isinstance(failed, Kept)
    assert (failed.thread_id, failed.failed) == ("a", True)
    assert not holds(threads, "b")
