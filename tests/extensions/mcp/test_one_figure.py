"""A run's words, calls, time and cost are one figure in all that answers about it."""

import operator
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from agentlog.projections.why.trail import Trail, trail_of
from tests.api.servers import running
from tests.extensions.mcp.assistants import call, over_http
from tests.histories import call_ids, drafts
from tests.infrastructure.reports.histories import build_all

VIEW = TimelineView(TimelineOptions(hint=True, attempts=True))
WORDS = ("failures", "told", "suspected")
_NUMBERS = count()

OF_CALLS = """
SELECT count(called_at) AS calls,
       count(*) FILTER (WHERE outcome = 'failed') AS failed,
       count(*) FILTER (WHERE outcome = 'told') AS told
FROM tool_calls WHERE thread_id = $1
"""
OF_OTHERS = """
SELECT (SELECT count(*) FROM workers WHERE thread_id = threads.thread_id AND outcome = 'failed')
       + runtime_errors + coalesce((outcome = 'error')::int, 0) AS failures
FROM threads WHERE thread_id = $1
"""


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """The address of the service, for an assistant."""
    with running(app) as (_, address):
        yield address


TELLING = st.fixed_dictionaries(
    {
        "type": st.just("tool_results"),
        "results": st.lists(
            st.fixed_dictionaries(
                {
                    "callId": call_ids,
                    "output": st.sampled_from(
                        ["ok", "Error: no such user", {"error": "late"}, "command not found"]
                    ),
                },
                optional={"error": st.sampled_from([None, "late"])},
            ),
            min_size=1,
            max_size=3,
        ),
    }
)
BESIDE = st.fixed_dictionaries(
    {"timestamp": st.integers(0, 10**6)},
    optional={"metadata": st.fixed_dictionaries({"responseId": st.sampled_from(["r1", "r2"])})},
)
HISTORIES = st.lists(st.builds(operator.or_, drafts | TELLING, BESIDE), max_size=12)


def trail(threads: Threads, thread_id: str) -> Trail:
    events = threads.messages(thread_id)
    return trail_of([placed.item for placed in render(VIEW, events).items])


def figures(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures that an answer has, by the names that they have in all."""
    names = {"toolCalls": "calls", "tool_calls": "calls", "durationMs": "elapsedMs"}
    known = {*WORDS, "calls", "elapsedMs", "costUsd", "computedCalls", "unpricedCalls"}
    named = {names.get(key, key): value for key, value in row.items()}
    return {key: value for key, value in named.items() if key in known}


@given(st.lists(HISTORIES, min_size=8, max_size=12))
@settings(
    max_examples=4,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
def test_all_that_answers_has_the_same_figures(
    address: str,
    threads: Threads,
    database: Database,
    drawn: list[list[dict[str, Any]]],
) -> None:
    ids = [f"drawn-{next(_NUMBERS)}" for _ in drawn]
    for thread_id, messages in zip(ids, drawn, strict=True):
        threads.start(thread_id, {"policy": "record"})
        if messages:
            threads.append(thread_id, messages)
    build_all(database)

    def ask(path: str, **query: str) -> Any:
        answer = httpx2.get(f"{address}{path}", params=query, trust_env=False)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def sql(query: str, thread_id: str) -> dict[str, Any]:
        asked = {"sql": query, "parameters": [thread_id]}
        answer = httpx2.post(f"{address}/v1/analytics/sql", json=asked, trust_env=False)
        assert answer.status_code == 200, answer.text
        columns = [column["name"] for column in answer.json()["columns"]]
        return next((dict(zip(columns, row, strict=True)) for row in answer.json()["rows"]), {})

    async def assistant(asks: Client) -> dict[str, Any]:
        return {name: await call(asks, "why", thread_id=name) for name in ids}

    of_assistant = over_http(address, assistant)
    reported = {row["thread"]: row for row in ask("/v1/analytics/threads", by="thread")["rows"]}
    for thread_id in ids:
        run = trail(threads, thread_id)
        total, words = run.total, run.words
        expected = {
            **dict(zip(WORDS, (words.failures, words.told, words.suspected), strict=True)),
            "calls": len(run.calls),
            "elapsedMs": total.elapsed_ms,
            "costUsd": None if total.cost_usd is None else pytest.approx(total.cost_usd),
            "computedCalls": total.computed_calls,
            "unpricedCalls": total.unpriced_calls,
        }
        why = ask(f"/v1/threads/{thread_id}/why")
        (summary,) = ask("/v1/summaries", filter=f"thread:{thread_id}")["items"]
        (node,) = ask(f"/v1/threads/{thread_id}/workers")["items"]
        assert figures({**why, **why["total"]}) == expected
        assert figures(summary) == expected
        whole, row = figures(node["own"]), reported[thread_id]
        assert whole == {key: expected[key] for key in whole}
        assert figures(row) == {key: expected[key] for key in figures(row)}
        assert row["duration_p50"] == total.elapsed_ms
        of_calls, of_others = sql(OF_CALLS, thread_id), sql(OF_OTHERS, thread_id)
        assert of_calls["failed"] + of_others["failures"] == words.failures
        assert (of_calls["told"], of_calls["calls"]) == (words.told, len(run.calls))
        outline = ask(f"/v1/threads/{thread_id}/outline")
        called = [made for step in outline["steps"] for made in step["calls"]]
        assert sum(made["failed"] for made in called) == of_calls["failed"]
        assert sum(made["told"] for made in called) == words.told
        answer = of_assistant[thread_id]["why"]
        assert figures({**answer, **answer["total"]}) == expected
