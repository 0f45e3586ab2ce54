"""Hidden threads over HTTP: unknown and in no list, report or search, until they are shown."""

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import PUBLIC_READ_MODELS
from tests.infrastructure.appends import NOON, STORY, calls, record
from tests.infrastructure.reports.histories import build_all

AUDITED = {"audit", "chain", "evidence", "proof"}
"""Last parts of the routes that prove the log: they answer for all of it."""
REPLAYED = "hazards"
"""The last part of the route about replays, which no hidden thread has; test_forks.py has it."""

LISTS = (
    "/v1/threads",
    "/v1/threads?filter=status:exited",
    "/v1/threads?filter=parent:boss",
    "/v1/threads?filter=parcel",
    "/v1/threads?filter=parcel+metadata.team:red",
    "/v1/threads?filter=metadata.team:red",
    "/v1/summaries",
    "/v1/summaries?filter=parcel",
    "/v1/search?q=parcel",
    "/v1/search?q=parcel&filter=metadata.team:red",
    "/v1/search?q=parcel&filter=thread:lost",
    "/v1/compare/matrix?filter=metadata.team:red",
    "/v1/compare/sets?by=metadata.team",
    *(f"/v1/analytics/{name}" for name in REPORTS),
)


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture
def lost(threads: Threads, database: Database) -> Threads:
    """A thread `lost` that is in every list, and another."""
    facts = {"goal": "Find the parcel", "metadata": {"team": "red"}, "parent": "boss"}
    threads.start("lost", {**facts, "policy": "record"})
    said = {"callId": "late", "output": "Error: not found"}
    threads.append("lost", [{**calls("late", "never"), "timestamp": NOON}])
    threads.append("lost", [{"type": "tool_results", "timestamp": NOON + 9, "results": [said] * 2}])
    threads.append("lost", [{"type": "input", "text": "Where is the parcel?"}, *STORY])
    threads.append("never-started", [{"type": "log", "text": "x"}])
    build_all(database)
    return threads


def ask(client: TestClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    for key in ("asOf", "lag", "next"):
        body.pop(key, None)
    return body


def reads(app: FastAPI) -> list[str]:
    """Return the paths of a thread that are read."""
    return [
        path
        for path, item in app.openapi()["paths"].items()
        if "get" in item and "{thread_id}" in path and not path.endswith(REPLAYED)
    ]


def address(path: str, threads: Threads) -> str:
    message = threads.messages("lost", hidden=True)[1].message_id
    queries = {"changes": "?path=$.status", "events": "?follow=false", "matches": "?filter=parcel"}
    query = queries.get(path.rsplit("/", 1)[1], "")
    return path.format(thread_id="lost", message_id=message, view="kernel", version=8) + query


def with_hidden(address: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}hidden=true"


def test_a_hidden_thread_is_unknown_to_every_read_but_those_that_prove_the_log(
    app: FastAPI, client: TestClient, lost: Threads
) -> None:
    paths = reads(app)
    assert len(paths) > len(AUDITED)
    before = {path: client.get(address(path, lost)).status_code for path in paths}
    record(lost, "lost", "thread.hidden")
    hidden = {path: client.get(address(path, lost)).status_code for path in paths}
    asked = {path: with_hidden(address(path, lost)) for path in paths}
    for path in paths:
        if path.rsplit("/", 1)[1] not in AUDITED:
            assert client.get(asked[path]).status_code == before[path], path
    record(lost, "lost", "thread.shown")
    again = {path: client.get(address(path, lost)).status_code for path in paths}
    for path in paths:
        proves = path.rsplit("/", 1)[1] in AUDITED
        assert hidden[path] == (before[path] if proves else 404), path
        assert proves or before[path] == 200, path
        assert again[path] == before[path], path


@pytest.mark.usefixtures("lost")
@pytest.mark.parametrize(
    "path", ["/v1/compare?a=lost&b=never-started", "/v1/compare?a=never-started&b=lost"]
)
def test_a_hidden_thread_is_not_compared(client: TestClient, lost: Threads, path: str) -> None:
    assert client.get(path).status_code == 200
    record(lost, "lost", "thread.hidden")
    refused = client.get(path)
    assert refused.status_code == 404
    assert "thread 'lost' is hidden" in refused.json()["detail"]


@pytest.mark.parametrize("path", LISTS)
def test_a_hidden_thread_is_in_no_list_report_or_search(
    client: TestClient, lost: Threads, database: Database, path: str
) -> None:
    before = ask(client, path)
    record(lost, "lost", "thread.hidden")
    hidden = ask(client, path)
    build_all(database)
    assert ask(client, path) == hidden
    assert "lost" not in str(hidden)
    record(lost, "lost", "thread.shown")
    shown = ask(client, path)
    assert hidden != before
    assert str(shown).count("'lost'") == str(before).count("'lost'")


def test_a_hidden_thread_has_rows_in_no_table_of_analysts_but_events(
    client: TestClient, lost: Threads
) -> None:
    def tables_with_it() -> set[str]:
        return {
            name
            for name in ("events", *PUBLIC_READ_MODELS)
            if "lost" in rows_of(f"SELECT thread_id FROM {name}")  # noqa: S608 - a name of ours
        }

    def rows_of(query: str) -> list[str]:
        answer = client.post("/v1/analytics/sql", json={"sql": query})
        assert answer.status_code == 200, answer.text
        return [thread_id for (thread_id,) in answer.json()["rows"]]

    before = tables_with_it()
    assert before >= {"events", "messages", "threads", "tool_calls", "suspicions"}
    record(lost, "lost", "thread.hidden")
    assert tables_with_it() == {"events"}
    record(lost, "lost", "thread.shown")
    assert tables_with_it() == before


def test_a_list_has_hidden_threads_if_asked(client: TestClient, lost: Threads) -> None:
    before = ask(client, "/v1/threads?filter=parcel")["items"]
    record(lost, "lost", "thread.hidden")
    for path in ("/v1/threads", "/v1/threads?filter=parcel", "/v1/threads?filter=parent:boss"):
        items = ask(client, with_hidden(path))["items"]
        assert before[0]["threadId"] in [thread["threadId"] for thread in items]
    listed = ask(client, "/v1/summaries?hidden=true")["items"]
    assert {thread["threadId"]: thread["hidden"] for thread in listed} == {
        "lost": True,
        "never-started": False,
    }


def test_what_a_thread_shows_is_the_same_after_it_was_hidden_and_shown(
    client: TestClient, lost: Threads
) -> None:
    before = client.get("/v1/threads/lost/views/openai?bare=true").content
    record(lost, "lost", "thread.hidden")
    record(lost, "lost", "thread.shown")
    assert client.get("/v1/threads/lost/views/openai?bare=true").content == before


def test_a_hidden_thread_is_still_appended_to_and_erased(client: TestClient, lost: Threads) -> None:
    record(lost, "lost", "thread.hidden")
    answer = client.post("/v1/threads/lost/messages", json={"type": "log", "text": "more"})
    assert answer.status_code == 201
    assert client.get("/v1/threads/lost").status_code == 404
    answer = client.post("/v1/threads/lost/redact", json={"reason": "wrong"})
    assert answer.status_code == 200, answer.text
