"""The thread's own facts: started, annotated and closed, and what its head says of them."""

import pytest

from agentlog.domain.errors import (
    InvalidMessage,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    UnknownThread,
)
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import (
    Clock,
    check_log,
    last_position,
    record,
    reply,
    request,
    started,
)

FACTS = {
    "goal": "Find the parcel",
    "parent": "boss",
    "limits": {"maxSteps": 7},
    "policy": "record",
    "metadata": {"team": "support", "big": 2**70},
}


def test_a_started_thread_has_its_facts_in_its_head(threads: Threads) -> None:
    appended = threads.start("t", FACTS)
    assert (appended.version, appended.position) == (1, 1)
    head = threads.head("t")
    assert (head.version, head.policy, head.status) == (1, "record", "open")
    assert (head.goal, head.parent) == ("Find the parcel", "boss")
    assert head.read_facts() == {key: FACTS[key] for key in FACTS if key != "policy"}
    (event,) = threads.messages("t")
    assert event.type == "thread.started"
    assert head.started_at == head.updated_at == event.recorded_at


def test_starting_twice_the_same_way_is_answered_as_the_first_time(
    threads: Threads, clock: Clock, database: Database
) -> None:
    threads.start("t", FACTS)
    threads.append("t", [reply("hello")])
    clock.now += 5000
    again = threads.start("t", dict(reversed(FACTS.items())))
    assert [(receipt.version, receipt.replayed) for receipt in again.messages] == [(1, True)]
    assert last_position(database) == 2


@pytest.mark.parametrize("other", [{}, {**FACTS, "goal": "Another"}, {**FACTS, "metadata": {}}])
def test_starting_with_other_facts_is_refused(
    threads: Threads, database: Database, other: dict[str, object]
) -> None:
    threads.start("t", FACTS)
    with pytest.raises(ThreadExists, match="'t' exists already"):
        threads.start("t", other)
    assert last_position(database) == 1
    assert threads.head("t").goal == "Find the parcel"


def test_a_thread_that_began_with_an_append_cannot_be_started_any_more(threads: Threads) -> None:
    threads.append("t", [reply("hello")])
    with pytest.raises(ThreadExists):
        threads.start("t", {"goal": "late"})
    assert threads.head("t").goal is None


def test_a_thread_may_start_with_facts_and_messages_in_one_append(
    threads: Threads, database: Database
) -> None:
    (appended,) = threads.append_many(
        [threads.request("t", [reply("hi")], facts=[started(goal="g")])]
    )
    assert [event.type for event in threads.messages("t")] == ["thread.started", "reply"]
    assert not isinstance(appended, Exception)
    assert appended.version == 2
    check_log(database)


def test_a_closed_thread_takes_no_message_but_may_be_annotated(
    threads: Threads, database: Database
) -> None:
    threads.append("t", [reply("hello")])
    assert threads.close("t", "resolved").version == 2
    assert threads.head("t").status == "closed"
    with pytest.raises(RuleBroken, match="the thread is closed"):
        threads.append("t", [reply("more")])
    assert threads.annotate("t", {"seen": True}).version == 3
    check_log(database)


def test_closing_again_for_the_same_reason_is_answered_and_for_another_refused(
    threads: Threads, clock: Clock, database: Database
) -> None:
    threads.append("t", [reply("hello")])
    threads.close("t", "resolved")
    clock.now += 5000
    assert threads.close("t", "resolved").messages[0].replayed
    with pytest.raises(MessageConflict):
        threads.close("t", "given up")
    assert last_position(database) == 2


def test_a_hidden_thread_is_unknown_until_it_is_shown(threads: Threads, database: Database) -> None:
    threads.append("t", [reply("hello")])
    threads.close("t")
    record(threads, "t", "thread.hidden")
    with pytest.raises(UnknownThread):
        threads.head("t")
    with pytest.raises(UnknownThread):
        threads.message("t", threads.messages("t", hidden=True)[0].message_id)
    assert (threads.thread_ids(limit=9), threads.thread_ids(limit=9, hidden=True)) == ([], ["t"])
    assert threads.head("t", hidden=True).hidden
    record(threads, "t", "thread.shown")
    assert not threads.head("t").hidden
    check_log(database)


def test_the_last_of_several_facts_says_whether_a_thread_is_hidden(threads: Threads) -> None:
    record(threads, "t", "thread.hidden", "thread.shown", "thread.hidden")
    assert threads.head("t", hidden=True).hidden
    threads.append("t", [reply("still"), reply("hidden")])
    threads.append("t", [reply("as before")])
    assert threads.head("t", hidden=True).hidden


def test_an_exited_thread_may_be_closed(threads: Threads) -> None:
    threads.append("t", [{"type": "exit", "reason": "complete"}])
    assert threads.head("t").status == "exited"
    threads.close("t")
    assert threads.head("t").status == "closed"


def test_annotations_are_merged_and_null_takes_a_key_away(threads: Threads) -> None:
    threads.start("t", FACTS)
    threads.annotate("t", {"team": None, "a": {"deep": None}, "b": 1})
    threads.annotate("t", {"b": 2, "never": None})
    head = threads.head("t")
    assert head.read_facts()["metadata"] == {"big": 2**70, "a": {"deep": None}, "b": 2}
    assert (head.goal, head.parent, head.policy) == ("Find the parcel", "boss", "record")
    assert [event.type for event in threads.messages("t")][1:] == ["thread.annotated"] * 2


def test_two_equal_annotations_are_two_events(threads: Threads) -> None:
    threads.append("t", [reply("hello")])
    threads.annotate("t", {"a": 1})
    assert threads.annotate("t", {"a": 1}).version == 3


def test_a_thread_that_was_never_started_can_be_annotated(threads: Threads) -> None:
    threads.append("t", [reply("hello")])
    threads.annotate("t", {"a": 1})
    assert threads.head("t").read_facts() == {"metadata": {"a": 1}}


def test_what_is_not_there_can_be_neither_closed_nor_annotated(
    threads: Threads, database: Database
) -> None:
    with pytest.raises(UnknownThread):
        threads.close("t")
    with pytest.raises(UnknownThread):
        threads.annotate("t", {"a": 1})
    assert last_position(database) == 0


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ({"goal": 5}, "goal"),
        ({"parent": "not an id"}, "parent"),
        ({"policy": "lax"}, "policy"),
        ({"limits": {"maxSteps": -1}}, "limits.maxSteps"),
        ({"limits": {"steps": 1}}, "limits.steps"),
        ({"metadata": []}, "metadata"),
        ({"owner": "me"}, "owner"),
        ({"id": "short"}, "id"),
    ],
)
def test_a_flawed_fact_is_refused_with_its_place(
    threads: Threads, database: Database, facts: dict[str, object], place: str
) -> None:
    with pytest.raises(InvalidMessage) as caught:
        threads.start("t", facts)
    assert [flaw.place for flaw in caught.value.flaws] == [place]
    assert last_position(database) == 0


@pytest.mark.parametrize("kind", ["thread.closed", "thread.annotated", "reply", ["x"], None])
def test_starting_a_thread_starts_it_whatever_type_the_facts_say(
    threads: Threads, database: Database, kind: object
) -> None:
    threads.start("t", {"goal": "g", "type": kind})
    assert [event.type for event in threads.messages("t")] == ["thread.started"]
    check_log(database)


@pytest.mark.parametrize("kind", ["reply", "thread.renamed", None])
def test_what_is_no_fact_is_refused_as_one(
    threads: Threads, database: Database, kind: object
) -> None:
    (outcome,) = threads.append_many([request("t", facts=[{"type": kind}])])
    assert isinstance(outcome, InvalidMessage)
    assert "thread.started" in str(outcome)
    assert last_position(database) == 0


@pytest.mark.parametrize("kind", ["thread.started", "thread.closed"])
def test_a_message_cannot_pass_for_a_fact(threads: Threads, database: Database, kind: str) -> None:
    with pytest.raises(InvalidMessage, match=r"messages\[0\]\.type"):
        threads.append("t", [{"type": kind}])
    assert last_position(database) == 0
