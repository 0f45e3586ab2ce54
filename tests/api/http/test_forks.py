"""Forks over HTTP: made, made again, refused, and as a tree."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

MESSAGES: list[dict[str, Any]] = [
    {"type": "input", "text": "Where is my parcel?"},
    {"type": "tool_calls", "calls": [{"id": "c", "name": "track"}]},
    {"type": "tool_results", "results": [{"callId": "c", "output": "lost"}]},
    {"type": "reply", "text": "It is lost."},
]


@pytest.fixture(autouse=True)
def origin(client: TestClient) -> None:
    """A thread of four messages."""
    assert client.post("/v1/threads/t/messages", json=MESSAGES).status_code == 201


def view(client: TestClient, thread_id: str, at: int | None = None) -> Any:
    query = {"bare": "true"} if at is None else {"bare": "true", "at": str(at)}
    return client.get(f"/v1/threads/{thread_id}/views/openai", params=query).json()


def test_a_fork_reads_as_its_origin_did_then(client: TestClient) -> None:
    body = {"at": "3", "threadId": "f", "goal": "Try again", "metadata": {"team": "a"}}
    made = client.post("/v1/threads/t/fork", json=body)
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == "/v1/threads/f"
    assert made.json()["forkedFrom"]["thread"] == "t"
    assert view(client, "f") == view(client, "t", 3)
    thread = client.get("/v1/threads/f").json()
    assert (thread["goal"], thread["metadata"]) == ("Try again", {"team": "a"})
    assert thread["forkedFrom"] == {**made.json()["forkedFrom"], "edits": []}
    first, second, *_ = client.get("/v1/threads/f/messages").json()["items"]
    assert ("originVersion" in first, second["originVersion"]) == (False, 1)
    again = client.post("/v1/threads/t/fork", json=body)
    assert (again.status_code, again.json()["replayed"]) == (200, True)


def test_a_fork_goes_on_by_itself(client: TestClient) -> None:
    client.post("/v1/threads/t/fork", json={"at": "2", "threadId": "f"})
    second = {"type": "tool_results", "results": [{"callId": "c", "output": "found"}]}
    assert client.post("/v1/threads/f/messages", json=second).status_code == 201
    assert view(client, "f")[-1]["content"] == "found"
    assert view(client, "t", 3)[-1]["content"] == "lost"


def test_edits_change_what_is_copied(client: TestClient) -> None:
    edits = [
        {"drop": 4},
        {"replace": 3, "message": {**MESSAGES[2], "results": [{"callId": "c", "output": "found"}]}},
        {"insert": 1, "message": {"type": "system", "text": "Be kind."}},
    ]
    made = client.post("/v1/threads/t/fork", json={"threadId": "f", "edits": edits})
    assert made.status_code == 201, made.text
    kinds = [edit["kind"] for edit in made.json()["forkedFrom"]["edits"]]
    assert kinds == ["drop", "replace", "insert"]
    roles = [message["role"] for message in view(client, "f")]
    assert roles == ["user", "system", "assistant", "tool"]
    assert view(client, "f")[-1]["content"] == "found"


@pytest.mark.parametrize(
    ("body", "status", "place"),
    [
        ({"at": 3}, 422, "at"),
        ({"edits": {"drop": 1}}, 422, "edits"),
        ({"edits": [{"drop": True}]}, 422, "edits[0]"),
        ({"edits": [{"drop": 99}]}, 422, "edits[0]"),
        ({"edits": [{"drop": 2}]}, 409, "version 3 of the origin.results[0].callId"),
        ({"version": 3}, 422, "version"),
    ],
)
def test_what_is_off_is_named(
    client: TestClient, body: dict[str, Any], status: int, place: str
) -> None:
    refused = client.post("/v1/threads/t/fork", json={"threadId": "f", **body})
    assert (refused.status_code, refused.json()["errors"][0]["place"]) == (status, place)
    assert client.get("/v1/threads/f").status_code == 404


def test_a_moment_or_thread_that_is_not_there_is_404(client: TestClient) -> None:
    assert client.post("/v1/threads/t/fork", json={"at": "9"}).status_code == 404
    assert client.post("/v1/threads/nowhere/fork").status_code == 404
    assert client.get("/v1/threads/nowhere/forks").status_code == 404


def test_an_id_that_is_taken_is_409(client: TestClient) -> None:
    assert client.post("/v1/threads/t/fork", json={"threadId": "t"}).status_code == 409


def test_the_tree_has_each_thread_before_its_forks(client: TestClient) -> None:
    for origin, fork in (("t", "a"), ("a", "a1"), ("t", "b"), ("a", "a2")):
        client.post(f"/v1/threads/{origin}/fork", json={"threadId": fork})
    tree = client.get("/v1/threads/a2/forks").json()
    assert [(node["threadId"], node["depth"]) for node in tree["items"]] == [
        ("t", 0),
        ("a", 1),
        ("a1", 2),
        ("a2", 2),
        ("b", 1),
    ]
    assert tree["truncated"] is False
    assert tree["items"][0]["forkedFrom"] is None
    assert tree["items"][1]["forkedFrom"]["thread"] == "t"


def test_the_tree_says_what_a_replay_changed_and_what_came_of_it(client: TestClient) -> None:
    outcome = {"changes": "model m", "liveCalls": 2, "unmet": 1, "check": "failed"}
    unknown = dict.fromkeys(outcome)
    odd = {"changes": ["x"], "liveCalls": "2", "unmet": True, "check": {"passed": 1}}
    forks: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
        "a": ({"source": "replay", **outcome}, outcome),
        "b": ({"source": "replay"}, unknown),
        "c": ({"source": "replay", **odd}, unknown),
        "d": (outcome, None),
    }
    for fork, (metadata, _) in forks.items():
        made = client.post("/v1/threads/t/fork", json={"threadId": fork, "metadata": metadata})
        assert made.status_code == 201, made.text
    _, *nodes = client.get("/v1/threads/t/forks").json()["items"]
    assert {node["threadId"]: node["replay"] for node in nodes} == {
        fork: said for fork, (_, said) in forks.items()
    }
