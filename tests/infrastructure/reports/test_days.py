"""Days and hours of reports, judged by the standard library's time zones over the source's times.

The times are of imported answers, which no request precedes: they stand where they were sent.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import Reports
from tests.infrastructure.appends import TENANT, Clock, Ids, request, started
from tests.infrastructure.reports.histories import build_all

# where clocks are set: Berlin, New York, Lord Howe (by half an hour), at midnight in Santiago
TURNS = [
    datetime(2026, 3, 29, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 1, tzinfo=UTC),
    datetime(2026, 11, 1, 6, tzinfo=UTC),
    datetime(2026, 4, 4, 15, tzinfo=UTC),
    datetime(2026, 9, 6, 4, tzinfo=UTC),
]
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
]


def some_times() -> list[datetime]:
    random = Random(46)  # noqa: S311 - a drawn history, no secret
    return [
        turn + timedelta(minutes=random.randint(-2000, 2000)) for turn in TURNS for _ in range(24)
    ]


TIMES = some_times()


def responses(times: Sequence[datetime], **metadata: Any) -> list[dict[str, Any]]:
    """Return imported answers: none was asked for."""
    return [
        {
            "type": "llm_response",
            "timestamp": round(time.timestamp() * 1000),
            "model": "m",
            "usage": {"inputTokens": 1, "outputTokens": 1},
            "metadata": {name: f"{value}{n}" for name, value in metadata.items()},
        }
        for n, time in enumerate(times)
    ]


def append(database: Database, **threads: list[dict[str, Any]]) -> Reports:
    writer = Writer(database, clock=Clock(), new_id=Ids())
    for thread_id, drafts in threads.items():
        writer.append(request(thread_id, *drafts, facts=[started(policy="record")]))
    build_all(database, "model_calls", "threads")
    return Reports(database, tenant=TENANT)


def beginning(time: datetime, unit: str, zone: ZoneInfo) -> str:
    """Return where the hour, day, week or month of a time begins in a zone."""
    local = time.astimezone(zone)
    match unit:
        case "hour":
            past = timedelta(minutes=local.minute, seconds=local.second)
            return (time - past).astimezone(zone).isoformat().replace("+00:00", "Z")
        case "day":
            return local.date().isoformat()
        case "week":
            return (local.date() - timedelta(days=local.weekday())).isoformat()
        case _:
            return local.date().replace(day=1).isoformat()


def test_imported_calls_stand_when_they_were_sent_in_each_zone(own_database: Database) -> None:
    reports = append(own_database, imported=responses(TIMES))
    for name in ZONES:
        zone = ZoneInfo(name)
        for unit in ("hour", "day", "week", "month"):
            question = Question(by=[unit], clock="sent", zone=name, limit=1000)
            answer = reports.ask("usage", question)
            judged = Counter(beginning(time, unit, zone) for time in TIMES)
            assert {row[0]: row[1] for row in answer.rows} == judged, (name, unit)
            assert answer.untimed == 0


@pytest.mark.parametrize("name", ZONES)
def test_a_range_has_the_calls_of_its_days(own_database: Database, name: str) -> None:
    reports = append(own_database, imported=responses(TIMES))
    begin = datetime(2026, 10, 25, tzinfo=ZoneInfo(name))
    end = datetime(2026, 10, 26, tzinfo=ZoneInfo(name))
    question = Question(by=[], clock="sent", zone=name, begin=begin, end=end)
    (row,) = reports.ask("usage", question).rows
    assert row[0] == sum(begin <= time < end for time in TIMES) > 0


def test_what_a_resumed_session_says_again_counts_once(own_database: Database) -> None:
    times = TIMES[:5]
    again, more = responses(times, responseId="msg_"), responses(TIMES[5:8], responseId="msg_new_")
    again[4]["usage"] = {"inputTokens": 1, "outputTokens": 260}  # the first file was cut there
    reports = append(
        own_database, first=responses(times, responseId="msg_"), resumed=[*again, *more]
    )
    (row,) = reports.ask("usage", Question(by=[], clock="sent")).rows
    assert (row[0], row[1]) == (8, 8)
    outputs = {
        column.name: row[n]
        for n, column in enumerate(reports.ask("usage", Question(by=[])).columns)
    }
    assert outputs["output_tokens"] == 7 + 260


def test_sums_over_threads_leave_out_what_another_thread_has(own_database: Database) -> None:
    said = responses(TIMES[:4], responseId="msg_")
    append(own_database, first=said, resumed=[*said, *responses(TIMES[4:6])])
    build_all(own_database, "suspicions")
    answer = Reports(own_database, tenant=TENANT).ask("threads", Question(by=[]))
    (row,) = answer.rows
    figures = dict(zip([column.name for column in answer.columns], row, strict=True))
    assert (figures["model_calls"], figures["total_tokens"]) == (6, 12)


def test_ids_that_come_in_every_thread_are_of_other_answers(own_database: Database) -> None:
    early, late = responses(TIMES[:2], responseId="r"), responses(TIMES[2:4], responseId="r")
    reports = append(own_database, one=early, other=late)
    (row,) = reports.ask("usage", Question(by=[])).rows
    assert row[0] == 4
