"""Retention erases what its rules cover when it erases, and nothing else."""

from datetime import timedelta
from itertools import count

import pytest

from agentlog.domain.json.text import print_text
from agentlog.domain.retention import Rules
from agentlog.infrastructure.definitions.definitions import Definitions, UnknownDefinition
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.erasure.retention import Due, Kept, Retention, rules_set_in
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, make_older, reply

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


def rules(reason: str = "over", **conditions: str) -> Rules:
    return Rules.model_validate({"rules": [{"older_than": "30d", "reason": reason, **conditions}]})


def old(threads: Threads, database: Database, *thread_ids: str) -> None:
    """Say something in threads, a hundred days ago."""
    for thread_id in thread_ids:
        threads.append(thread_id, [reply(SECRET)])
        with database.connection() as connection:
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
