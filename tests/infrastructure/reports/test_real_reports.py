"""Reports over tau-bench's runs, against straight computations over the source file itself."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.question import Question
from agentlog.infrastructure.reports.reports import Reports
from agentlog.projections.filters.expression import Term
from agentlog.projections.readers.messages import chat
from tests.airline import airline_runs
from tests.databases import new_database
from tests.infrastructure.appends import TENANT, Clock, Ids, started
from tests.infrastructure.reports.histories import build_all

Call = tuple[str, str, float, str]
"""Thread, tool, the run's reward, and what the tool said."""


def thread_of(record: dict[str, Any]) -> str:
    return f"airline-{record['task_id']}-{record['trial']}"


@pytest.fixture(scope="module")
def reports(server_url: str, template_database: str) -> Iterator[Reports]:
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
    ):
        writer = Writer(database, clock=Clock(), new_id=Ids())
        for record in airline_runs():
            drafts = list(chat.READER.read(record["traj"]))
            facts = [started(policy="record", metadata={"reward": record["reward"]})]
            writer.append(AppendRequest(TENANT, thread_of(record), drafts, facts))
        build_all(database, "tool_calls", "threads", "suspicions", "model_calls")
        yield Reports(database, tenant=TENANT)


@pytest.fixture(scope="module")
def calls() -> list[Call]:
    """Every call of the source file with its answer: the next one for its id."""
    judged = []
    for record in airline_runs():
        asked: list[tuple[str, str]] = []
        for item in record["traj"]:
            made = item.get("tool_calls") or ()
            asked.extend((call["id"], call["function"]["name"]) for call in made)
            if item["role"] == "tool":
                names = [name for call_id, name in asked if call_id == item["tool_call_id"]]
                asked.remove((item["tool_call_id"], names[0]))
                judged.append((thread_of(record), names[0], record["reward"], item["content"]))
        assert not asked  # here every call is answered
    return judged


def is_error(text: str) -> bool:
    return text.startswith("Error:")


def test_tools_fail_as_often_as_in_the_source(reports: Reports, calls: list[Call]) -> None:
    asked, failed = Counter(c[1] for c in calls), Counter(c[1] for c in calls if is_error(c[3]))
    answer = reports.ask("tools", Question())
    # the source says only by "Error:" how a call ended: it is told, no outcome on record
    assert {row[0]: row[1:] for row in answer.rows} == {
        tool: (count, count, 0, 0, *[None] * 4, 0, failed[tool]) for tool, count in asked.items()
    }
    assert failed.total() > 0
    assert [row[1] for row in answer.rows] == sorted(asked.values(), reverse=True)


def test_tools_fail_more_where_the_run_does(reports: Reports, calls: list[Call]) -> None:
    answer = reports.ask("tools", Question(by=["metadata.reward"]))
    asked = Counter(call[2] for call in calls)
    failed = Counter(call[2] for call in calls if is_error(call[3]))
    assert {row[0]: (*row[1:3], row[-1]) for row in answer.rows} == {
        reward: (asked[reward], asked[reward], failed[reward]) for reward in asked
    }
    narrowed = reports.ask("tools", Question(by=[], where=Term("metadata", ":", 1.0, key="reward")))
    row = narrowed.rows[0]
    assert (*row[:2], row[-1]) == (asked[1.0], asked[1.0], failed[1.0])


def test_failures_are_those_of_the_source(reports: Reports, calls: list[Call]) -> None:
    answer = reports.ask("failures", Question(by=["tool"], limit=1000))
    failed = Counter(call[1] for call in calls if is_error(call[3]))
    threads = Counter(tool for tool, _ in {(c[1], c[0]) for c in calls if is_error(c[3])})
    assert {row[0]: row[1:3] for row in answer.rows} == {
        tool: (count, threads[tool]) for tool, count in failed.items()
    }
    said = {call[3].removeprefix("Error:").strip() for call in calls if is_error(call[3])}
    message = [column.name for column in answer.columns].index("error_message")
    assert {row[message] for row in answer.rows} <= said


def test_threads_hold_what_the_source_does(reports: Reports, calls: list[Call]) -> None:
    answer = reports.ask("threads", Question(by=["metadata.reward"]))
    names = [column.name for column in answer.columns]
    rows = [dict(zip(names, row, strict=True)) for row in answer.rows]
    runs = Counter(record["reward"] for record in airline_runs())
    made = Counter(call[2] for call in calls)
    told = Counter(call[2] for call in calls if is_error(call[3]))
    assert {
        row["metadata.reward"]: tuple(map(row.get, ("threads", "tool_calls", "failures", "told")))
        for row in rows
    } == {reward: (count, made[reward], 0, told[reward]) for reward, count in runs.items()}
    # nobody measured, and nobody said what it cost
    assert {(row["duration_p50"], row["total_tokens"], row["cost_usd"]) for row in rows} == {
        (None, None, None)
    }
