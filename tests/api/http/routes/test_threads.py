"""Threads over HTTP: start, list, read, close, annotate."""

from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient

from tests.api.refusals import Refusals
from tests.infrastructure.appends import NOON, given

THREAD_KEYS = [
    "threadId",
    "version",
    "position",
    "status",
    "policy",
    "goal",
    "parent",
    "limits",
    "metadata",
    "forkedFrom",
    "labels",
    "judgements",
    "anomalies",
    "startedAt",
    "updatedAt",
]
FACTS = {
    "threadId": "support-42",
    "goal": "Find the parcel",
    "parent": "boss",
    "limits": {"maxSteps": 3},
    "policy": "record",
    "metadata": {"team": "support"},
}


def _start(client: TestClient, thread_id: str, **facts: Any) -> None:
    answer = client.post("/v1/threads", json={"threadId": thread_id, **facts})
    assert answer.status_code == 201


def test_a_started_thread_is_answered_with_where_it_is(client: TestClient) -> None:
    answer = client.post("/v1/threads", json=FACTS)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/v1/threads/support-42"
    assert answer.headers["etag"] == '"1"'
    body = answer.json()
    (message,) = body.pop("messages")
    assert body == {"threadId": "support-42", "version": 1, "position": 1, "anomalies": []}
    assert list(message) == ["id", "version", "position", "replayed"]
    assert (message["version"], message["position"], message["replayed"]) == (1, 1, False)


def test_a_thread_is_read_with_its_facts_and_its_version_as_etag(client: TestClient) -> None:
    client.post("/v1/threads", json=FACTS)
    answer = client.get("/v1/threads/support-42")
    assert answer.status_code == 200
    assert answer.headers["etag"] == '"1"'
    body = answer.json()
    assert list(body) == THREAD_KEYS
    assert body["startedAt"] == body["updatedAt"]
    assert body["startedAt"].endswith("Z")
    del body["startedAt"], body["updatedAt"]
    assert body.pop("forkedFrom") is None
    assert (body.pop("labels"), body.pop("judgements")) == ([], [])
    assert body == {**FACTS, "version": 1, "position": 1, "status": "open", "anomalies": 0}


def test_a_thread_that_began_with_an_append_has_no_facts(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    body = client.get("/v1/threads/t").json()
    assert (body["goal"], body["parent"], body["limits"]) == (None, None, None)
    assert (body["metadata"], body["policy"]) == ({}, "strict")


def test_a_thread_without_an_id_gets_one_that_the_location_leads_to(client: TestClient) -> None:
    for body in (b"", b"{}", b'{"threadId":null}'):
        answer = client.post("/v1/threads", content=body)
        assert answer.status_code == 201
        thread_id = answer.json()["threadId"]
        assert len(thread_id) == 26
        assert client.get(answer.headers["location"]).json()["threadId"] == thread_id


def test_starting_again_the_same_way_is_answered_with_200_and_the_first_place(
    client: TestClient,
) -> None:
    first = client.post("/v1/threads", json=FACTS).json()
    client.post("/v1/threads/support-42/messages", json={"type": "tick"})
    again = client.post("/v1/threads", json=FACTS)
    assert again.status_code == 200
    assert again.json()["messages"] == [{**first["messages"][0], "replayed": True}]
    assert again.headers["etag"] == '"2"'


def test_starting_with_other_facts_is_a_conflict(client: TestClient, refusals: Refusals) -> None:
    client.post("/v1/threads", json=FACTS)
    refusals.check(
        "POST",
        "/v1/threads",
        "'support-42' exists already",
        status=409,
        name="thread-exists",
        json={**FACTS, "goal": "Another"},
    )


def test_a_closed_thread_says_so_and_closing_again_is_answered(client: TestClient) -> None:
    _start(client, "t")
    answer = client.post("/v1/threads/t/close", json={"reason": "resolved"})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert client.get("/v1/threads/t").json()["status"] == "closed"
    again = client.post("/v1/threads/t/close", json={"reason": "resolved"})
    assert again.json()["messages"][0]["replayed"] is True
    (_, closed) = client.get("/v1/threads/t/messages").json()["items"]
    assert (closed["kind"], closed["message"]["reason"]) == ("fact", "resolved")


def test_a_thread_may_be_closed_without_a_word(client: TestClient) -> None:
    _start(client, "t")
    assert client.post("/v1/threads/t/close").status_code == 200


def test_annotations_add_to_the_metadata_and_null_takes_away(client: TestClient) -> None:
    _start(client, "t", metadata={"team": "support", "kept": [1.5]})
    answer = client.post("/v1/threads/t/annotate", json={"metadata": {"team": None, "new": 1}})
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert client.get("/v1/threads/t").json()["metadata"] == {"kept": [1.5], "new": 1}


def test_threads_are_listed_by_recency_as_they_are_read(client: TestClient) -> None:
    for thread_id in ("a", "b"):
        _start(client, thread_id)
    body = client.get("/v1/threads").json()
    assert list(body) == ["items", "next"]
    assert body["next"] is None
    assert body["items"] == [
        client.get(f"/v1/threads/{thread_id}").json() for thread_id in ("b", "a")
    ]


def test_pages_of_threads_follow_the_cursor_and_end(client: TestClient) -> None:
    for number in range(5):
        _start(client, f"t{number}")
    for limit in (1, 2, 4, 5, 6):
        ids: list[str] = []
        cursor: dict[str, str] = {}
        for _ in range(6):
            page = client.get("/v1/threads", params={"limit": limit, **cursor}).json()
            ids += [thread["threadId"] for thread in page["items"]]
            if page["next"] is None:
                break
            assert len(page["items"]) == limit
            cursor = {"after": page["next"]}
        assert ids == ["t4", "t3", "t2", "t1", "t0"]


def test_threads_are_filtered_by_status_parent_and_text(client: TestClient) -> None:
    _start(client, "first", parent="boss", goal="100% sure")
    _start(client, "second", parent="boss", goal="100 sure")
    _start(client, "third", goal="a\x00b")
    client.post("/v1/threads/first/close")

    def ids(text: str) -> list[str]:
        items = client.get("/v1/threads", params={"filter": text}).json()["items"]
        return [thread["threadId"] for thread in items]

    assert ids("status:closed") == ["first"]
    assert ids("parent:boss") == ["first", "second"]  # closing it moved it up
    assert ids("parent:boss status:open") == ids("parent:boss and open") == ["second"]
    assert ids("%") == ["first"]
    assert ids("SURE") == ["first", "second"]
    assert ids("\x00") == ["third"]
    assert ids("parent:\x00") == []
    assert ids("'; DROP TABLE agentlog.events;") == []


def test_the_time_of_a_fact_is_the_services(client: TestClient) -> None:
    _start(client, "t")
    (item,) = client.get("/v1/threads/t/messages").json()["items"]
    assert item["message"]["timestamp"] == NOON
    assert item["message"]["id"] != given(1)


def test_threads_are_filtered_by_metadata_as_json_or_else_as_text(client: TestClient) -> None:
    _start(client, "number", metadata={"team": "support", "reward": 0, "a.b": True})
    _start(client, "text", metadata={"team": "support", "reward": "0", "a.b": "true"})
    _start(client, "other", metadata={"team": "sales", "reward": None, "a.b": ""})

    def ids(text: str) -> list[str]:
        answer = client.get("/v1/threads", params={"filter": text})
        assert answer.status_code == 200, answer.text
        return [thread["threadId"] for thread in answer.json()["items"]]

    assert ids("metadata.team:support") == ["text", "number"]
    assert ids('metadata.team:"support"') == ["text", "number"]
    assert ids("metadata.team:support metadata.reward:0.0") == ["number"]
    assert ids('metadata.reward:"0"') == ["text"]
    assert ids("metadata.a.b:true") == ["number"]
    assert ids("num metadata.team:support status:open") == ["number"]
    assert ids("metadata.team:Support") == []
    assert ids('metadata.a.b:""') == ["other"]


def test_pages_of_a_search_follow_the_cursor_and_end(client: TestClient) -> None:
    for number in range(7):
        _start(client, f"t{number}", goal="Find it", metadata={"even": number % 2 == 0})
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        asked = {"limit": "2", "filter": "find metadata.even:true", **cursor}
        page = client.get("/v1/threads", params=asked).json()
        ids += [thread["threadId"] for thread in page["items"]]
        if page["next"] is None:
            break
        cursor = {"after": page["next"]}
    assert ids == ["t6", "t4", "t2", "t0"]


@pytest.mark.parametrize(
    "part",
    [
        "failed",
        "-open",
        "status:open or parent:boss",
        "parent:b*",
        "metadata.a>1",
        "metadata.a:null",
        '"a phrase"',
        "thread:t",
    ],
)
def test_a_filter_that_the_log_has_no_index_for_is_refused(refusals: Refusals, part: str) -> None:
    query = f"/v1/threads?{urlencode({'filter': f'find {part}'})}"
    named = part.split(" or ", maxsplit=1)[0]
    refusals.check("GET", query, named, "/v1/summaries", status=422, name="not-indexed")


@pytest.mark.parametrize(
    ("query", "filter_text"),
    [
        ("q=find+it&status=open", "filter=(find it) status:open"),
        ("metadata.team=a&metadata.team=b", "metadata.team:a or metadata.team:b"),
        ("q=find&metadata.team=", 'find metadata.team:""'),
        ("tool=f&tool=g", "tool:f tool:g"),
        ("filter=a+or+b&q=find", "filter=(a or b) find"),
        ("failed=true&loops=false", "has:error -loops>0"),
        ("verdict=unknown&outcome=error", "(-failed -succeeded) exit:error"),
    ],
)
def test_old_parameters_are_refused_with_the_filter_to_write(
    refusals: Refusals, query: str, filter_text: str
) -> None:
    refusals.check("GET", f"/v1/summaries?{query}", filter_text, status=422, name="old-spelling")
