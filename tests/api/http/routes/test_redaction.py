"""Erasing over HTTP: what went is said, and the message shows in its place."""

from base64 import b64encode
from hashlib import sha256

from fastapi.testclient import TestClient

from agentlog.domain.json.values import JsonValue
from tests.infrastructure.appends import given

WHY = {"reason": "asked to"}


def _append(client: TestClient, thread_id: str, *drafts: object) -> None:
    client.post(f"/v1/threads/{thread_id}/messages", json=list(drafts)).raise_for_status()


def test_a_message_is_erased_and_says_so(client: TestClient) -> None:
    _append(client, "t", {"type": "reply", "text": "secret", "id": given(1)})
    path = f"/v1/threads/t/messages/{given(1)}"
    answer = client.post(f"{path}/redact", json=WHY)
    assert answer.status_code == 200
    assert answer.json() == {
        "threadId": "t",
        "version": 2,
        "position": 2,
        "messages": [given(1)],
        "events": 1,
        "exchanges": 0,
        "others": 0,
        "replayed": False,
    }
    assert client.post(f"{path}/redact", json=WHY).json()["replayed"]
    message = client.get(path).json()
    assert (message["message"]["text"], message["redacted"]) == ("[redacted]", {"version": 2})
    (view,) = client.get("/v1/threads/t/views/openai?bare=true").json()
    assert view["content"] == "[redacted]"
    items = client.get("/v1/threads/t/messages").json()["items"]
    assert [item["kind"] for item in items] == ["message", "fact"]
    assert items[1]["message"]["reason"] == "asked to"
    assert "redacted" not in items[1]


def test_a_thread_is_erased_goal_and_all(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "t", "goal": "secret", "metadata": {"a": 1}})
    _append(client, "t", {"type": "reply", "text": "secret"})
    assert client.post("/v1/threads/t/redact", json=WHY).json()["messages"] is None
    thread = client.get("/v1/threads/t").json()
    assert (thread["goal"], thread["metadata"]) == ("[redacted]", {})
    for path in ("messages", "views/kernel", "views/letta", "views/agent-state", "views/anomalies"):
        answer = client.get(f"/v1/threads/t/{path}")
        assert (answer.status_code, "secret" in answer.text) == (200, False)
    assert client.get("/v1/threads/t/views/kernel?at=2").json()["items"][0]["text"] == "[redacted]"


def test_a_file_is_erased_from_all_that_hold_it(client: TestClient) -> None:
    content = b"a file " * 200
    digest = sha256(content).hexdigest()
    file = {"data": b64encode(content).decode()}
    _append(client, "t", {"type": "input", "text": "see", "files": [file]})
    assert client.get(f"/v1/blobs/{digest}").content == content
    answer = client.post(f"/v1/blobs/{digest}/redact", json=WHY).json()
    assert [thread["threadId"] for thread in answer["threads"]] == ["t"]
    assert client.get(f"/v1/blobs/{digest}").status_code == 404
    assert client.post(f"/v1/blobs/{digest}/redact", json=WHY).json()["replayed"]
    assert client.post(f"/v1/blobs/{'0' * 64}/redact", json=WHY).status_code == 404


def test_what_cannot_be_erased_is_a_problem(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "t", "goal": "g"})
    started = client.get("/v1/threads/t/messages").json()["items"][0]["message"]["id"]
    refused = client.post(f"/v1/threads/t/messages/{started}/redact", json=WHY)
    assert (refused.status_code, refused.json()["type"]) == (
        409,
        "urn:agentlog:problem:not-redactable",
    )
    bodies: list[tuple[JsonValue, str]] = [
        *(({}, "reason"), ({"reason": ""}, "reason"), ({"reason": 1}, "reason")),
        *(({"reason": "x", "other": 1}, "other"), ([], "")),
    ]
    for body, place in bodies:
        answer = client.post("/v1/threads/t/redact", json=body)
        assert (answer.status_code, answer.json()["errors"][0]["place"]) == (422, place)
    assert client.post("/v1/threads/nowhere/redact", json=WHY).status_code == 404
    assert client.get("/v1/threads/t").json()["version"] == 1
