"""Remarks are proven like all events, and move neither a thread's end nor its last activity."""

from typing import Any

import pytest

from agentlog.domain.errors import InvalidMessage, UnknownThread
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.errors import NotRedactable
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, Clock, Ids, calls, fetch, given, reply

NOTE: dict[str, Any] = {"type": "thread.noted", "text": "paid twice"}
JUDGED: dict[str, Any] = {"type": "thread.judged"}
LABELLED: dict[str, Any] = {"type": "thread.labelled"}


@pytest.fixture
def auditor(database: Database) -> Auditor:
    """The auditor of the tests' tenant."""
    return Auditor(database, tenant=TENANT)


@pytest.fixture
def closed(threads: Threads) -> Threads:
    """A strict thread `t` that is closed, an event waiting in it."""
    threads.start("t", {"goal": "Find the parcel"})
    threads.append("t", [calls("a"), {"type": "exit", "reason": "error"}])
    threads.close("t")
    return threads


def test_a_closed_thread_takes_remarks_and_stays_what_it_was(
    closed: Threads, auditor: Auditor, database: Database
) -> None:
    before = closed.head("t")
    closed.remark("t", {**NOTE, "on": 2, "metadata": {"actor": "sam"}})
    closed.remark("t", {**LABELLED, "add": ["b", "a"]})
    closed.remark("t", {**JUDGED, "verdict": "fail", "score": 0})
    head = closed.head("t")
    assert (head.status, head.updated_at, head.anomalies) == ("closed", before.updated_at, 0)
    assert (head.version, head.position) == (before.version + 3, before.position + 3)
    assert (head.labels, head.judgements) == (
        ["b", "a"],
        [{"criterion": None, "verdict": "fail", "score": 0.0}],
    )
    assert closed.messages("t")[4].metadata == {"actor": "sam"}
    assert auditor.thread("t").whole
    assert all(audit.whole for _, audit in auditor.log())
    closed.remark("t", {**LABELLED, "remove": ["b", "a"]})
    closed.remark("t", {**JUDGED, "verdict": None})
    assert (closed.head("t").labels, closed.head("t").judgements) == ([], [])
    assert auditor.thread("t").whole
    assert fetch(database, "SELECT count(*) FROM agentlog.ledger") == [(1,)]


def test_a_thread_that_was_never_started_takes_remarks(threads: Threads, auditor: Auditor) -> None:
    threads.append("t", [reply("hi")])
    active = threads.head("t").updated_at
    threads.remark("t", {**LABELLED, "add": ["a"]})
    assert threads.head("t").updated_at == active
    threads.append("t", [reply("more")])
    assert threads.head("t").updated_at != active
    assert auditor.thread("t").whole


def test_a_retry_writes_a_remark_once(threads: Threads) -> None:
    threads.append("t", [reply("hi")])
    remark = {**NOTE, "id": given(7)}
    assert [threads.remark("t", remark).messages[0].replayed for _ in range(2)] == [False, True]


@pytest.mark.parametrize(
    ("remark", "place", "reason"),
    [
        ({"type": "thread.closed"}, "type", "thread.judged, thread.labelled, thread.noted"),
        ({}, "type", "use one of"),
        (NOTE | {"on": 6}, "on", "ends with version 5"),
        (NOTE | {"on": 0}, "on", "greater than or equal to 1"),
        (NOTE | {"on": "2"}, "on", "valid integer"),
        (NOTE | {"replaces": 9}, "replaces", "ends with version 5"),
        (NOTE | {"replaces": 2}, "replaces", "version 2 is no note"),
        (NOTE | {"replaces": 5}, "replaces", "name that, 4"),
        (NOTE | {"replaces": 4, "on": 1}, "", "leave out `on`"),
        (NOTE | {"text": " "}, "text", "empty"),
        (NOTE | {"text": None}, "", "a note has a text"),
        (JUDGED, "", "give a verdict or a score"),
        (JUDGED | {"score": "1"}, "score", "valid number"),
        (JUDGED | {"verdict": "a\nb"}, "verdict", "line break"),
        (LABELLED | {"add": [""]}, "add[0]", "empty"),
        (LABELLED | {"add": [f"{n}" for n in range(101)]}, "add", "100 labels at most"),
        (NOTE | {"metadata": []}, "metadata", "not a JSON object"),
        (NOTE | {"metadata": {"actor": 5}}, "metadata.actor", "not a string"),
        (NOTE | {"more": 1}, "more", "no such field"),
    ],
)
def test_a_flawed_remark_is_refused_with_its_place(
    threads: Threads, remark: dict[str, Any], place: str, reason: str
) -> None:
    threads.append("t", [reply("1"), reply("2"), reply("3")])
    threads.remark("t", NOTE)
    threads.remark("t", NOTE | {"replaces": 4})
    with pytest.raises(InvalidMessage) as caught:
        threads.remark("t", remark)
    (flaw,) = caught.value.flaws
    assert flaw.place == place
    assert reason in flaw.reason
    assert threads.head("t").version == 5


def test_a_thread_is_judged_by_a_hundred_criteria_at_most(threads: Threads) -> None:
    threads.append("t", [reply("1")])
    for number in range(100):
        threads.remark("t", {**JUDGED, "criterion": f"c{number}", "score": number})
    threads.remark("t", {**JUDGED, "criterion": "c7", "score": 1})
    threads.remark("t", NOTE)
    with pytest.raises(InvalidMessage, match="100 criteria at most"):
        threads.remark("t", {**JUDGED, "score": 1})


def test_what_is_not_there_is_not_remarked_on(threads: Threads) -> None:
    with pytest.raises(UnknownThread):
        threads.remark("t", NOTE)


def test_texts_of_remarks_are_erased_one_by_one_and_labels_with_the_thread(
    closed: Threads, auditor: Auditor, database: Database
) -> None:
    redactor = Redactor(database, closed, Eraser(database, closed.writer), tenant=TENANT)
    note, judged = (
        closed.remark("t", remark).messages[0].id
        for remark in (NOTE, {**JUDGED, "score": 0.5, "comment": "paid twice"})
    )
    label = closed.remark("t", {**LABELLED, "add": ["vip"]}).messages[0].id
    redactor.redact("t", [note, judged], "asked to")
    texts = [event.raw for event in closed.messages("t")[4:6]]
    assert [text.get("text") or text.get("comment") for text in texts] == ["[redacted]"] * 2
    with pytest.raises(NotRedactable):
        redactor.redact("t", [label], "asked to")
    assert auditor.thread("t").whole
    redactor.redact("t", None, "asked to")
    head = closed.head("t")
    assert (head.labels, [verdict["score"] for verdict in head.judgements]) == ([], [0.5])
    assert auditor.thread("t").whole


def test_a_fork_begins_without_remarks(
    closed: Threads, reader: LogReader, auditor: Auditor, database: Database
) -> None:
    closed.remark("t", NOTE)
    closed.remark("t", {**LABELLED, "add": ["vip"]})
    eraser, ids = Eraser(database, closed.writer), Ids()
    forker = Forker(
        database,
        database,
        reader,
        eraser,
        tenant=TENANT,
        clock=Clock(),
        new_id=lambda: "2" + ids()[1:],
    )
    forker.fork("t", AtVersion(6), as_thread="f")
    assert [event.type for event in reader.events("f")][1:] == ["tool_calls", "exit"]
    assert reader.head("f").labels == []
    assert auditor.thread("f").whole
