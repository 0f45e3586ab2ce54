"""Messages over HTTP: append, list, read one."""

from base64 import b64encode
from hashlib import sha256
from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.filters.expression import quoted
from agentlog.projections.registry import VIEWS
from tests.api.refusals import Refusals, problem_in
from tests.infrastructure.appends import NOON, TENANT, given, reply, ulid

THREAD = "/v1/threads/t/messages"
EVENT_KEYS = ["version", "position", "recordedAt", "type", "kind", "message", "metadata", "bytes"]
HELLO = {"type": "reply", "text": "hello", "id": given(1)}


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"reply","text":"hello"}',
        b'[{"type":"reply","text":"hello"}]',
        b'{"messages":[{"type":"reply","text":"hello"}]}',
        b'\xef\xbb\xbf {"text":"hello","type":"reply"}\n',
    ],
)
def test_one_message_a_list_or_an_object_of_messages_are_taken(
    client: TestClient, body: bytes
) -> None:
    answer = client.post("/v1/threads/t/messages", content=body)
    assert answer.status_code == 201
    assert answer.headers["etag"] == '"1"'
    assert answer.json() == {
        "threadId": "t",
        "version": 1,
        "position": 1,
        "messages": [{"id": ulid(1), "version": 1, "position": 1, "replayed": False}],
        "anomalies": [],
    }


@pytest.mark.parametrize("spelling", ["tool_calls", "tool-calls"])
def test_both_spellings_are_taken_and_stored_as_one(client: TestClient, spelling: str) -> None:
    body = {"type": spelling, "calls": [{"id": "c", "name": "f"}]}
    assert client.post("/v1/threads/t/messages", json=body).status_code == 201
    (item,) = client.get("/v1/threads/t/messages").json()["items"]
    assert item["type"] == item["message"]["type"] == "tool_calls"


def test_a_retry_is_answered_with_200_and_the_first_place(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    again = client.post("/v1/threads/t/messages", json=HELLO)
    assert again.status_code == 200
    assert again.json()["messages"] == [
        {"id": given(1), "version": 1, "position": 1, "replayed": True}
    ]
    assert again.headers["etag"] == '"2"'


def test_a_half_new_append_is_created(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    answer = client.post("/v1/threads/t/messages", json=[HELLO, {"type": "tick"}])
    assert answer.status_code == 201
    assert [message["replayed"] for message in answer.json()["messages"]] == [True, False]


@pytest.mark.parametrize("header", ['"1"', "1", 'W/"1"', "*", ' "1" '])
def test_an_append_at_the_version_of_if_match_is_taken(client: TestClient, header: str) -> None:
    etag = client.post("/v1/threads/t/messages", json=HELLO).headers["etag"]
    assert etag == '"1"'
    answer = client.post(
        "/v1/threads/t/messages", json={"type": "tick"}, headers={"If-Match": header}
    )
    assert (answer.status_code, answer.headers["etag"]) == (201, '"2"')


def test_an_append_at_another_version_is_412_and_says_which(
    client: TestClient, refusals: Refusals
) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    appended = refusals.append(
        b'{"type":"tick"}',
        "thread 't' is at version 1, not 7",
        status=412,
        name="version-conflict",
        headers={"If-Match": '"7"'},
    )
    assert (appended["expectedVersion"], appended["actualVersion"]) == (7, 1)


def test_a_new_thread_is_at_version_0(client: TestClient, refusals: Refusals) -> None:
    first = client.post("/v1/threads/t/messages", json=HELLO, headers={"If-Match": '"0"'})
    assert first.status_code == 201
    refusals.append(
        b'{"type":"tick"}',
        status=412,
        name="version-conflict",
        headers={"If-Match": '"0"'},
    )


@pytest.mark.parametrize("header", ["x", '"-1"', '""', '"1", "2"', "1.5", '"9999999999999999999"'])
def test_an_if_match_that_names_no_version_is_400(refusals: Refusals, header: str) -> None:
    refusals.append(
        b'{"type":"tick"}',
        "names no version",
        status=400,
        name="invalid-if-match",
        headers={"If-Match": header},
    )


def test_a_message_that_the_rules_forbid_is_409_and_says_which_rule_and_where(
    refusals: Refusals,
) -> None:
    appended = refusals.append(
        b'[{"type":"tick"},{"type":"tool_results","results":[{"callId":"c","output":1}]}]',
        "messages[1].results[0].callId",
        "append its tool_calls first",
        status=409,
        name="rule-broken",
    )
    assert appended["rule"] == "orphan_result"
    assert [flaw["place"] for flaw in appended["errors"]] == ["messages[1].results[0].callId"]


def test_a_call_id_that_is_taken_is_409(client: TestClient, refusals: Refusals) -> None:
    body = b'{"type":"tool_calls","calls":[{"id":"c","name":"f"}]}'
    assert client.post("/v1/threads/t/messages", content=body).status_code == 201
    appended = refusals.append(
        body, "call id 'c' is taken by version 1", status=409, name="rule-broken"
    )
    assert appended["rule"] == "duplicate_call"
    assert appended["errors"][0]["place"] == "messages[0].calls[0].id"


def test_other_content_under_an_id_is_409_and_says_where_the_id_is(
    client: TestClient, refusals: Refusals
) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    appended = refusals.append(
        f'{{"type":"reply","text":"other","id":"{given(1)}"}}'.encode(),
        given(1),
        "version 1 of thread 't'",
        status=409,
        name="message-conflict",
    )
    assert (appended["messageId"], appended["version"]) == (given(1), 1)


def test_under_policy_record_a_breach_is_kept_and_told(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "t", "policy": "record"})
    body = {"type": "tool_results", "results": [{"callId": "c", "output": 1}], "id": given(1)}
    answer = client.post("/v1/threads/t/messages", json=body)
    assert answer.status_code == 201
    (anomaly,) = answer.json()["anomalies"]
    assert list(anomaly) == ["messageId", "rule", "place", "reason"]
    assert (anomaly["messageId"], anomaly["rule"]) == (given(1), "orphan_result")
    assert client.get("/v1/threads/t").json()["anomalies"] == 1


def test_messages_are_listed_with_their_places_and_metadata(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "t"})
    client.post("/v1/threads/t/messages", json={**HELLO, "metadata": {"actor": "me"}})
    body = client.get("/v1/threads/t/messages").json()
    assert list(body) == ["items", "next"]
    started, hello = body["items"]
    assert list(hello) == EVENT_KEYS
    assert (started["kind"], started["type"]) == ("fact", "thread.started")
    assert hello.pop("recordedAt").endswith("Z")
    assert hello == {
        "version": 2,
        "position": 2,
        "type": "reply",
        "kind": "message",
        "message": {"id": given(1), "timestamp": NOON, "type": "reply", "text": "hello"},
        "metadata": {"actor": "me"},
        "bytes": 91,
    }


def test_pages_of_messages_follow_the_cursor_and_end(client: TestClient) -> None:
    drafts = [{"type": "log", "text": str(number)} for number in range(6)]
    client.post("/v1/threads/t/messages", json=drafts)
    for limit in (1, 2, 3, 5, 6, 7):
        texts: list[str] = []
        cursor: dict[str, str] = {}
        for _ in range(7):
            page = client.get("/v1/threads/t/messages", params={"limit": limit, **cursor}).json()
            texts += [item["message"]["text"] for item in page["items"]]
            if page["next"] is None:
                break
            assert len(page["items"]) == limit
            cursor = {"after": page["next"]}
        assert texts == list("012345")


def test_messages_are_listed_by_type_and_up_to_a_moment(client: TestClient) -> None:
    drafts = [{"type": "log", "text": "a"}, {"type": "tick"}, {"type": "reply", "text": "b"}]
    client.post("/v1/threads/t/messages", json=drafts)

    def versions(query: str) -> list[int]:
        items = client.get(f"/v1/threads/t/messages?{query}").json()["items"]
        return [item["version"] for item in items]

    assert versions("filter=type:log or type:reply") == [1, 3]
    assert versions("filter=type:log or type:reply&at=2") == [1]
    assert versions("at=@2") == [1, 2]
    assert versions("at=0") == []
    assert versions("filter=type:%00") == []
    assert versions("filter=type:no.such") == []
    for old, detail in (
        ("type=log&type=reply", "type: write filter=type:log or type:reply"),
        ("filter=-type:log", "filter: -type:log: here events are listed by types"),
        ("filter=tool:pay", "filter: 'tool' is a term of"),
    ):
        answer = client.get(f"/v1/threads/t/messages?{old}")
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(detail)


def test_a_list_may_be_cut_and_says_what_has_more(client: TestClient) -> None:
    long = "e\u0301\U0001f600" * 4000
    rows = {f"k{number}": number for number in range(60)}
    sent = [
        reply("short", metadata={"note": long}),
        reply(long),
        {
            "type": "tool_calls",
            "calls": [{"id": f"c{n}", "name": "f", "argumentsText": '{"a":1}'} for n in range(50)],
        },
        {
            "type": "tool_results",
            "results": [{"callId": "c0", "output": [long, rows, [[1.5] * 60] * 60]}],
        },
        reply("x" * 7),
    ]
    assert client.post(THREAD, json=sent).status_code == 201
    whole = client.get(THREAD).json()["items"]
    asked = client.get(THREAD, params={"cut": 7})
    cut = asked.json()["items"]
    assert len(asked.content) < 20_000 < len(client.get(THREAD).content)
    assert [item.get("cut") for item in cut] == [True, True, None, True, None]
    assert [item["bytes"] for item in cut] == [item["bytes"] for item in whole]
    assert whole[1]["bytes"] > 7 * 4000
    assert cut[0]["metadata"] == {"note": long[:7]}
    assert cut[1]["message"] == {**whole[1]["message"], "text": long[:7]}
    assert cut[2] == whole[2]
    text, table, grid = cut[3]["message"]["results"][0]["output"]
    assert (text, len(table), len(grid[0])) == (long[:7], 50, 50)
    assert sum(len(row) for row in grid) < 1000
    assert cut[4] == whole[4]


@pytest.mark.parametrize("cut", [84, 85, 86, 600])
def test_a_long_text_is_cut_at_the_character_wherever_it_is_kept(
    client: TestClient, cut: int
) -> None:
    for text in ("\U0001f600" * 600, "\x01" * 600, "x" * 600):
        client.post(THREAD, json={"type": "system", "text": text})
    items = client.get(THREAD, params={"cut": cut}).json()["items"]
    texts = [item["message"]["text"] for item in items]
    assert texts == ["\U0001f600" * cut, "\x01" * cut, "x" * cut]
    assert {item.get("cut", False) for item in items} == {cut < 600}


def test_numbers_keep_their_digits_in_a_cut_list(client: TestClient) -> None:
    body = b'{"type":"acme.note","payload":[1.10,1e400,12345678901234567890123,"abcd"]}'
    client.post(THREAD, content=body)
    answer = client.get(THREAD, params={"cut": 3})
    assert b'"payload":[1.10,1e400,12345678901234567890123,"abc"]' in answer.content


def test_a_cut_list_has_files_without_data(client: TestClient) -> None:
    data = b64encode(bytes(range(256)) * 20).decode()
    file = {"data": data, "filename": "a.bin"}
    client.post(THREAD, json={"type": "input", "files": [file, {"data": "QQ=="}]})
    (inline,) = client.get(THREAD, params={"cut": 100}).json()["items"]
    assert inline["message"]["files"] == [{"filename": "a.bin"}, {}]
    assert inline["cut"]
    assert inline["bytes"] > len(data)
    (linked,) = client.get(f"{THREAD}?cut=100&files=linked").json()["items"]
    digest = sha256(bytes(range(256)) * 20).hexdigest()
    assert linked["message"]["files"] == [{"sha256": digest, "filename": "a.bin"}, {}]
    assert linked["bytes"] == inline["bytes"]


@pytest.mark.parametrize("cut", [0, 10_001])
def test_a_cut_out_of_bounds_is_refused(refusals: Refusals, cut: int) -> None:
    refusals.check("GET", f"{THREAD}?cut={cut}", "cut", status=422, name="invalid-request")


def test_one_message_is_read_as_it_is_listed(client: TestClient) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    (listed,) = client.get("/v1/threads/t/messages").json()["items"]
    answer = client.get(f"/v1/threads/t/messages/{given(1)}")
    assert (answer.status_code, answer.json()) == (200, listed)


def test_what_is_not_there_is_404(client: TestClient, refusals: Refusals) -> None:
    client.post("/v1/threads/t/messages", json=HELLO)
    for path in ("", "/messages", f"/messages/{given(1)}", "/views/openai", "/diff"):
        problem = refusals.check(
            "GET", f"/v1/threads/nope{path}", "'nope'", status=404, name="unknown-thread"
        )
        assert "append a message to it to start it" in problem["detail"]
    refusals.check(
        "GET", f"/v1/threads/t/messages/{given(2)}", given(2), status=404, name="unknown-message"
    )
    for path in ("close", "annotate"):
        refusals.check(
            "POST",
            f"/v1/threads/nope/{path}",
            "'nope'",
            status=404,
            name="unknown-thread",
            json={"metadata": {"a": 1}} if path == "annotate" else {},
        )


NUMBERS = (
    b'{"big":123456789012345678901234567890,"ten":1.10,"huge":1e400,"zero":-0,"nul":"a\\u0000b"}'
)


def test_numbers_and_nul_come_back_as_they_were_written(client: TestClient) -> None:
    body = b'{"type":"vendor.n","payload":%b,"metadata":%b}' % (NUMBERS, NUMBERS)
    assert client.post("/v1/threads/t/messages", content=body).status_code == 201
    listed = client.get("/v1/threads/t/messages").content
    assert listed.count(NUMBERS) == 2
    assert NUMBERS in client.get("/v1/threads/t/views/kernel").content
    assert NUMBERS in client.get("/v1/log").content


HOSTILE = "'; DROP TABLE agentlog.events; -- \x00 %s {} \\ \U0001f99c"


def test_sql_in_every_string_is_text(client: TestClient) -> None:
    call = {"id": HOSTILE, "name": HOSTILE, "args": {HOSTILE: HOSTILE}, "argumentsText": HOSTILE}
    drafts: list[dict[str, Any]] = [
        {"type": "input", "text": HOSTILE, "files": [{"data": "", "filename": HOSTILE}]},
        {"type": "tool_calls", "calls": [call], "metadata": {"actor": HOSTILE, HOSTILE: HOSTILE}},
        {"type": "tool_results", "results": [{"callId": HOSTILE, "output": HOSTILE}]},
        {"type": "worker_spawned", "workerId": HOSTILE, "objective": HOSTILE},
        {"type": "vendor.x", "payload": HOSTILE},
    ]
    started = client.post("/v1/threads", json={"threadId": "t", "goal": HOSTILE})
    assert started.status_code == 201
    assert client.post("/v1/threads/t/messages", json=drafts).status_code == 201
    items = client.get("/v1/threads/t/messages").json()["items"]
    for item, draft in zip(items[1:], drafts, strict=True):
        metadata = draft.pop("metadata", {})
        assert {**item["message"], **draft} == item["message"]
        assert item["metadata"] == metadata
    assert client.get("/v1/threads/t").json()["goal"] == HOSTILE
    words = " ".join(map(quoted, HOSTILE.split()))
    threads = client.get("/v1/threads", params={"filter": words}).json()["items"]
    assert [thread["threadId"] for thread in threads] == ["t"]
    assert (
        client.get("/v1/threads/t/messages", params={"filter": f"type:{quoted(HOSTILE)}"}).json()[
            "items"
        ]
        == []
    )
    for view in VIEWS:
        assert client.get(f"/v1/threads/t/views/{view}").status_code == 200


def test_a_body_of_just_the_limit_is_taken(client: TestClient) -> None:
    head = b'{"type":"reply","text":"'
    body = head + b"x" * (16 * 2**20 - len(head) - 2) + b'"}'
    assert len(body) == 16 * 2**20
    assert client.post("/v1/threads/t/messages", content=body).status_code == 201
    problem_in(
        client.post("/v1/threads/t/messages", content=body + b" "),
        413,
        "body-too-large",
        "16777216",
    )
    assert parse(client.get("/v1/threads/t").content)["version"] == 1


def test_a_content_that_the_log_has_lost_is_named_wherever_it_is_shown(
    client: TestClient, database: Database
) -> None:
    text = "long and often repeated, " * 40
    client.post(THREAD, json=[{"type": "system", "text": text}, reply("two")])
    (first, second) = client.get(THREAD).json()["items"]
    assert "error" not in first
    with database.connection() as connection:
        connection.execute("DELETE FROM agentlog.blobs")
    digest = sha256(text.encode()).hexdigest()
    (lost, kept) = client.get(THREAD).json()["items"]
    assert kept == second
    assert lost["message"]["text"] == f"[content missing: sha256 {digest}]"
    assert (lost["error"]["name"], lost["error"]["missing"]) == ("content-missing", [digest])
    refused = client.get(f"{THREAD}/{lost['message']['id']}")
    assert (refused.status_code, refused.json()["missing"]) == (410, [digest])
    assert refused.json()["type"] == "urn:agentlog:problem:content-missing"
    assert client.get(f"{THREAD}/{kept['message']['id']}").status_code == 200
    (logged, _) = client.get("/v1/log").json()["items"]
    assert logged["error"] == lost["error"]
    viewed = client.get("/v1/threads/t/views/openai", params={"bare": "true"}).json()
    assert viewed[0]["content"] == f"[content missing: sha256 {digest}]"
    # put back, it is shown as it was, also where the view was read before
    with database.connection() as connection:
        connection.execute(
            "INSERT INTO agentlog.blobs VALUES (%s, decode(%s, 'hex'), 0, %b)",
            (TENANT, digest, text.encode()),
        )
    assert client.get(THREAD).json()["items"] == [first, second]
    viewed = client.get("/v1/threads/t/views/openai", params={"bare": "true"}).json()
    assert viewed[0]["content"] == text
