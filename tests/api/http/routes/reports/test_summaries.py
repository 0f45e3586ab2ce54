"""Summaries of threads over HTTP: shape, filters by their names, waiting, and problems."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.refusals import problem_in
from tests.infrastructure.appends import STORY, last_position, reply
from tests.infrastructure.reports.histories import build_all, discard_all


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture
def told(threads: Threads, database: Database) -> Threads:
    """A thread with a story, and one that waits for an approval."""
    threads.start("story", {"goal": "Find the parcel", "metadata": {"team": "red", "reward": 0.5}})
    threads.append("story", STORY)
    threads.start("asking", {"policy": "record", "parent": "story"})
    threads.append("asking", [{"type": "approval_request", "callId": "x", "tool": "mail"}])
    build_all(database)
    return threads


def workers(client: TestClient, thread_id: str, query: str = "") -> Any:
    answer = client.get(f"/v1/threads/{thread_id}/workers?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_tree_of_workers_has_what_each_did_and_all_below_it(
    client: TestClient, threads: Threads, database: Database
) -> None:
    failed = {"type": "tool_results", "results": [{"callId": "a", "output": None, "error": "no"}]}
    call = {"type": "tool_calls", "calls": [{"id": "a", "name": "search"}]}
    answered = {"type": "llm_response", "costUsd": 0.25, "usage": {"totalTokens": 100}}
    for thread_id, parent, messages in (
        ("lead", None, [answered]),
        ("first", "lead", [answered, call, failed]),
        ("below", "first", [answered]),
        ("second", "lead", [call]),
    ):
        threads.start(thread_id, {"policy": "record", "parent": parent})
        threads.append(thread_id, messages)
    build_all(database)
    tree = workers(client, "below")
    assert workers(client, "lead") == tree
    assert not tree["truncated"]
    rows = [(node["threadId"], node["depth"], node["parent"]) for node in tree["items"]]
    assert rows == [
        ("lead", 0, None),
        ("first", 1, "lead"),
        ("below", 2, "first"),
        ("second", 1, "lead"),
    ]
    wholes = {node["threadId"]: node["whole"] for node in tree["items"]}
    assert [wholes[name]["costUsd"] for name, *_ in rows] == [0.75, 0.5, 0.25, None]
    assert [wholes[name]["failures"] for name, *_ in rows] == [1, 1, 0, 0]
    assert [wholes[name]["threads"] for name, *_ in rows] == [4, 2, 1, 1]
    assert tree["items"][0]["own"]["costUsd"] == 0.25


def test_a_tree_leaves_out_hidden_threads_and_ends_where_threads_work_for_each_other(
    client: TestClient, threads: Threads, database: Database
) -> None:
    threads.start("one", {"parent": "other"})
    threads.start("other", {"parent": "one"})
    threads.start("alone", {"parent": "never-there"})
    build_all(database)
    assert [node["threadId"] for node in workers(client, "one")["items"]] == ["one", "other"]
    assert [node["depth"] for node in workers(client, "alone")["items"]] == [0]
    assert client.get("/v1/threads/never-there/workers").status_code == 404


def test_a_thread_that_the_read_models_have_not_got_is_in_its_tree(
    client: TestClient, told: Threads
) -> None:
    told.start("late", {"parent": "story"})
    *_, late = workers(client, "story")["items"]
    assert (late["threadId"], late["own"]["threads"], late["own"]["costUsd"]) == ("late", 0, None)
    assert (late["firstSentAt"], late["tone"]) == (None, "neutral")


def ask(client: TestClient, query: str = "") -> Any:
    answer = client.get(f"/v1/summaries?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_summary_is_a_thread_with_its_counts_and_sums(
    client: TestClient, told: Threads, database: Database
) -> None:
    page = ask(client, "filter=parcel")
    head = told.head("story")
    (row,) = page.pop("items")
    assert page == {"total": 1, "offset": 0, "asOf": last_position(database), "lag": 0}
    assert {name: row.pop(name) for name in ("startedAt", "updatedAt")} == {
        name: client.get("/v1/threads/story").json()[name] for name in ("startedAt", "updatedAt")
    }
    sent = {name: row.pop(name) for name in ("firstSentAt", "lastSentAt", "durationMs")}
    assert sent == {
        "firstSentAt": "2026-01-01T12:00:00.000000Z",
        "lastSentAt": "2026-01-01T12:00:00.000000Z",
        "durationMs": None,
    }
    (mark,) = row.pop("marks")
    assert mark == {
        "rule": "repeated_in_a_row",
        "tool": "f",
        "command": None,
        "model": None,
        "calls": 1,
        "version": mark["version"],
        "lastVersion": mark["version"],
    }
    assert row == {
        "threadId": "story",
        "goal": "Find the parcel",
        "parent": None,
        "status": "exited",
        "outcome": "complete",
        "verdict": None,
        "judged": None,
        "judgedBy": None,
        "score": 0.5,
        "policy": "strict",
        "metadata": {"team": "red", "reward": 0.5},
        "labels": [],
        "judgements": [],
        "tools": ["f"],
        "version": head.version,
        "position": head.position,
        "messages": 21,
        "inputs": 2,
        "replies": 2,
        "steps": 9,
        "toolCalls": 3,
        "toolFailures": 1,
        "modelCalls": 1,
        "inputTokens": None,
        "outputTokens": None,
        "totalTokens": 7,
        "costUsd": None,
        "computedCalls": 0,
        "unpricedCalls": 1,
        "approvalsAsked": 1,
        "approvalsPending": 0,
        "workers": 1,
        "runtimeErrors": 0,
        "anomalies": 0,
        "failures": 1,
        "told": 0,
        "suspected": 0,  # the call that repeats others failed
        "loops": 1,
        "hidden": False,
        "tone": "neutral",
    }


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["asking", "story"]),
        ("sort=position", ["story", "asking"]),
        ("sort=-totalTokens", ["story", "asking"]),
        ("sort=totalTokens", ["story", "asking"]),
        ("sort=threadId&offset=1", ["story"]),
        ("sort=metadata.team", ["story", "asking"]),
        ("sort=-metadata.reward", ["story", "asking"]),
        ("limit=1", ["asking"]),
        ("filter=status:open", ["asking"]),
        ("filter=parent:story", ["asking"]),
        ("filter=exit:complete", ["story"]),
        ("filter=metadata.reward:0.50+metadata.team:red", ["story"]),
        ("filter=tool:f", ["story"]),
        ("filter=tool:f+tool:g", []),
        ("filter=has:error", ["story"]),
        ("filter=-failed+-succeeded", ["asking", "story"]),
        ("filter=succeeded", []),
        ("filter=rule:repeated_in_a_row", ["story"]),
        ("filter=rule:x", []),
        ("filter=loops:0", ["asking"]),
        ("filter=-has:error", ["asking"]),
        ("filter=pending", ["asking"]),
        ("filter=anomalies>0", []),
        ("filter=anomalies:0+-pending", ["story"]),
    ],
)
def test_every_filter_and_order_has_its_parameter(
    client: TestClient, told: Threads, query: str, expected: list[str]
) -> None:
    assert told.head("story")
    assert [row["threadId"] for row in ask(client, query)["items"]] == expected


def test_threads_that_the_read_models_lack_are_not_there_and_wait_waits_for_them(
    client: TestClient, told: Threads, database: Database
) -> None:
    appended = told.append("new", [reply("later")])
    page = ask(client)
    assert (page["total"], page["lag"]) == (2, 1)
    build_all(database)
    page = ask(client, f"wait={appended.position}")
    assert (page["total"], page["asOf"], page["lag"]) == (3, appended.position, 0)
    answer = client.get(f"/v1/summaries?wait={appended.position + 1}")
    assert answer.json()["type"] == "urn:agentlog:problem:future-moment"


@pytest.mark.parametrize("path", ["summaries", "search"])
def test_a_wait_is_for_all_that_a_filter_reads(
    client: TestClient, told: Threads, database: Database, path: str
) -> None:
    call = {"type": "tool_calls", "calls": [{"id": "z", "name": "remove"}]}
    position = told.append("late", [call]).position
    build_all(database, *(name for name in READ_MODELS if name != "tool_calls"))
    assert client.post("/v1/projections/tool_calls/pause").status_code == 200
    path = f"/v1/{path}"
    assert client.get(path, params={"wait": position}).status_code == 200
    for text in ("tool:remove", "-(failed or tool:remove)"):
        answer = client.get(path, params={"wait": position, "filter": text})
        problem_in(answer, 503, "projection-behind", "tool_calls")
    assert client.post("/v1/projections/tool_calls/resume").status_code == 200
    build_all(database, "tool_calls")
    answer = client.get(path, params={"wait": position, "filter": "tool:remove"})
    assert [row["threadId"] for row in answer.json()["items"]] == ["late"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("sort=colour", "sort: no column 'colour'; there are threadId, goal, parent"),
        ("sort=metadata", "no column 'metadata'"),
        ("sort=metadata.", "names no key"),
        ("sort=--position", "no column '-position'"),
        ("sort=total_tokens", "no column 'total_tokens'"),
        ("offset=-1", "offset"),
        ("offset=9223372036854775808", "offset"),
        ("limit=501", "limit"),
        ("failed=perhaps", "failed"),
        ("outcome=fine", "outcome"),
        ("filter=metadata.:x", "name the key"),
        ("colour=red", "'colour' is no parameter of this route"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(
    client: TestClient, told: Threads, query: str, words: str
) -> None:
    assert told.head("story")
    answer = client.get(f"/v1/summaries?{query}")
    assert answer.status_code == 422
    assert words in answer.text


def test_before_the_read_models_are_built_the_problem_says_who_builds_them(
    client: TestClient, database: Database
) -> None:
    discard_all(database)
    answer = client.get("/v1/summaries")
    assert answer.json()["type"] == "urn:agentlog:problem:not-yet-built"
