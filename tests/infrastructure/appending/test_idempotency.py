"""Ids, times and versions: what is filled in, what a retry is answered, what a conflict is."""

from typing import Any

import pytest

from agentlog.domain.errors import (
    MessageConflict,
    VersionConflict,
)
from agentlog.domain.json.text import parse
from agentlog.infrastructure.appending.append_request import Appended, Receipt
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import (
    NOON,
    Clock,
    calls,
    given,
    last_position,
    reply,
    request,
    results,
    ulid,
)


def _appended(outcome: object) -> Appended:
    assert isinstance(outcome, Appended), outcome
    return outcome


# What is filled in


def test_a_message_without_id_and_time_gets_a_fresh_ulid_and_the_clocks_time(
    writer: Writer, reader: LogReader
) -> None:
    appended = writer.append(request("t", reply("hello")))
    assert appended == Appended("t", 1, 1, (Receipt(ulid(1), 1, 1, replayed=False),))
    (event,) = reader.events("t")
    assert event.body == b'{"id":"%s","timestamp":%d,"type":"reply","text":"hello"}' % (
        ulid(1).encode(),
        NOON,
    )


def test_an_id_and_a_time_of_the_callers_are_kept(writer: Writer, reader: LogReader) -> None:
    writer.append(request("t", reply("hello", id=given(7), timestamp=5)))
    (event,) = reader.events("t")
    assert event.message_id == given(7)
    assert event.raw == {"id": given(7), "timestamp": 5, "type": "reply", "text": "hello"}


def test_metadata_stands_beside_the_body(writer: Writer, reader: LogReader) -> None:
    writer.append(request("t", reply("a", metadata={"actor": "me", "free": [1]}), reply("b")))
    first, second = reader.events("t")
    assert first.metadata == {"actor": "me", "free": [1]}
    assert b"metadata" not in first.body
    assert second.metadata == {}


# The same message twice


def test_the_same_message_again_is_answered_with_its_first_place(
    writer: Writer, database: Database
) -> None:
    draft = reply("hello", id=given(1), timestamp=5)
    writer.append(request("t", draft))
    writer.append(request("t", reply("later")))
    again = writer.append(request("t", draft))
    assert again == Appended("t", 2, 2, (Receipt(given(1), 1, 1, replayed=True),))
    assert last_position(database) == 2


@pytest.mark.parametrize(
    "again",
    [
        {"text": "hello", "type": "reply", "timestamp": 5, "id": given(1)},
        {"type": "reply", "text": "hello", "id": given(1)},
        {"type": "reply", "text": "hello", "id": given(1), "metadata": {"traceparent": "00-1"}},
    ],
    ids=["keys in another order", "without its timestamp", "with another trace"],
)
def test_key_order_missing_time_and_metadata_make_no_difference_to_a_retry(
    writer: Writer, clock: Clock, database: Database, again: dict[str, Any]
) -> None:
    writer.append(request("t", reply("hello", id=given(1), timestamp=5)))
    clock.now += 1000
    (receipt,) = writer.append(request("t", again)).messages
    assert receipt == Receipt(given(1), 1, 1, replayed=True)
    assert last_position(database) == 1


def test_a_retry_of_a_message_whose_time_the_clock_gave_may_come_at_another_time(
    writer: Writer, clock: Clock
) -> None:
    writer.append(request("t", reply("hello", id=given(1))))
    clock.now += 60_000
    (receipt,) = writer.append(request("t", reply("hello", id=given(1)))).messages
    assert receipt.replayed


def test_nested_keys_in_another_order_are_the_same_content(writer: Writer) -> None:
    def draft(args: str) -> dict[str, Any]:
        return calls(id=given(1)) | {"calls": parse(f'[{{"id":"c","name":"f","args":{args}}}]')}

    writer.append(request("t", draft('{"a":1,"b":{"c":2,"d":3}}')))
    (receipt,) = writer.append(request("t", draft('{"b":{"d":3,"c":2},"a":1}'))).messages
    assert receipt.replayed


@pytest.mark.parametrize(
    "other",
    [
        reply("other", id=given(1), timestamp=5),
        reply("hello", id=given(1), timestamp=6),
        {"type": "log", "text": "hello", "id": given(1), "timestamp": 5},
    ],
    ids=["text", "time", "type"],
)
def test_other_content_under_the_same_id_is_refused(
    writer: Writer, database: Database, other: dict[str, Any]
) -> None:
    writer.append(request("t", reply("hello", id=given(1), timestamp=5)))
    with pytest.raises(MessageConflict, match="version 1 of thread 't'") as caught:
        writer.append(request("t", reply("new"), other))
    assert (caught.value.thread_id, caught.value.message_id, caught.value.version) == (
        "t",
        given(1),
        1,
    )
    assert last_position(database) == 1


def test_a_number_written_otherwise_is_other_content(writer: Writer) -> None:
    def draft(number: str) -> Any:
        return parse(f'{{"id":"{given(1)}","type":"vendor.n","payload":{number}}}')

    writer.append(request("t", draft("1.10")))
    assert writer.append(request("t", draft("1.10"))).messages[0].replayed
    with pytest.raises(MessageConflict):
        writer.append(request("t", draft("1.1")))


def test_the_same_id_in_another_thread_is_another_message(writer: Writer) -> None:
    writer.append(request("t", reply("one", id=given(1))))
    (receipt,) = writer.append(request("u", reply("two", id=given(1)))).messages
    assert receipt == Receipt(given(1), 1, 2, replayed=False)


def test_a_batch_of_which_half_is_there_appends_the_other_half(writer: Writer) -> None:
    first, second = reply("one", id=given(1)), reply("two", id=given(2))
    writer.append(request("t", first))
    assert writer.append(request("t", first, second)).messages == (
        Receipt(given(1), 1, 1, replayed=True),
        Receipt(given(2), 2, 2, replayed=False),
    )


def test_a_message_that_stands_twice_in_one_append_is_written_once(
    writer: Writer, database: Database
) -> None:
    same = reply("one", id=given(1))
    assert writer.append(request("t", same, same)).messages == (
        Receipt(given(1), 1, 1, replayed=False),
        Receipt(given(1), 1, 1, replayed=True),
    )
    assert last_position(database) == 1


def test_one_id_with_two_contents_in_one_append_is_refused(
    writer: Writer, database: Database
) -> None:
    with pytest.raises(MessageConflict):
        writer.append(request("t", reply("one", id=given(1)), reply("two", id=given(1))))
    assert last_position(database) == 0


def test_a_retried_call_breaks_no_rule(writer: Writer) -> None:
    asked, answered = calls("c", id=given(1)), results("c", id=given(2))
    writer.append(request("t", asked, answered))
    again = writer.append(request("t", asked, answered))
    assert [receipt.replayed for receipt in again.messages] == [True, True]


# The version that a caller expects


def test_an_append_at_the_expected_version_is_taken(writer: Writer) -> None:
    assert writer.append(request("t", reply("one"), expected_version=0)).version == 1
    assert writer.append(request("t", reply("two"), reply("3"), expected_version=1)).version == 3


@pytest.mark.parametrize("expected", [0, 2, 99])
def test_an_append_at_another_version_is_refused_and_says_where_the_thread_is(
    writer: Writer, database: Database, expected: int
) -> None:
    writer.append(request("t", reply("one")))
    with pytest.raises(VersionConflict, match=f"is at version 1, not {expected}") as caught:
        writer.append(request("t", reply("two"), expected_version=expected))
    assert (caught.value.expected, caught.value.actual) == (expected, 1)
    assert last_position(database) == 1


def test_a_retry_is_answered_although_the_thread_has_moved_on_from_the_expected_version(
    writer: Writer,
) -> None:
    first = request("t", reply("one", id=given(1)), expected_version=0)
    writer.append(first)
    writer.append(request("t", reply("two")))
    assert writer.append(first).messages == (Receipt(given(1), 1, 1, replayed=True),)


def test_of_two_requests_in_a_batch_that_expect_one_version_the_first_is_taken(
    writer: Writer,
) -> None:
    one, two = writer.append_many(
        [request("t", reply(text), expected_version=0) for text in ("one", "two")]
    )
    assert _appended(one).version == 1
    assert isinstance(two, VersionConflict)
    assert two.actual == 1
