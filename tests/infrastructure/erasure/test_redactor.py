"""Contents go at an authorised request; hashes, places and views stay."""

from base64 import b64encode
from hashlib import sha256

import pytest

from agentlog.domain.errors import (
    InvalidMessage,
    MessageConflict,
    ThreadExists,
    UnknownMessage,
    UnknownThread,
)
from agentlog.domain.events import Event
from agentlog.infrastructure.erasure.errors import NothingToRedact, NotRedactable, UnknownFile
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import UnknownBlob
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS, choose_view
from tests.infrastructure.appends import (
    STORY,
    Clock,
    calls,
    fetch,
    given,
    items_of,
    reply,
    results,
)
from tests.infrastructure.erasure.conftest import everything

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased
LONG = f"{SECRET} " * 200
FILE = f"{SECRET} in a file".encode() * 100
DIGEST = sha256(FILE).hexdigest()


def _data(content: bytes = FILE) -> str:
    return b64encode(content).decode()


def _say(threads: Threads, thread_id: str = "t") -> list[Event]:
    """Say the secret in every way there is."""
    threads.start(
        thread_id, {"policy": "record", "goal": f"find {SECRET}", "metadata": {"who": SECRET}}
    )
    drafts = [
        {"type": "system", "text": LONG},
        {"type": "input", "text": SECRET, "files": [{"data": _data(), "filename": SECRET}]},
        {"type": "reasoning", "title": SECRET, "summary": SECRET},
        reply(SECRET, metadata={"actor": SECRET, "responseId": "r1"}),
        {
            "type": "tool_calls",
            "calls": [{"id": "a", "name": "f", "args": {SECRET: SECRET}, "argumentsText": SECRET}],
            "metadata": {"responseId": "r1"},
        },
        {
            "type": "tool_results",
            "results": [
                {"callId": "a", "name": "f", "output": {"text": LONG}, "error": {"message": SECRET}}
            ],
        },
        {"type": "worker_spawned", "workerId": "w", "objective": SECRET, "context": SECRET},
        {"type": "worker_result", "workerId": "w", "error": {"message": SECRET, "code": SECRET}},
        {"type": "vendor.note", "payload": {SECRET: [SECRET]}},
        {"type": "runtime_error", "error": SECRET},
        {"type": "exit", "reason": "error", "message": SECRET},
    ]
    threads.append(thread_id, drafts)
    threads.annotate(thread_id, {"note": SECRET})
    threads.close(thread_id, SECRET)
    return threads.messages(thread_id)


def test_a_message_goes_and_stays_in_its_place(
    threads: Threads, views: Views, redactor: Redactor
) -> None:
    threads.append("t", [reply("before"), reply(SECRET, metadata={"actor": "x"}), reply("after")])
    before = threads.messages("t")
    done = redactor.redact("t", [before[1].message_id], "asked to")
    assert (done.version, done.messages, done.events, done.replayed) == (
        4,
        (before[1].message_id,),
        1,
        False,
    )
    after = threads.messages("t")
    assert [event.message_id for event in after[:3]] == [event.message_id for event in before]
    assert [event.redacted for event in after] == [None, 4, None, None]
    assert after[1].raw["text"] == "[redacted]"
    assert after[1].metadata == {}
    assert after[0] == before[0]
    texts = [item.item["text"] for item in items_of(views.view("t", choose_view("kernel", {})))]
    assert texts == ["before", "[redacted]", "after"]
    # before it happened it was another message; what it said is gone there too
    (again,) = [e for e in threads.messages("t") if e.version == 2]
    assert again == threads.message("t", before[1].message_id)


def test_all_of_a_thread_goes_from_every_table(
    threads: Threads, views: Views, redactor: Redactor, database: Database
) -> None:
    before = _say(threads)
    threads.append("other", [reply("stays"), {"type": "system", "text": "long " * 200}])
    for view in VIEWS:
        views.view("t", choose_view(view, {}))
    assert SECRET in everything(database)
    done = redactor.redact("t", None, "the law says so")
    assert (done.events, done.messages, done.version) == (len(before), None, len(before) + 1)
    left = everything(database)
    assert SECRET not in left
    assert SECRET.encode().hex() not in left
    assert b"stays" in threads.messages("other")[0].body
    assert b"long long" in threads.messages("other")[1].body
    assert [event.type for event in threads.messages("t")[:-1]] == [event.type for event in before]
    head = threads.head("t")
    assert (head.goal, head.read_facts().get("metadata", {}), head.status) == (
        "[redacted]",
        {},
        "closed",
    )
    assert threads.heads(ThreadFilter(text=SECRET), before=None, limit=9) == []


def test_views_of_a_redacted_thread_are_those_of_its_events(
    threads: Threads, views: Views, redactor: Redactor
) -> None:
    threads.start("t", {"policy": "record"})
    for draft in STORY * 2:
        threads.append("t", [draft])
    chosen = [choose_view(name, {}) for name in VIEWS]
    for view in chosen:
        views.view("t", view)  # into memory, and snapshots
    redactor.redact("t", [threads.messages("t")[3].message_id], "why not")
    redactor.redact("t", None, "why not")
    for view in chosen:
        shown = views.view("t", view)
        anew = views.view("t", view, at=None, limit=1000)
        if isinstance(shown, State):
            assert isinstance(anew, State)
            assert shown.state == anew.state
            assert "parcel" not in str(shown.state)
        else:
            assert list(items_of(shown)) == list(items_of(anew))
            assert "parcel" not in str(items_of(shown))


def test_asking_again_is_answered_as_before(threads: Threads, redactor: Redactor) -> None:
    threads.append("t", [reply(SECRET, id=given(1)), reply("two", id=given(2))])
    first = redactor.redact("t", [given(1)], "once")
    again = redactor.redact("t", [given(1)], "twice")
    assert (again.version, again.position, again.replayed) == (first.version, first.position, True)
    assert threads.head("t").version == 3
    whole = redactor.redact("t", None, "all")
    assert (whole.version, whole.events) == (4, 1)
    assert redactor.redact("t", None, "all").replayed
    assert threads.head("t").version == 4
    threads.append("t", [reply("three")])
    assert redactor.redact("t", None, "all").version == 6


def test_what_cannot_be_erased_is_refused(threads: Threads, redactor: Redactor) -> None:
    threads.start("t", {"goal": "g"})
    threads.annotate("t", {"a": 1})
    threads.append("t", [reply("x", id=given(1))])
    redactor.redact("t", [given(1)], "why")
    ids = {event.type: event.message_id for event in threads.messages("t")}
    for kind in ("thread.started", "thread.annotated"):
        with pytest.raises(NotRedactable, match="whole thread"):
            redactor.redact("t", [ids[kind]], "why")
    with pytest.raises(NotRedactable, match="stays"):
        redactor.redact("t", [ids["thread.redacted"]], "why")
    with pytest.raises(InvalidMessage, match="reason"):
        redactor.redact("t", None, "  ")
    with pytest.raises(UnknownThread):
        redactor.redact("nowhere", None, "why")
    with pytest.raises(UnknownMessage):
        redactor.redact("t", [given(9)], "why")
    with pytest.raises(NothingToRedact):
        redactor.redact("t", [], "why")
    with pytest.raises(InvalidMessage, match=r"thread\."):
        threads.append("t", [{"type": "thread.redacted", "all": True, "reason": "sneaky"}])
    assert threads.head("t").version == 4


def test_a_file_goes_from_all_messages_that_hold_it(
    threads: Threads, redactor: Redactor, database: Database
) -> None:
    other = b"another file " * 100
    files = [{"data": _data(), "filename": "a.txt"}, {"data": _data(other)}]
    threads.append("t", [{"type": "input", "text": "see", "files": files, "id": given(1)}])
    threads.append("u", [{"type": "input", "files": files[:1], "id": given(2)}, reply("thanks")])
    done = redactor.redact_file(DIGEST, "personal")
    assert [(thread.thread_id, thread.messages) for thread in done.threads] == [
        ("t", (given(1),)),
        ("u", (given(2),)),
    ]
    event = threads.message("t", given(1))
    assert event.raw["text"] == "see"
    assert event.raw["files"][1]["data"] == _data(other)
    assert event.raw["files"][0] == {
        "data": b64encode(b"[redacted]").decode(),
        "filename": "[redacted]",
        "mimeType": "text/plain",
    }
    assert event.redacted == 2
    with pytest.raises(UnknownBlob):
        threads.blobs.size(DIGEST)
    assert threads.blobs.size(sha256(other).hexdigest()) == len(other)
    again = redactor.redact_file(DIGEST, "personal")
    assert again.replayed
    assert [thread.version for thread in again.threads] == [
        thread.version for thread in done.threads
    ]
    # the rest of the message, then its other file, may still go
    redactor.redact_file(sha256(other).hexdigest(), "personal")
    assert fetch(database, "SELECT count(*) FROM agentlog.blobs") == [(0,)]
    whole = redactor.redact("t", [given(1)], "all of it")
    assert (whole.replayed, threads.message("t", given(1)).raw["text"]) == (False, "[redacted]")
    assert redactor.redact("t", [given(1)], "all of it").replayed


def test_a_file_that_stands_in_its_message_is_named_with_the_way_out(
    threads: Threads, redactor: Redactor
) -> None:
    short = b"short"
    threads.append("t", [{"type": "input", "files": [{"data": _data(short)}]}])
    with pytest.raises(UnknownFile, match="redact that message"):
        redactor.redact_file(sha256(short).hexdigest(), "why")
    with pytest.raises(UnknownBlob):
        redactor.redact_file("nonsense", "why")


def test_a_blob_that_others_refer_to_stays(threads: Threads, redactor: Redactor) -> None:
    for thread_id in ("t", "u"):
        threads.append(thread_id, [{"type": "system", "text": LONG}])
    redactor.redact("t", None, "why")
    assert threads.messages("u")[0].raw["text"] == LONG
    redactor.redact("u", None, "why")
    threads.append("v", [{"type": "system", "text": LONG}])
    assert threads.messages("v")[0].raw["text"] == LONG


def test_a_retry_of_a_redacted_message_is_a_replay_or_a_conflict(
    threads: Threads, redactor: Redactor, clock: Clock
) -> None:
    drafts = [
        reply(SECRET, id=given(1), timestamp=1),
        reply("b", id=given(2)),
        calls("a", id=given(3)),
        results("a", id=given(4), timestamp=2),
    ]
    threads.append("t", drafts)
    threads.start("started", {"goal": "g"})
    clock.now += 1
    redactor.redact("t", None, "why")
    redactor.redact("started", None, "why")
    assert threads.append("t", drafts[:1]).messages[0].replayed  # the same bytes
    with pytest.raises(MessageConflict):
        threads.append("t", [reply("other", id=given(1), timestamp=1)])
    with pytest.raises(MessageConflict):  # what the clock gave it is gone
        threads.append("t", [reply("b", id=given(2))])
    with pytest.raises(ThreadExists):
        threads.start("started", {"goal": "g"})
    # its calls are still known
    assert threads.append("t", [calls("b"), results("b")]).version == 7
