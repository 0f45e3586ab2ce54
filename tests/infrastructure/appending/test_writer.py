"""Appending: batches and rules, decided in one order and written or refused."""

from typing import Any

import pytest

from agentlog.domain.errors import (
    EmptyAppend,
    InvalidJson,
    InvalidMessage,
    InvalidThreadId,
    MessageConflict,
    RuleBroken,
)
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest, Receipt
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    calls,
    check_log,
    fetch,
    given,
    last_position,
    reply,
    request,
    results,
    started,
    ulid,
)


def _appended(outcome: object) -> Appended:
    assert isinstance(outcome, Appended), outcome
    return outcome


# All or nothing


def test_nothing_of_an_append_is_written_when_its_last_message_breaks_a_rule(
    writer: Writer, database: Database
) -> None:
    writer.append(request("t", reply("before")))
    with pytest.raises(RuleBroken, match=r"messages\[2\]\.results\[0\]\.callId"):
        writer.append(request("t", reply("one"), calls("c"), results("d")))
    assert last_position(database) == 1
    assert fetch(database, "SELECT version FROM agentlog.threads") == [(1,)]
    assert fetch(database, "SELECT * FROM agentlog.ledger") == []
    assert writer.append(request("t", calls("c"))).version == 2  # its id was not taken


def test_every_flaw_of_an_append_is_told_with_its_place(writer: Writer, database: Database) -> None:
    with pytest.raises(InvalidMessage) as caught:
        writer.append(request("t", reply("fine"), {"type": "reply"}, "odd", {"type": "nope"}))
    assert [flaw.place for flaw in caught.value.flaws] == [
        "messages[1].text",
        "messages[2]",
        "messages[3].type",
    ]
    assert last_position(database) == 0


def test_a_draft_made_in_python_that_json_cannot_hold_is_refused(
    writer: Writer, database: Database
) -> None:
    with pytest.raises(InvalidJson):
        writer.append(request("t", reply("lone \ud800")))
    assert last_position(database) == 0


def test_an_append_of_nothing_is_refused(writer: Writer) -> None:
    with pytest.raises(EmptyAppend, match="at least one message"):
        writer.append(request("t"))


@pytest.mark.parametrize("thread_id", ["", "a b", "é", "x" * 129, "a/b", ".", "..", "a\n", "a\x00"])
def test_a_thread_id_beyond_its_alphabet_is_refused(writer: Writer, thread_id: str) -> None:
    with pytest.raises(InvalidThreadId):
        writer.append(request(thread_id, reply("one")))


def test_a_refused_request_takes_nothing_with_it(writer: Writer, database: Database) -> None:
    outcomes = writer.append_many(
        [
            request("a", reply("one")),
            request("b", results("never asked")),
            request("bad id", reply("two")),
            request("a", reply("three"), results("nor this")),
            request("c"),
            request("a", reply("four")),
            request("d", {"type": "reply"}),
        ]
    )
    assert [type(outcome) for outcome in outcomes] == [
        Appended,
        RuleBroken,
        InvalidThreadId,
        RuleBroken,
        EmptyAppend,
        Appended,
        InvalidMessage,
    ]
    assert (_appended(outcomes[0]).position, _appended(outcomes[5]).position) == (1, 2)
    assert fetch(database, "SELECT thread_id, version FROM agentlog.threads") == [("a", 2)]
    check_log(database)


def test_a_batch_in_which_all_is_refused_writes_nothing(writer: Writer, database: Database) -> None:
    outcomes = writer.append_many([request("b", results("x")), request("b", {"type": "no"})])
    assert [type(outcome) for outcome in outcomes] == [RuleBroken, InvalidMessage]
    assert last_position(database) == 0


def test_an_empty_batch_is_answered_with_nothing(writer: Writer) -> None:
    assert writer.append_many([]) == []


def test_two_requests_to_one_thread_in_one_batch_both_count(
    writer: Writer, database: Database
) -> None:
    one, two, three = writer.append_many(
        [
            request("t", reply("one", id=given(1)), calls("c")),
            request("t", results("c"), reply("two")),
            request("t", reply("one", id=given(1)), calls("c")),
        ]
    )
    assert (_appended(one).version, _appended(two).version) == (2, 4)
    assert isinstance(three, RuleBroken)  # the call id was taken by the first
    assert fetch(database, "SELECT asked, answered FROM agentlog.ledger") == [(2, 3)]
    check_log(database)


def test_a_retry_in_the_same_batch_is_answered_with_the_place_just_given(writer: Writer) -> None:
    same = request("t", reply("one", id=given(1)))
    other = request("t", reply("two", id=given(1)))
    first, second, third = writer.append_many([same, same, other])
    assert not _appended(first).messages[0].replayed
    assert _appended(second).messages == (Receipt(given(1), 1, 1, replayed=True),)
    assert isinstance(third, MessageConflict)


# Rules


@pytest.mark.parametrize(
    ("drafts", "rule", "place"),
    [
        ([calls("c"), calls("c")], "duplicate_call", "messages[1].calls[0].id"),
        ([calls("c", "c")], "duplicate_call", "messages[0].calls[1].id"),
        ([results("c")], "orphan_result", "messages[0].results[0].callId"),
        ([calls("c"), results("c", "c")], "answered_twice", "messages[1].results[1].callId"),
        (
            [{"type": "approval_response", "callId": "c", "approved": True}],
            "orphan_approval",
            "messages[0].callId",
        ),
        (
            [{"type": "worker_result", "workerId": "w", "output": 1}],
            "orphan_worker_result",
            "messages[0].workerId",
        ),
        ([{"type": "exit", "reason": "complete"}, reply("more")], "after_exit", "messages[1]"),
    ],
)
def test_under_policy_strict_what_breaks_a_rule_is_refused_with_its_place(
    writer: Writer, database: Database, drafts: list[Any], rule: str, place: str
) -> None:
    with pytest.raises(RuleBroken) as caught:
        writer.append(request("t", *drafts))
    assert caught.value.rule == rule
    assert [flaw.place for flaw in caught.value.flaws] == [place]
    assert last_position(database) == 0


def test_the_rules_of_one_append_know_the_appends_before(writer: Writer) -> None:
    writer.append(request("t", calls("a", "b")))
    writer.append(request("t", results("a")))
    with pytest.raises(RuleBroken, match="answered by version 2 already"):
        writer.append(request("t", results("a")))
    assert writer.append(request("t", results("b"))).version == 3


def test_under_policy_record_all_is_kept_and_the_breaches_are_counted_in_the_head(
    writer: Writer, reader: LogReader
) -> None:
    drafts = [results("x"), calls("c", "c"), {"type": "exit", "reason": "error"}, reply("more")]
    first = writer.append(request("t", *drafts, facts=[started(policy="record")]))
    assert [(message_id, breach.rule) for message_id, breach in first.breaches] == [
        (ulid(1), "orphan_result"),
        (ulid(2), "duplicate_call"),
        (ulid(4), "after_exit"),
    ]
    assert reader.head("t").anomalies == 3
    second = writer.append(request("t", results("x")))
    assert [breach.rule for _, breach in second.breaches] == ["after_exit", "answered_twice"]
    assert reader.head("t").anomalies == 5
    assert [event.type for event in reader.events("t")][1:] == [
        "tool_results",
        "tool_calls",
        "exit",
        "reply",
        "tool_results",
    ]


def test_a_head_of_policy_strict_counts_no_anomalies(writer: Writer, reader: LogReader) -> None:
    writer.append(request("t", calls("c"), results("c")))
    assert reader.head("t").anomalies == 0


def test_the_ledger_says_who_asked_and_who_answered(writer: Writer, database: Database) -> None:
    writer.append(
        request(
            "t",
            calls("a", "b"),
            {"type": "approval_request", "callId": "a", "tool": "f"},
            {"type": "approval_response", "callId": "a", "approved": True},
            results("b"),
            {"type": "worker_spawned", "workerId": "w", "objective": "o"},
        )
    )
    rows = fetch(
        database,
        "SELECT tenant, thread_id, kind, encode(id_sha256, 'hex'), asked, answered "
        "FROM agentlog.ledger ORDER BY kind, asked, answered NULLS FIRST",
    )
    a = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"  # SHA-256 of "a"
    b = "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"
    w = "50e721e49c013f00c62cf59f2163542a9d8df02464efeb615d31051b0fddc326"
    assert rows == [
        ("tests", "t", "approval", a, 2, 3),
        ("tests", "t", "call", a, 1, None),
        ("tests", "t", "call", b, 1, 4),
        ("tests", "t", "worker", w, 5, None),
    ]


def test_threads_of_two_tenants_do_not_know_each_other(
    writer: Writer, reader: LogReader, database: Database
) -> None:
    theirs = AppendRequest("other", "t", [calls("c", id=given(1))])
    writer.append(theirs)
    appended = writer.append(request("t", calls("c", id=given(1))))
    assert appended.messages == (Receipt(given(1), 1, 2, replayed=False),)
    assert [event.position for event in reader.log()] == [2]
    check_log(database)
