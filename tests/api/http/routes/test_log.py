"""The whole log over HTTP, and appends to many threads."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.postgres.database import Database
from tests.api.refusals import PROBLEM, Refusals
from tests.infrastructure.appends import check_log, given, last_position

EVENT_KEYS = ["version", "position", "recordedAt", "type", "kind", "message", "metadata", "bytes"]
KEYS = ["threadId", *EVENT_KEYS]


def _lines(client: TestClient, body: bytes) -> list[dict[str, Any]]:
    answer = client.post("/v1/log", content=body)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert answer.content == b"" or answer.content.endswith(b"\n")
    return [object_of(parse(line)) for line in answer.content.splitlines()]


def test_the_log_is_listed_in_its_order_with_the_thread_of_each_event(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "a"})
    client.post("/v1/threads/b/messages", json=[{"type": "tick"}, {"type": "log", "text": "l"}])
    client.post("/v1/threads/a/close")
    body = client.get("/v1/log").json()
    assert list(body) == ["items", "next"]
    assert all(list(item) == KEYS for item in body["items"])
    assert [(item["position"], item["threadId"], item["type"]) for item in body["items"]] == [
        (1, "a", "thread.started"),
        (2, "b", "tick"),
        (3, "b", "log"),
        (4, "a", "thread.closed"),
    ]
    assert body["next"] is None


def test_pages_of_the_log_follow_the_cursor_and_end(client: TestClient) -> None:
    for number in range(6):
        client.post(f"/v1/threads/t{number % 2}/messages", json={"type": "tick"})
    for limit in (1, 2, 3, 5, 6, 7):
        positions: list[int] = []
        cursor: dict[str, str] = {}
        for _ in range(7):
            page = client.get("/v1/log", params={"limit": limit, **cursor}).json()
            positions += [item["position"] for item in page["items"]]
            if page["next"] is None:
                break
            assert len(page["items"]) == limit
            cursor = {"after": page["next"]}
        assert positions == [1, 2, 3, 4, 5, 6]


def test_the_log_is_listed_by_type(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=[{"type": "tick"}, {"type": "log", "text": "l"}])
    items = client.get("/v1/log?filter=type:log or type:no.such").json()["items"]
    assert [item["type"] for item in items] == ["log"]


def test_lines_append_to_many_threads_and_each_is_answered(
    client: TestClient, database: Database
) -> None:
    body = b"""{"threadId":"a","messages":[{"type":"tick"},{"type":"tick"}]}

{"threadId":"b","messages":[{"type":"tick"}],"expectedVersion":0}\r
{"threadId":"a","messages":[{"type":"reply","text":"a\\u0000b"}]}"""
    lines = _lines(client, body)
    assert [line["line"] for line in lines] == [1, 3, 4]
    assert [line["appended"]["threadId"] for line in lines] == ["a", "b", "a"]
    assert [line["appended"]["position"] for line in lines] == [2, 3, 4]
    assert list(lines[0]["appended"]) == [
        "threadId",
        "version",
        "position",
        "messages",
        "anomalies",
    ]
    check_log(database)


def test_a_line_that_is_refused_takes_nothing_with_it_and_says_why(
    client: TestClient, database: Database
) -> None:
    refused = {
        b'{"threadId":"t","messages":[]}': (422, "empty-append"),
        b'{"threadId":"t"}': (422, "invalid-message"),
        b'{"threadId":"t","messages":[{"type":"tick"}],"more":1}': (422, "invalid-message"),
        b'{"threadId":"t","messages":{"type":"tick"}}': (422, "invalid-message"),
        b'{"threadId":7,"messages":[{"type":"tick"}]}': (422, "invalid-message"),
        b'{"threadId":"a b","messages":[{"type":"tick"}]}': (422, "invalid-thread-id"),
        b'{"threadId":"t","messages":[{"type":"nope"}]}': (422, "invalid-message"),
        b'{"threadId":"t","messages":[{"type":"tick"}],"expectedVersion":7}': (
            412,
            "version-conflict",
        ),
        b'{"threadId":"t","messages":[{"type":"tick"}],"expectedVersion":"0"}': (
            422,
            "invalid-message",
        ),
        b'{"threadId":"t","messages":[{"type":"tick"}],"expectedVersion":true}': (
            422,
            "invalid-message",
        ),
        b'{"threadId":"t","messages":[{"type":"tick"}],"expectedVersion":0.0}': (
            422,
            "invalid-message",
        ),
        b'{"threadId":"t","messages":[{"type":"tool_results","results":[{"callId":"c",'
        b'"output":1}]}]}': (409, "rule-broken"),
        b"nope": (400, "invalid-json"),
        b'"text"': (422, "invalid-message"),
        b"[" * 10_000: (400, "invalid-json"),
        b'{"threadId":"t","messages":[{"type":"log","text":"\\ud800"}]}': (400, "invalid-json"),
        b'{"threadId":"t","messages":[{"type":"log","text":"\xff"}]}': (400, "invalid-json"),
        b'{"threadId":"t","messages":[{"type":"vendor.n","payload":NaN}]}': (400, "invalid-json"),
    }
    good = b'{"threadId":"t","messages":[{"type":"tick"}]}'
    lines = _lines(client, b"\n".join([good, *refused, good]))
    assert [line["line"] for line in lines] == list(range(1, len(refused) + 3))
    problems = [line["problem"] for line in lines[1:-1]]
    assert [
        (problem["status"], problem["type"].removeprefix(PROBLEM)) for problem in problems
    ] == list(refused.values())
    assert all(problem["detail"] and problem["title"] for problem in problems)
    assert lines[-1]["appended"]["version"] == 2
    assert last_position(database) == 2
    check_log(database)


def test_a_line_that_is_not_json_says_its_number_and_where_in_it(client: TestClient) -> None:
    good = b'{"threadId":"t","messages":[{"type":"tick"}]}'
    payload = b'{"threadId":"t","messages":[{"type":"tick"},{"type":"vendor.n","payload":%s}]}'
    refused = {
        payload % b'[{"x":NaN}]': ("messages[1].payload[0].x", "NaN is not JSON: use null or"),
        payload % b'{"a":1,"a":2}': ("messages[1].payload.a", "the key 'a' stands twice in"),
        payload % rb'["\ud800"]': ("messages[1].payload[0]", "holds a lone surrogate"),
        b'{"threadId":"t","threadId":"u"}': ("threadId", "the key 'threadId' stands twice"),
        b"{'threadId'": ("", "not JSON: Expecting property name"),
    }
    _, _, *refusals = _lines(client, b"\n".join([good, b"", good, *refused]))
    assert [line["line"] for line in refusals] == [4, 5, 6, 7, 8]
    for line, (place, reason) in zip(refusals, refused.values(), strict=True):
        (flaw,) = line["problem"]["errors"]
        assert flaw["place"] == place
        assert flaw["reason"].startswith(reason)
        assert flaw["reason"] in line["problem"]["detail"]


def test_two_lines_to_one_thread_know_each_other(client: TestClient) -> None:
    line = b'{"threadId":"t","messages":[{"type":"tool_calls","calls":[{"id":"c","name":"f"}]}]}'
    first, second = _lines(client, line + b"\n" + line)
    assert first["appended"]["version"] == 1
    assert second["problem"]["rule"] == "duplicate_call"


def test_more_lines_than_one_batch_are_all_appended_in_their_order(
    client: TestClient, database: Database
) -> None:
    body = b"\n".join(
        b'{"threadId":"t%d","messages":[{"type":"tick"}]}' % (number % 7) for number in range(1100)
    )
    lines = _lines(client, body)
    assert [line["appended"]["position"] for line in lines] == list(range(1, 1101))
    check_log(database)


def test_a_retry_of_lines_writes_nothing_twice(client: TestClient, database: Database) -> None:
    body = b"\n".join(
        b'{"threadId":"t","messages":[{"type":"tick","id":"%s"}]}' % given(number).encode()
        for number in range(10)
    )
    first, second = _lines(client, body), _lines(client, body)
    assert [line["appended"]["messages"][0]["replayed"] for line in second] == [True] * 10
    assert [line["appended"]["messages"][0]["position"] for line in second] == [
        line["appended"]["messages"][0]["position"] for line in first
    ]
    assert last_position(database) == 10


@pytest.mark.parametrize("body", [b"", b"\n\n", b"  \r\n"])
def test_no_lines_are_answered_with_none(client: TestClient, body: bytes) -> None:
    assert _lines(client, body) == []


@pytest.mark.parametrize("path", ["/v1/log", "/v1/threads/t/messages", "/v1/threads"])
def test_a_cursor_that_no_list_gave_out_is_422(
    client: TestClient, refusals: Refusals, path: str
) -> None:
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    for cursor in ("x", "-1", "", "1.0", "1" * 30, "\u0661", "\x00"):
        refusals.check(
            "GET",
            path,
            "pass the `next` of the page before",
            status=422,
            name="invalid-cursor",
            params={"after": cursor},
        )


def test_a_cursor_beyond_the_end_is_an_empty_page(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    for path in ("/v1/log", "/v1/threads/t/messages"):
        assert client.get(f"{path}?after=999999999999999999").json() == {"items": [], "next": None}
