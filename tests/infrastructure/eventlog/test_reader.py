"""Lists: threads by recency, a thread's events, and the log, filtered and in pages."""

import pytest

from agentlog.domain.errors import UnknownThread
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.views.store import Store
from tests.infrastructure.appends import STORY, append_apart, position_of, reply


def _ids(store: Store, which: ThreadFilter | None = None, *, limit: int = 100) -> list[str]:
    return [
        head.thread_id for head in store.threads(which or ThreadFilter(), before=None, limit=limit)
    ]


def _found(store: Store, text: str) -> set[str]:
    return set(_ids(store, ThreadFilter(text=text)))


# Threads


def test_threads_are_listed_by_recency_and_move_up_when_they_move(store: Store) -> None:
    for thread_id in ("a", "b", "c"):
        store.append(thread_id, [reply("one")])
    assert _ids(store) == ["c", "b", "a"]
    store.append("a", [reply("two")])
    assert _ids(store) == ["a", "c", "b"]
    assert _ids(store, limit=2) == ["a", "c"]


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8])
def test_pages_of_threads_are_all_of_them_and_none_twice(store: Store, limit: int) -> None:
    for number in range(7):
        store.append(f"t{number}", [reply("one")])
    store.append("t3", [reply("two")])
    pages: list[list[str]] = []
    before: int | None = None
    while page := store.threads(ThreadFilter(), before=before, limit=limit):
        pages.append([head.thread_id for head in page])
        before = page[-1].position
    assert [thread_id for page in pages for thread_id in page] == [
        "t3",
        "t6",
        "t5",
        "t4",
        "t2",
        "t1",
        "t0",
    ]
    assert {len(page) for page in pages[:-1]} <= {limit}


def test_threads_are_listed_by_status(store: Store) -> None:
    store.append("open", [reply("one")])
    store.append("exited", [{"type": "exit", "reason": "complete"}])
    store.append("closed", [reply("one")])
    store.close("closed")
    assert _ids(store, ThreadFilter(status="open")) == ["open"]
    assert _ids(store, ThreadFilter(status="exited")) == ["exited"]
    assert _ids(store, ThreadFilter(status="closed")) == ["closed"]


def test_threads_are_listed_by_parent(store: Store) -> None:
    store.append("boss", [reply("one")])
    store.start("first", {"parent": "boss"})
    store.start("second", {"parent": "boss"})
    store.start("third", {"parent": "first"})
    assert _ids(store, ThreadFilter(parent="boss")) == ["second", "first"]
    assert _ids(store, ThreadFilter(parent="first")) == ["third"]
    assert _ids(store, ThreadFilter(parent="third")) == []


def test_filters_are_taken_together(store: Store) -> None:
    store.start("first", {"parent": "boss", "goal": "find it"})
    store.start("second", {"parent": "boss", "goal": "find it"})
    store.start("third", {"parent": "boss", "goal": "lose it"})
    store.close("first")
    assert _ids(store, ThreadFilter(status="open", parent="boss", text="find")) == ["second"]


def test_text_is_looked_for_in_goals_and_ids_whatever_its_case(store: Store) -> None:
    store.start("parcel-1", {"goal": "Straße nach Köln"})
    store.start("other", {"goal": "Find the PARCEL"})
    store.append("parcel-2", [reply("never started, so without a goal")])
    assert _found(store, "parcel") == {"parcel-1", "parcel-2", "other"}
    assert _found(store, "NACH Köln") == {"parcel-1"}
    assert _found(store, "without a goal") == set()


@pytest.mark.parametrize(
    ("goal", "near", "odd"),
    [
        ("100% sure", "100 sure", "%"),
        ("a_b", "aXb", "_"),
        ("back\\slash", "backslash", "\\"),
        ("nul\x00here", "nulhere", "\x00"),
        ("quote'; DROP TABLE agentlog.events; --", "quote", "'; DROP TABLE"),
    ],
)
def test_wildcards_quotes_and_nul_are_looked_for_as_they_are(
    store: Store, goal: str, near: str, odd: str
) -> None:
    store.start("exact", {"goal": goal})
    store.start("near", {"goal": near})
    assert _found(store, goal) == {"exact"}
    assert _found(store, odd) == {"exact"}
    assert _found(store, near) >= {"near"}


def test_the_search_for_everything_finds_everything(store: Store) -> None:
    store.append("a", [reply("one")])
    store.start("b", {"goal": ""})
    assert _found(store, "") == {"a", "b"}


def test_a_list_of_threads_never_shows_another_tenants(store: Store, database: Database) -> None:
    store.append("t", [reply("one")])
    theirs = LogReader(database, tenant="another")
    assert theirs.heads(ThreadFilter(), before=None, limit=10) == []
    assert theirs.events("t") == []
    assert theirs.log() == []
    with pytest.raises(UnknownThread):
        theirs.head("t")


# Events


def test_events_are_listed_by_version_with_all_that_was_stored(store: Store) -> None:
    store.append("t", STORY)
    events = store.messages("t")
    assert [event.version for event in events] == list(range(1, len(STORY) + 1))
    assert [event.type for event in events] == [draft["type"] for draft in STORY]
    assert [event.metadata for event in events] == [draft.get("metadata", {}) for draft in STORY]


def test_events_are_listed_by_type(store: Store) -> None:
    store.append("t", STORY)
    wanted = {"reply", "vendor.note"}
    messages = store.messages("t", types=sorted(wanted))
    assert [event.version for event in messages] == [
        number for number, draft in enumerate(STORY, 1) if draft["type"] in wanted
    ]
    assert store.messages("t", types=["no.such"]) == []
    assert store.messages("t", types=["'; DROP TABLE agentlog.events; --"]) == []


@pytest.mark.parametrize("types", [None, ["input", "reply", "tool_results"]])
def test_pages_of_events_are_all_of_them_and_none_twice(
    store: Store, types: list[str] | None
) -> None:
    store.append("t", STORY)
    whole = store.messages("t", types=types)
    for limit in range(1, len(whole) + 2):
        events = []
        after = 0
        while page := store.messages("t", after=after, types=types, limit=limit):
            assert len(page) <= limit
            events += page
            after = page[-1].version
        assert events == whole


def test_pages_of_the_log_are_all_of_it_and_nothing_twice(store: Store) -> None:
    append_apart(store, "t", STORY[:8])
    whole = store.log()
    assert [position_of(event) for event in whole] == list(range(1, 18))
    for limit in range(1, 19):
        events = []
        after = 0
        while page := store.log(after=after, limit=limit):
            events += page
            after = position_of(page[-1])
        assert events == whole


def test_the_log_is_listed_by_type(store: Store) -> None:
    append_apart(store, "t", STORY[:8])
    audits = store.log(types=["thread.started", "system"])
    assert [(event.thread_id, event.type) for event in audits] == [
        ("t", "thread.started"),
        ("t", "system"),
    ]


def test_thread_ids_are_listed_in_their_own_order(store: Store) -> None:
    for thread_id in ("b", "a", "c"):
        store.append(thread_id, [reply("one")])
    assert store.thread_ids(limit=10) == ["a", "b", "c"]
    assert store.thread_ids(after="a", limit=1) == ["b"]
