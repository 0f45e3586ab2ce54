"""Items of Claude Code and ADK appended over HTTP."""

from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.http.routes.test_ongoing_formats import append, view
from tests.api.refusals import problem_in
from tests.projections.views.test_source import items_in

SESSION = items_in("claude-code")


def test_a_retry_appends_nothing(client: TestClient) -> None:
    first = append(client, SESSION[:5], **{"Idempotency-Key": "k"})
    assert first.status_code == 201
    again = append(client, SESSION[:5], **{"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["version"]) == (200, first.json()["version"])
    assert view(client, "source") == SESSION[:5]


def test_what_another_writer_added_is_read_first(client: TestClient, database: Database) -> None:
    append(client, SESSION[:5]).raise_for_status()
    client.post("/v1/threads/t/annotate", json={"metadata": {"a": 1}}).raise_for_status()
    append(client, SESSION[5:9]).raise_for_status()
    other = app_over(database, threads_over(database))
    with TestClient(other) as elsewhere:
        append(elsewhere, SESSION[9:12]).raise_for_status()
        append(client, SESSION[12:]).raise_for_status()
        append(elsewhere, SESSION).raise_for_status()
    end_following(other)
    with_ids = [line for line in SESSION if "uuid" in line]
    shown = view(client, "source")
    assert shown[: len(SESSION)] == SESSION
    assert [line for line in shown if "uuid" in line] == with_ids


def test_the_thread_has_what_its_items_say_of_it(client: TestClient) -> None:
    append(client, SESSION[:5]).raise_for_status()
    append(client, SESSION[5:]).raise_for_status()
    thread = client.get("/v1/threads/t").json()
    assert thread["policy"] == "record"
    assert thread["metadata"]["agent"] == "claude-code"


def test_a_version_that_the_thread_is_not_at_is_refused(client: TestClient) -> None:
    append(client, SESSION[:5]).raise_for_status()
    problem_in(append(client, SESSION[5:], **{"If-Match": '"1"'}), 412, "version-conflict")
    assert view(client, "source") == SESSION[:5]
    append(client, SESSION[5:]).raise_for_status()
    assert view(client, "source") == SESSION


def test_what_is_no_object_is_refused_with_its_place(client: TestClient) -> None:
    refused = problem_in(append(client, [SESSION[0], 1]), 422, "invalid-message")
    assert refused["errors"][0]["place"] == "messages[1]"
    problem_in(append(client, []), 422, "empty-append")


def test_a_session_that_was_cleared_begins_anew(client: TestClient) -> None:
    url = "/v1/threads/t/messages"
    client.post("/v1/threads", json={"threadId": "t", "policy": "record"}).raise_for_status()
    client.post(url, json={"type": "session.started"}).raise_for_status()
    append(client, SESSION).raise_for_status()
    version = client.get("/v1/threads/t").json()["version"]
    client.post(url, json={"type": "session.cleared"}).raise_for_status()
    assert view(client, "source") == []
    append(client, SESSION[:5]).raise_for_status()
    assert view(client, "source") == SESSION[:5]
    assert view(client, "source", at=str(version)) == SESSION


def test_what_was_erased_is_not_remembered_and_does_not_come_back(client: TestClient) -> None:
    append(client, SESSION).raise_for_status()
    client.post("/v1/threads/t/redact", json={"reason": "asked"}).raise_for_status()
    assert view(client, "source") == []
    (line, *_) = [line for line in SESSION if "uuid" in line]
    receipts = append(client, [line]).raise_for_status().json()["messages"]
    assert receipts[-1]["replayed"]
    assert view(client, "source") == []
