"""Lists: threads by recency, a thread's events, and the log, filtered and in pages."""

import pytest

from agentlog.domain.errors import UnknownThread
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import STORY, append_apart, position_of, reply


def _ids(threads: Threads, which: ThreadFilter | None = None, *, limit: int = 100) -> list[str]:
    return [
        head.thread_id for head in threads.heads(which or ThreadFilter(), before=None, limit=limit)
    ]


def _found(threads: Threads, text: str) -> set[str]:
    return set(_ids(threads, ThreadFilter(text=text)))


# Threads


def test_threads_are_listed_by_recency_and_move_up_when_they_move(threads: Threads) -> None:
    for thread_id in ("a", "b", "c"):
        threads.append(thread_id, [reply("one")])
    assert _ids(threads) == ["c", "b", "a"]
    threads.append("a", [reply("two")])
    assert _ids(threads) == ["a", "c", "b"]
    assert _ids(threads, limit=2) == ["a", "c"]


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8])
def test_pages_of_threads_are_all_of_them_and_none_twice(threads: Threads, limit: int) -> None:
    for number in range(7):
        threads.append(f"t{number}", [reply("one")])
    threads.append("t3", [reply("two")])
    pages: list[list[str]] = []
    before: int | None = None
    while page := threads.heads(ThreadFilter(), before=before, limit=limit):
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


def test_threads_are_listed_by_status(threads: Threads) -> None:
    threads.append("open", [reply("one")])
    threads.append("exited", [{"type": "exit", "reason": "complete"}])
    threads.append("closed", [reply("one")])
    threads.close("closed")
    assert _ids(threads, ThreadFilter(status="open")) == ["open"]
    assert _ids(threads, ThreadFilter(status="exited")) == ["exited"]
    assert _ids(threads, ThreadFilter(status="closed")) == ["closed"]


def test_threads_are_listed_by_parent(threads: Threads) -> None:
    threads.append("boss", [reply("one")])
    threads.start("first", {"parent": "boss"})
    threads.start("second", {"parent": "boss"})
    threads.start("third", {"parent": "first"})
    assert _ids(threads, ThreadFilter(parent="boss")) == ["second", "first"]
    assert _ids(threads, ThreadFilter(parent="first")) == ["third"]
    assert _ids(threads, ThreadFilter(parent="third")) == []


def test_filters_are_taken_together(threads: Threads) -> None:
    threads.start("first", {"parent": "boss", "goal": "find it"})
    threads.start("second", {"parent": "boss", "goal": "find it"})
    threads.start("third", {"parent": "boss", "goal": "lose it"})
    threads.close("first")
    assert _ids(threads, ThreadFilter(status="open", parent="boss", text="find")) == ["second"]


def test_text_is_looked_for_in_goals_and_ids_whatever_its_case(threads: Threads) -> None:
    threads.start("parcel-1", {"goal": "Straße nach Köln"})
    threads.start("other", {"goal": "Find the PARCEL"})
    threads.append("parcel-2", [reply("never started, so without a goal")])
    assert _found(threads, "parcel") == {"parcel-1", "parcel-2", "other"}
    assert _found(threads, "NACH Köln") == {"parcel-1"}
    assert _found(threads, "without a goal") == set()


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
    threads: Threads, goal: str, near: str, odd: str
) -> None:
    threads.start("exact", {"goal": goal})
    threads.start("near", {"goal": near})
    assert _found(threads, goal) == {"exact"}
    assert _found(threads, odd) == {"exact"}
    assert _found(threads, near) >= {"near"}


def test_the_search_for_everything_finds_everything(threads: Threads) -> None:
    threads.append("a", [reply("one")])
    threads.start("b", {"goal": ""})
    assert _found(threads, "") == {"a", "b"}


def test_a_list_of_threads_never_shows_another_tenants(
    threads: Threads, database: Database
) -> None:
    threads.append("t", [reply("one")])
    theirs = LogReader(database, tenant="another")
    assert theirs.heads(ThreadFilter(), before=None, limit=10) == []
    assert theirs.events("t") == []
    assert theirs.log() == []
    with pytest.raises(UnknownThread):
        theirs.head("t")


# Events


def test_events_are_listed_by_version_with_all_that_was_stored(threads: Threads) -> None:
    threads.append("t", STORY)
    events = threads.messages("t")
    assert [event.version for event in events] == list(range(1, len(STORY) + 1))
    assert [event.type for event in events] == [draft["type"] for draft in STORY]
    assert [event.metadata for event in events] == [draft.get("metadata", {}) for draft in STORY]


def test_events_are_listed_by_type(threads: Threads) -> None:
    threads.append("t", STORY)
    wanted = {"reply", "vendor.note"}
    messages = threads.messages("t", types=sorted(wanted))
    assert [event.version for event in messages] == [
        number for number, draft in enumerate(STORY, 1) if draft["type"] in wanted
    ]
    assert threads.messages("t", types=["no.such"]) == []
    assert threads.messages("t", types=["'; DROP TABLE agentlog.events; --"]) == []


@pytest.mark.parametrize("types", [None, ["input", "reply", "tool_results"]])
def test_pages_of_events_are_all_of_them_and_none_twice(
    threads: Threads, types: list[str] | None
) -> None:
    threads.append("t", STORY)
    whole = threads.messages("t", types=types)
    for limit in range(1, len(whole) + 2):
        events = []
        after = 0
        while page := threads.messages("t", after=after, types=types, limit=limit):
            assert len(page) <= limit
            events += page
            after = page[-1].version
        assert events == whole


def test_pages_of_the_log_are_all_of_it_and_nothing_twice(threads: Threads) -> None:
    append_apart(threads, "t", STORY[:8])
    whole = threads.log()
    assert [position_of(event) for event in whole] == list(range(1, 18))
    for limit in range(1, 19):
        events = []
        after = 0
        while page := threads.log(after=after, limit=limit):
            events += page
            after = position_of(page[-1])
        assert events == whole


def test_the_log_is_listed_by_type(threads: Threads) -> None:
    append_apart(threads, "t", STORY[:8])
    audits = threads.log(types=["thread.started", "system"])
    assert [(event.thread_id, event.type) for event in audits] == [
        ("t", "thread.started"),
        ("t", "system"),
    ]


def test_thread_ids_are_listed_in_their_own_order(threads: Threads) -> None:
    for thread_id in ("b", "a", "c"):
        threads.append(thread_id, [reply("one")])
    assert threads.thread_ids(limit=10) == ["a", "b", "c"]
    assert threads.thread_ids(after="a", limit=1) == ["b"]
