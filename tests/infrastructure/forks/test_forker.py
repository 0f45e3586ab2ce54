"""A fork begins with a copy of its origin, and proves it."""

from typing import Any

import pytest

from agentlog.domain.errors import (
    FutureMoment,
    InvalidMessage,
    MessageConflict,
    RuleBroken,
    ThreadExists,
    UnknownThread,
)
from agentlog.domain.events import Event
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks import forker as forks
from agentlog.infrastructure.forks.edits import Edit
from agentlog.infrastructure.forks.errors import ForkTooLong
from agentlog.infrastructure.forks.forker import Forker
from tests.infrastructure.appends import calls, given, reply, request, results

HISTORY = [reply("one", id=given(1)), calls("a"), results("a"), reply("two")]


def shown(events: list[Event]) -> list[tuple[Any, ...]]:
    return [(event.type, event.message_id, event.body, event.metadata) for event in events]


@pytest.fixture(autouse=True)
def origin(writer: Writer) -> None:
    """A thread of four messages."""
    writer.append(request("t", *HISTORY))


def test_a_fork_is_its_fact_and_the_messages_up_to_the_version(
    forker: Forker, reader: LogReader, auditor: Auditor
) -> None:
    forked = forker.fork("t", AtVersion(3), as_thread="f")
    first, *copies = reader.events("f")
    assert (forked.version, reader.head("f").version, forked.replayed) == (4, 4, False)
    assert first.type == "thread.forked"
    assert first.origin_version is None
    assert shown(copies) == shown(reader.events("t", upto=3))
    assert [event.origin_version for event in copies] == [1, 2, 3]
    assert auditor.thread("f").findings == ()
    assert auditor.thread("t").findings == ()


def test_versions_line_up_with_a_thread_that_was_started(
    forker: Forker, reader: LogReader, writer: Writer
) -> None:
    writer.append(request("s", reply("one"), facts=[{"type": "thread.started", "goal": "win"}]))
    forker.fork("s", as_thread="f")
    events = reader.events("f")
    assert [(event.version, event.origin_version) for event in events] == [(1, None), (2, 2)]
    assert reader.head("f").goal is None


def test_what_a_fork_goes_on_with_is_its_own(
    forker: Forker, reader: LogReader, writer: Writer, auditor: Auditor
) -> None:
    forker.fork("t", AtVersion(2), as_thread="f")
    writer.append(request("f", results("a"), reply("another")))
    assert reader.events("f")[-1].origin_version is None
    assert len(reader.events("t")) == len(HISTORY)
    assert auditor.thread("f").findings == ()


def test_a_call_that_was_answered_before_the_version_is_answered(
    forker: Forker, writer: Writer
) -> None:
    forker.fork("t", as_thread="f")
    with pytest.raises(RuleBroken, match="answered_twice"):
        writer.append(request("f", results("a")))


def test_a_fork_of_a_fork_is_a_fork(forker: Forker, reader: LogReader, auditor: Auditor) -> None:
    forker.fork("t", AtVersion(3), as_thread="f")
    forker.fork("f", AtVersion(3), as_thread="g")
    assert shown(reader.events("g")[1:]) == shown(reader.events("t", upto=2))
    assert auditor.thread("g").findings == ()


def test_the_same_fork_again_is_answered_as_the_first_time(
    forker: Forker,
) -> None:
    first = forker.fork("t", AtVersion(3), as_thread="f")
    again = forker.fork("t", AtVersion(3), as_thread="f")
    assert again.replayed
    assert (again.version, again.position) == (first.version, first.position)
    with pytest.raises(ThreadExists):
        forker.fork("t", AtVersion(2), as_thread="f")
    with pytest.raises(ThreadExists):
        forker.fork("t", as_thread="t")


def test_edits_drop_replace_and_insert(forker: Forker, reader: LogReader, auditor: Auditor) -> None:
    edits = [
        Edit("drop", 1),
        Edit("replace", 3, {"type": "tool_results", "results": [{"callId": "a", "output": 1}]}),
        Edit("insert", 3, reply("put in")),
        Edit("insert", 0, {"type": "system", "text": "be kind"}),
    ]
    forker.fork("t", edits=edits, as_thread="f")
    events = reader.events("f")[1:]
    assert [(event.type, event.origin_version) for event in events] == [
        ("system", 0),
        ("tool_calls", 2),
        ("tool_results", 3),
        ("reply", 3),
        ("reply", 4),
    ]
    assert auditor.thread("f").findings == ()
    assert forker.fork("t", edits=edits, as_thread="f").replayed
    with pytest.raises(ThreadExists):
        forker.fork("t", edits=edits[1:], as_thread="f")


def test_edits_that_break_a_rule_are_refused(forker: Forker, reader: LogReader) -> None:
    with pytest.raises(RuleBroken, match="version 3 of the origin"):
        forker.fork("t", edits=[Edit("drop", 2)], as_thread="f")
    with pytest.raises(UnknownThread):
        reader.head("f")


@pytest.mark.parametrize(
    ("edits", "place"),
    [
        ([Edit("drop", 9)], "edits[0]"),
        ([Edit("drop", 0)], "edits[0]"),
        ([Edit("drop", 1), Edit("replace", 1, reply("x"))], "edits[1]"),
        ([Edit("insert", 1, {"type": "replay"})], "edits[0].message.type"),
    ],
)
def test_an_edit_that_is_off_is_named(forker: Forker, edits: list[Edit], place: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        forker.fork("t", edits=edits)
    assert caught.value.flaws[0].place == place


def test_an_id_stands_once_in_a_fork(forker: Forker) -> None:
    with pytest.raises(MessageConflict):
        forker.fork("t", edits=[Edit("insert", 2, reply("x", id=given(1)))])
    forker.fork("t", edits=[Edit("replace", 1, reply("x", id=given(1)))])


def test_a_fork_has_a_bound(forker: Forker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "MOST_COPIED", 3)
    with pytest.raises(ForkTooLong, match="more than 3 messages"):
        forker.fork("t")
    assert forker.fork("t", AtVersion(3)).version == 4


def test_what_is_not_there_cannot_be_forked(forker: Forker) -> None:
    with pytest.raises(UnknownThread):
        forker.fork("nowhere")
    with pytest.raises(FutureMoment):
        forker.fork("t", AtVersion(5))
    with pytest.raises(FutureMoment):
        forker.fork("t", AtVersion(0))


def test_what_an_exited_thread_of_record_holds_is_copied(
    forker: Forker, writer: Writer, reader: LogReader, auditor: Auditor
) -> None:
    record = [{"type": "thread.started", "policy": "record"}]
    drafts = [results("b"), {"type": "exit", "reason": "complete"}, reply("late")]
    writer.append(request("r", *drafts, facts=record))
    forker.fork("r", as_thread="f")
    head = reader.head("f")
    assert (head.status, head.policy, head.anomalies) == ("exited", "record", 2)
    assert auditor.thread("f").findings == ()
