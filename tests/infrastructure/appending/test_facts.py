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
from agentlog.infrastructure.views.store import Store
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


def test_a_started_thread_has_its_facts_in_its_head(store: Store) -> None:
    appended = store.start("t", FACTS)
    assert (appended.version, appended.position) == (1, 1)
    head = store.thread("t")
    assert (head.version, head.policy, head.status) == (1, "record", "open")
    assert (head.goal, head.parent) == ("Find the parcel", "boss")
    assert head.read_facts() == {key: FACTS[key] for key in FACTS if key != "policy"}
    (event,) = store.messages("t")
    assert event.type == "thread.started"
    assert head.started_at == head.updated_at == event.recorded_at


def test_starting_twice_the_same_way_is_answered_as_the_first_time(
    store: Store, clock: Clock, database: Database
) -> None:
    store.start("t", FACTS)
    store.append("t", [reply("hello")])
    clock.now += 5000
    again = store.start("t", dict(reversed(FACTS.items())))
    assert [(receipt.version, receipt.replayed) for receipt in again.messages] == [(1, True)]
    assert last_position(database) == 2


@pytest.mark.parametrize("other", [{}, {**FACTS, "goal": "Another"}, {**FACTS, "metadata": {}}])
def test_starting_with_other_facts_is_refused(
    store: Store, database: Database, other: dict[str, object]
) -> None:
    store.start("t", FACTS)
    with pytest.raises(ThreadExists, match="'t' exists already"):
        store.start("t", other)
    assert last_position(database) == 1
    assert store.thread("t").goal == "Find the parcel"


def test_a_thread_that_began_with_an_append_cannot_be_started_any_more(store: Store) -> None:
    store.append("t", [reply("hello")])
    with pytest.raises(ThreadExists):
        store.start("t", {"goal": "late"})
    assert store.thread("t").goal is None


def test_a_thread_may_start_with_facts_and_messages_in_one_append(
    store: Store, database: Database
) -> None:
    (appended,) = store.append_many([store.request("t", [reply("hi")], facts=[started(goal="g")])])
    assert [event.type for event in store.messages("t")] == ["thread.started", "reply"]
    assert not isinstance(appended, Exception)
    assert appended.version == 2
    check_log(database)


def test_a_closed_thread_takes_no_message_but_may_be_annotated(
    store: Store, database: Database
) -> None:
    store.append("t", [reply("hello")])
    assert store.close("t", "resolved").version == 2
    assert store.thread("t").status == "closed"
    with pytest.raises(RuleBroken, match="the thread is closed"):
        store.append("t", [reply("more")])
    assert store.annotate("t", {"seen": True}).version == 3
    check_log(database)


def test_closing_again_for_the_same_reason_is_answered_and_for_another_refused(
    store: Store, clock: Clock, database: Database
) -> None:
    store.append("t", [reply("hello")])
    store.close("t", "resolved")
    clock.now += 5000
    assert store.close("t", "resolved").messages[0].replayed
    with pytest.raises(MessageConflict):
        store.close("t", "given up")
    assert last_position(database) == 2


def test_a_hidden_thread_is_unknown_until_it_is_shown(store: Store, database: Database) -> None:
    store.append("t", [reply("hello")])
    store.close("t")
    record(store, "t", "thread.hidden")
    with pytest.raises(UnknownThread):
        store.thread("t")
    with pytest.raises(UnknownThread):
        store.message("t", store.with_hidden().messages("t")[0].message_id)
    assert (store.thread_ids(limit=9), store.with_hidden().thread_ids(limit=9)) == ([], ["t"])
    assert store.with_hidden().thread("t").hidden
    record(store, "t", "thread.shown")
    assert not store.thread("t").hidden
    check_log(database)


def test_the_last_of_several_facts_says_whether_a_thread_is_hidden(store: Store) -> None:
    record(store, "t", "thread.hidden", "thread.shown", "thread.hidden")
    assert store.with_hidden().thread("t").hidden
    store.append("t", [reply("still"), reply("hidden")])
    store.append("t", [reply("as before")])
    assert store.with_hidden().thread("t").hidden


def test_an_exited_thread_may_be_closed(store: Store) -> None:
    store.append("t", [{"type": "exit", "reason": "complete"}])
    assert store.thread("t").status == "exited"
    store.close("t")
    assert store.thread("t").status == "closed"


def test_annotations_are_merged_and_null_takes_a_key_away(store: Store) -> None:
    store.start("t", FACTS)
    store.annotate("t", {"team": None, "a": {"deep": None}, "b": 1})
    store.annotate("t", {"b": 2, "never": None})
    head = store.thread("t")
    assert head.read_facts()["metadata"] == {"big": 2**70, "a": {"deep": None}, "b": 2}
    assert (head.goal, head.parent, head.policy) == ("Find the parcel", "boss", "record")
    assert [event.type for event in store.messages("t")][1:] == ["thread.annotated"] * 2


def test_two_equal_annotations_are_two_events(store: Store) -> None:
    store.append("t", [reply("hello")])
    store.annotate("t", {"a": 1})
    assert store.annotate("t", {"a": 1}).version == 3


def test_a_thread_that_was_never_started_can_be_annotated(store: Store) -> None:
    store.append("t", [reply("hello")])
    store.annotate("t", {"a": 1})
    assert store.thread("t").read_facts() == {"metadata": {"a": 1}}


def test_what_is_not_there_can_be_neither_closed_nor_annotated(
    store: Store, database: Database
) -> None:
    with pytest.raises(UnknownThread):
        store.close("t")
    with pytest.raises(UnknownThread):
        store.annotate("t", {"a": 1})
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
    store: Store, database: Database, facts: dict[str, object], place: str
) -> None:
    with pytest.raises(InvalidMessage) as caught:
        store.start("t", facts)
    assert [flaw.place for flaw in caught.value.flaws] == [place]
    assert last_position(database) == 0


@pytest.mark.parametrize("kind", ["thread.closed", "thread.annotated", "reply", ["x"], None])
def test_starting_a_thread_starts_it_whatever_type_the_facts_say(
    store: Store, database: Database, kind: object
) -> None:
    store.start("t", {"goal": "g", "type": kind})
    assert [event.type for event in store.messages("t")] == ["thread.started"]
    check_log(database)


@pytest.mark.parametrize("kind", ["reply", "thread.renamed", None])
def test_what_is_no_fact_is_refused_as_one(store: Store, database: Database, kind: object) -> None:
    (outcome,) = store.append_many([request("t", facts=[{"type": kind}])])
    assert isinstance(outcome, InvalidMessage)
    assert "thread.started" in str(outcome)
    assert last_position(database) == 0


@pytest.mark.parametrize("kind", ["thread.started", "thread.closed"])
def test_a_message_cannot_pass_for_a_fact(store: Store, database: Database, kind: str) -> None:
    with pytest.raises(InvalidMessage, match=r"messages\[0\]\.type"):
        store.append("t", [{"type": kind}])
    assert last_position(database) == 0
