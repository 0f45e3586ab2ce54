"""Whatever JSON can say comes back as it was said, from every place of a message and a thread."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.histories import drafts, examples, metadata
from tests.infrastructure.appends import (
    TENANT,
    Clock,
    Ids,
    calls,
    check_log,
    fetch,
    last_position,
    reply,
    request,
    results,
)
from tests.infrastructure.appends import given as given_id
from tests.infrastructure.postgres.relay import Relay

ODD = parse(
    b'{"nul":"a\\u0000b","\\u0000":1,"big":-123456789012345678901234567890,"ten":1.10,'
    b'"huge":1e400,"zero":-0,"point":-0.0,"max":18446744073709551616,"emoji":"\xf0\x9f\xa6\x9c",'
    b'"rtl":"\\u202e","quote":"\\"; DROP TABLE agentlog.events; --","list":[[],{},null,true]}'
)
HOSTILE = "a\x00b'; DROP TABLE agentlog.events; -- %s %(tenant)s {} \\ \U0001f99c"


def test_odd_values_come_back_from_body_and_metadata(threads: Threads, database: Database) -> None:
    threads.append("t", [{"type": "vendor.odd", "payload": ODD, "metadata": ODD}])
    (event,) = threads.messages("t")
    assert isinstance(event.raw, dict)
    assert print_bytes(event.raw["payload"]) == print_bytes(ODD)
    assert print_bytes(event.metadata) == print_bytes(ODD)
    assert b'"ten":1.10,"huge":1e400,"zero":-0,"point":-0.0' in event.body
    check_log(database)


def test_odd_values_come_back_from_arguments_and_outputs(threads: Threads) -> None:
    call = {"id": HOSTILE, "name": HOSTILE, "args": ODD, "argumentsText": HOSTILE}
    result = {"callId": HOSTILE, "name": HOSTILE, "output": ODD}
    threads.append(
        "t",
        [{"type": "tool_calls", "calls": [call]}, {"type": "tool_results", "results": [result]}],
    )
    asked, answered = threads.messages("t")
    assert isinstance(asked.raw, dict)
    assert isinstance(answered.raw, dict)
    assert print_bytes(asked.raw["calls"]) == print_bytes([call])
    assert print_bytes(answered.raw["results"]) == print_bytes([result])


def test_odd_values_come_back_from_the_facts_of_a_thread(threads: Threads) -> None:
    threads.start("t", {"goal": HOSTILE, "metadata": {"odd": ODD}})
    threads.annotate("t", {"a\x00b": ODD})
    head = threads.head("t")
    assert head.goal == HOSTILE
    assert print_bytes(head.read_facts()["metadata"]) == print_bytes({"odd": ODD, "a\x00b": ODD})
    threads.close("t", HOSTILE)
    assert threads.messages("t")[-1].raw["reason"] == HOSTILE


@settings(examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draft=drafts, about=metadata)
def test_any_message_comes_back(
    threads: Threads, database: Database, draft: dict[str, Any], about: dict[str, JsonValue]
) -> None:
    thread_id = f"t{last_position(database)}"
    threads.start(thread_id, {"policy": "record"})
    about = {key: value for key, value in about.items() if key != "responseId"}
    appended = threads.append(thread_id, [{**draft, "metadata": about}])
    event = threads.message(thread_id, appended.messages[0].id)
    assert isinstance(event.raw, dict)
    kept = {key: value for key, value in event.raw.items() if key not in {"id", "timestamp"}}
    assert print_bytes(kept) == print_bytes({"type": draft["type"], **draft})
    assert print_bytes(event.metadata) == print_bytes(about)


def test_a_call_id_of_three_thousand_bytes_is_an_id_like_others(
    threads: Threads, database: Database
) -> None:
    long = "é" * 1500
    threads.append("t", [calls(long, long + "x")])
    threads.append("t", [results(long)])
    assert fetch(database, "SELECT asked, answered FROM agentlog.ledger ORDER BY answered") == [
        (1, 2),
        (1, None),
    ]
    check_log(database)


def test_a_number_of_ten_thousand_digits_keeps_them_all(threads: Threads) -> None:
    digits = "7" * 10_000
    threads.append("t", [parse(f'{{"type":"vendor.n","payload":{digits}}}')])
    assert digits.encode() in threads.messages("t")[0].body


def test_text_that_looks_like_sql_is_text(threads: Threads, database: Database) -> None:
    threads.start("t", {"goal": HOSTILE})
    threads.append("t", [reply(HOSTILE, metadata={HOSTILE: HOSTILE, "actor": HOSTILE})])
    event = threads.messages("t")[1]
    assert isinstance(event.raw, dict)
    assert event.raw["text"] == HOSTILE
    assert event.metadata == {HOSTILE: HOSTILE, "actor": HOSTILE}
    assert last_position(database) == 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize("way", ["as the server listens", "over TCP"])
def test_a_message_of_twenty_megabytes_goes_in_and_out(database_url: str, way: str) -> None:
    """The library's own recorder hangs here, and keeps its lock."""
    large = reply("x" * 20_000_000, id=given_id(1))
    with (
        Relay(database_url) as relay,
        Database(relay.url if way == "over TCP" else database_url, pool_size=2) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        reader = LogReader(database, tenant=TENANT)
        writer.append(request("t", large))
        (event,) = reader.events("t")
        assert isinstance(event.raw, dict)
        assert event.raw["text"] == large["text"]
        assert writer.append(request("t", large)).messages[0].replayed
        assert writer.append(request("t", reply("small"))).position == 2
        check_log(database)
