"""Calls, tokens and cost of threads are one figure: lists, why, outlines, trees, reports and SQL.

Answers come several times, in one thread and in several, and runs state totals of their own. The
judge adds up each identity once, with the most that was told of it, over all that was drawn.
MCP's tools are these routes (`extensions/mcp/http_api.py`).
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import app_over, threads_over
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.appends import NOON
from tests.infrastructure.reports.histories import build_all

NUMBERS = count()
Served = tuple[TestClient, Database]
COLUMNS = ("model_calls", "input_tokens", "output_tokens", "total_tokens", "cost_usd")
Figures = tuple[Any, ...]


@pytest.fixture(scope="module")
def served(server_url: str, template_database: str) -> Iterator[Served]:
    """A client of a service, and its database."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=4) as database,
        TestClient(app_over(database, threads_over(database))) as client,
    ):
        yield client, database


ANSWERS = st.fixed_dictionaries(
    {
        "identity": st.sampled_from(["a", "b", "c", None]),
        "output": st.sampled_from([1, 7, 260]),
        "cost": st.sampled_from([None, 0.25, 0.5]),
        "asked": st.booleans(),
    }
)
RUNS = st.fixed_dictionaries(
    {"answers": st.lists(ANSWERS, max_size=6)},
    optional={"costUsd": st.sampled_from([0.125, 3.5]), "inputTokens": st.just(900)},
)


def drafts_of(answers: Sequence[dict[str, Any]], number: int) -> Iterator[dict[str, Any]]:
    """Yield the messages of answers; those with an identity are not asked for, as in imports."""
    for n, answer in enumerate(answers):
        identity = answer["identity"]
        if answer["asked"] and identity is None:
            yield {"type": "llm_request", "model": "m", "timestamp": NOON + n}
        draft: dict[str, Any] = {"type": "llm_response", "model": "m", "timestamp": NOON + n}
        draft["usage"] = {"inputTokens": 10 * answer["output"], "outputTokens": answer["output"]}
        if identity is not None:
            draft["metadata"] = {"responseId": f"msg_{number}_{identity}"}
        if answer["cost"] is not None:
            draft["costUsd"] = answer["cost"]
        yield draft


def judged(runs: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Return how many answers there are, and what they wrote, each identity once."""
    most: dict[Any, int] = {}
    for run_number, run in enumerate(runs):
        for n, answer in enumerate(run["answers"]):
            key = answer["identity"] or (run_number, n)
            most[key] = max(most.get(key, 0), answer["output"])
    return len(most), sum(most.values())


def rounded(figures: Sequence[Any]) -> Figures:
    return tuple(round(it, 9) if isinstance(it, float) else it for it in figures)


def of_object(item: dict[str, Any], *names: str) -> Figures:
    return rounded([item[name] for name in names])


TOKENS = ("inputTokens", "outputTokens", "totalTokens", "costUsd")


@given(runs=st.lists(RUNS, min_size=1, max_size=3))
@examples(15, long=150)
def test_every_door_has_the_same_figures(served: Served, runs: list[dict[str, Any]]) -> None:
    client, database = served
    number = next(NUMBERS)
    names = [f"t{number}-{n}" for n in range(len(runs))]
    for n, (name, run) in enumerate(zip(names, runs, strict=True)):
        stated = {key: run[key] for key in ("costUsd", "inputTokens") if key in run}
        start: dict[str, Any] = {
            "threadId": name,
            "policy": "record",
            "metadata": {"case": number, **stated},
        }
        if n:
            start["parent"] = names[0]
        client.post("/v1/threads", json=start).raise_for_status()
        messages = [*drafts_of(run["answers"], number)]
        if messages:
            client.post(f"/v1/threads/{name}/messages", json=messages).raise_for_status()
    build_all(database, "threads", "suspicions", "approvals", "model_calls")
    where = {"filter": f"metadata.case:{number}"}
    rows = {
        row["threadId"]: row for row in client.get("/v1/summaries", params=where).json()["items"]
    }
    listed = {name: of_object(rows[name], "modelCalls", *TOKENS) for name in names}

    tree = client.get(f"/v1/threads/{names[0]}/workers").json()["items"]
    own = {item["threadId"]: of_object(item["own"], "totalTokens", "costUsd") for item in tree}
    assert own == {name: figures[3:] for name, figures in listed.items()}
    whole = of_object(tree[0]["whole"], "totalTokens", "costUsd")
    assert whole == tuple(total([listed[name][n] for name in names]) for n in (3, 4))

    usage = client.get("/v1/analytics/usage", params={**where, "by": "thread"}).json()["rows"]
    told = {row["thread"]: of_object(row, "calls", *COLUMNS[1:]) for row in usage}
    assert {**{name: listed[name] for name in names if name not in told}, **told} == listed
    assert not any(any(listed[name]) for name in names if name not in told)
    (summed,) = client.get("/v1/analytics/threads", params={**where, "by": ""}).json()["rows"]
    (used,) = client.get("/v1/analytics/usage", params={**where, "by": ""}).json()["rows"]
    for key in ("cost_usd", "total_tokens", "computed_calls", "unpriced_calls"):
        assert summed[key] == used[key], key

    sql = f"SELECT thread_id, {', '.join(COLUMNS)} FROM threads WHERE thread_id = ANY (:names)"  # noqa: S608 - names of columns
    asked = {"sql": sql, "parameters": {"names": names}}
    answer = client.post("/v1/analytics/sql", json=asked)
    assert {row[0]: rounded(row[1:]) for row in answer.json()["rows"]} == listed

    for name, run in zip(names, runs, strict=True):
        total_of_run = client.get(f"/v1/threads/{name}/why").json()["total"]
        assert of_object(total_of_run, *TOKENS) == listed[name][1:], name
        steps = client.get(f"/v1/threads/{name}/outline").json()["steps"]
        if run.keys() == {"answers"}:
            pairs = (("inputTokens", 1), ("outputTokens", 2), ("costUsd", 4))
            for key, place in pairs:
                assert rounded([total([step[key] for step in steps])])[0] == listed[name][place]

    answers, written = judged(runs)
    assert sum(figures[0] for figures in listed.values()) == answers
    own_words = [run.keys() == {"answers"} or bool(run["answers"]) for run in runs]
    if all(own_words) and not any("inputTokens" in run for run in runs):
        assert sum(figures[2] or 0 for figures in listed.values()) == written


def total(figures: Sequence[Any]) -> Any:
    """Return the sum of what is known, None where nothing is."""
    known = [figure for figure in figures if figure is not None]
    return rounded([sum(known)])[0] if known else None
