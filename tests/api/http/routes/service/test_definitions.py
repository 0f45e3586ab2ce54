"""Rules and saved filters over HTTP: set, kept with their history, and gone by."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.reports.histories import build_all


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Rules and filters of one test alone."""
    return database_with_tables


def put(client: TestClient, path: str, **fields: Any) -> dict[str, Any]:
    answer = client.put(path, json=fields)
    assert answer.status_code == 200, answer.text
    defined: dict[str, Any] = answer.json()
    return defined


def verdicts(client: TestClient) -> list[tuple[str, str | None]]:
    rows = client.get("/v1/summaries?sort=threadId").json()["items"]
    return [(row["threadId"], row["verdict"]) for row in rows]


def test_what_success_is_holds_at_once_for_all_runs_and_its_history_stays(
    client: TestClient, threads: Threads, database: Database
) -> None:
    for thread_id, quality in (("a", 5), ("b", 2)):
        threads.start(thread_id, {"policy": "record", "metadata": {"quality": quality}})
        threads.append(thread_id, [{"type": "exit", "reason": "complete"}])
    build_all(database)
    assert verdicts(client) == [("a", "succeeded"), ("b", "succeeded")]
    rule = put(client, "/v1/rules/success", value="metadata.quality>=4")
    assert (rule["number"], rule["value"], rule["setBy"]) == (1, "metadata.quality>=4", None)
    assert verdicts(client) == [("a", "succeeded"), ("b", "failed")]
    assert client.get("/v1/rules").json()["items"] == [rule]
    (row,) = client.get("/v1/analytics/outcomes?by=").json()["rows"]
    assert (row["succeeded"], row["failed"], row["success_rate"]) == (1, 1, 0.5)
    put(client, "/v1/rules/success", value="metadata.quality>=4")
    assert client.delete("/v1/rules/success").status_code == 200
    assert verdicts(client) == [("a", "succeeded"), ("b", "succeeded")]
    changes = client.get("/v1/rules/success/changes").json()["items"]
    assert [(change["number"], change["value"]) for change in changes] == [
        (2, None),
        (1, "metadata.quality>=4"),
    ]


def test_which_tools_are_shells_decides_what_counts_as_a_tool(
    client: TestClient, threads: Threads, database: Database
) -> None:
    calls = [{"id": "c", "name": "sh", "args": {"command": "git log"}}]
    threads.append("t", [{"type": "tool_calls", "calls": calls}])
    build_all(database)

    def tools() -> list[str]:
        rows = client.get("/v1/analytics/tools?by=action").json()["rows"]
        return [row["action"] for row in rows]

    def filtered(text: str) -> int:
        total: int = client.get("/v1/summaries", params={"filter": text}).json()["total"]
        return total

    assert (tools(), filtered("tool:git"), filtered("tool:sh")) == (["sh"], 0, 1)
    put(client, "/v1/rules/shells", value="sh zsh")
    assert (tools(), filtered("tool:git"), filtered("tool:sh")) == (["git"], 1, 1)


def test_a_filter_is_saved_listed_and_taken_away(client: TestClient) -> None:
    saved = put(client, "/v1/filters/dear ones", filter="cost>0.5 failed")
    assert (saved["name"], saved["place"], saved["filter"]) == (
        "dear ones",
        "list",
        "cost>0.5 failed",
    )
    other = put(client, "/v1/filters/calls", filter="tool:x", place="thread")
    assert client.get("/v1/filters").json()["items"] == [other, saved]
    assert client.delete("/v1/filters/calls").json() == other
    assert client.get("/v1/filters").json()["items"] == [saved]


@pytest.mark.parametrize(
    ("path", "fields", "status", "detail"),
    [
        ("/v1/rules/x", {"value": "y"}, 404, "no rule 'x': there are success, shells"),
        ("/v1/rules/success", {"value": "tool:x"}, 422, "'tool' is a term of lists of threads"),
        ("/v1/rules/success", {"value": 1}, 422, "value: input should be a valid string"),
        ("/v1/rules/success", {"value": "$.a:1"}, 422, "name a type, one field of it"),
        ("/v1/rules/shells", {"value": "x " * 101}, 422, "at most 100 names"),
        ("/v1/filters/x", {"filter": "took>5"}, 422, "took is compared with a time"),
        ("/v1/filters/x", {"filter": "y", "place": "z"}, 422, "list' or 'thread"),
        ("/v1/filters/x%0a", {"filter": "y"}, 422, "name: use 1 to 64 characters"),
    ],
)
def test_what_is_no_rule_or_filter_is_refused(
    client: TestClient, path: str, fields: dict[str, Any], status: int, detail: str
) -> None:
    answer = client.put(path, json=fields)
    assert (answer.status_code, detail in answer.text) == (status, True), answer.text


def test_a_filter_that_cannot_be_read_names_its_place(client: TestClient) -> None:
    answer = client.get("/v1/summaries", params={"filter": "failed took>5"})
    assert answer.status_code == 422
    assert answer.json()["at"] == 13
    assert "took is compared with a time, as 5s, 300ms or 2h" in answer.json()["detail"]


def test_the_most_filters_of_a_tenant_are_bounded(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.definitions.definitions.MOST_FILTERS", 1)
    put(client, "/v1/filters/a", filter="x")
    put(client, "/v1/filters/a", filter="y")
    assert client.put("/v1/filters/b", json={"filter": "x"}).status_code == 422


@pytest.mark.parametrize("path", ["/v1/rules/success", "/v1/filters/x"])
def test_what_was_never_defined_is_unknown(client: TestClient, path: str) -> None:
    answer = client.delete(path)
    assert (answer.status_code, answer.json()["type"]) == (
        404,
        "urn:agentlog:problem:unknown-definition",
    )
