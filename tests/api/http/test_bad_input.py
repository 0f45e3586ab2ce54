"""Bad input: each is refused with its status, its problem and its place, and nothing is written."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.conftest import MAX_BODY_BYTES
from tests.api.refusals import Refusals
from tests.infrastructure.appends import given

DEEP = b'{"type":"vendor.x","payload":' + b"[" * 10_000 + b"]" * 10_000 + b"}"

NOT_JSON = {
    "nothing": (b"", "line 1, column 1"),
    "no JSON": (b'{"type":"tick"', "line 1, column 15"),
    "no JSON on another line": (b'{"type":\n  tick}', "line 2, column 3"),
    "two values": (b'{"type":"tick"}{"type":"tick"}', "line 1, column 16"),
    "single quotes": (b"{'type':'tick'}", "line 1, column 2"),
    "a bare control character": (b'{"type":"log","text":"a\x00b"}', "line 1, column 24"),
    "not UTF-8": (b'{"type":"log","text":"\xff"}', "not UTF-8 at byte 22"),
    "UTF-16": ('{"type":"tick"}'.encode("utf-16"), "not UTF-8 at byte 0"),
    "NaN": (b'{"type":"vendor.x","payload":[1,NaN]}', "payload[1]: NaN is not JSON"),
    "Infinity": (b'[{"type":"vendor.x","payload":-Infinity}]', "[0].payload: -Infinity is not"),
    "NaN among messages": (
        b'{"messages":[{"type":"tick"},{"type":"tool_calls","calls":[{"args":{"x":NaN}}]}]}',
        "messages[1].calls[0].args.x: NaN is not JSON: use null or a string",
    ),
    "a lone surrogate": (
        b'[{"type":"tick"},{"type":"tool_calls","calls":[{"id":"\\ud800","name":"f"}]}]',
        "[1].calls[0].id: holds a lone surrogate",
    ),
    "a lone surrogate in a key": (
        b'{"type":"vendor.x","payload":{"a":{"\\udfff":1}}}',
        "payload.a: holds a lone surrogate",
    ),
    "a key twice": (
        b'{"type":"log","text":"a","text":"b"}',
        "text: the key 'text' stands twice in one object",
    ),
    "a key twice that is a lone surrogate": (
        b'{"type":"vendor.x","payload":[{"\\udfff":1,"\\udfff":1}]}',
        "payload[0].\ufffd: the key '\\udfff' stands twice",
    ),
    "10,000 levels": (DEEP, "nested deeper than 128 levels"),
    "129 levels": (
        b'{"type":"vendor.x","payload":' + b"[" * 128 + b"]" * 128 + b"}",
        "nested deeper than 128 levels",
    ),
    "10,000 objects": (b'{"a":' * 10_000, "nested deeper than 128 levels"),
}

NO_MESSAGE = {
    "a number": (b"7", [""]),
    "a text": (b'"tick"', [""]),
    "null": (b"null", [""]),
    "an object without type": (b'{"text":"hello"}', [""]),
    "messages and more": (b'{"messages":[{"type":"tick"}],"more":1}', [""]),
    "messages that are no list": (b'{"messages":{"type":"tick"}}', [""]),
    "a list of numbers": (b"[7]", ["messages[0]"]),
    "an unknown type": (b'{"type":"nope"}', ["messages[0].type"]),
    "a type that is no text": (b'{"type":7}', ["messages[0].type"]),
    "a type of the log's own": (b'{"type":"thread.closed"}', ["messages[0].type"]),
    "a custom type in capitals": (b'{"type":"Vendor.x"}', ["messages[0].type"]),
    "a custom type with NUL": (b'{"type":"vendor.\\u0000"}', ["messages[0].type"]),
    "a missing field": (b'{"type":"reply"}', ["messages[0].text"]),
    "a slip for a field": (
        b'{"type":"approval_response","callid":"c","approved":true}',
        ["messages[0].callId", "messages[0].callid"],
    ),
    "a slip for a nested field": (
        b'{"type":"tool_calls","calls":[{"id":"c","name":"f","arg":1}]}',
        ["messages[0].calls[0].arg"],
    ),
    "words under a key that is no field": (
        b'{"type":"input","content":"x"}',
        ["messages[0].content"],
    ),
    "a text that is a number": (b'{"type":"reply","text":5}', ["messages[0].text"]),
    "a yes that is a text": (
        b'{"type":"approval_response","callId":"c","approved":"yes"}',
        ["messages[0].approved"],
    ),
    "calls that are none": (b'{"type":"tool_calls","calls":{}}', ["messages[0].calls"]),
    "an empty call id": (
        b'{"type":"tool_calls","calls":[{"id":"","name":"f"}]}',
        ["messages[0].calls[0].id"],
    ),
    "a file that is not base64": (
        b'{"type":"input","files":[{"data":"%%%"}]}',
        ["messages[0].files[0].data"],
    ),
    "an exit for another reason": (b'{"type":"exit","reason":"bored"}', ["messages[0].reason"]),
    "an id that is no text": (b'{"type":"tick","id":7}', ["messages[0].id"]),
    "an empty id": (b'{"type":"tick","id":""}', ["messages[0].id"]),
    "a time before the epoch": (b'{"type":"tick","timestamp":-1}', ["messages[0].timestamp"]),
    "a time of a later age": (b'{"type":"tick","timestamp":1e99}', ["messages[0].timestamp"]),
    "a time beyond 64 bits": (
        b'{"type":"tick","timestamp":99999999999999999999}',
        ["messages[0].timestamp"],
    ),
    "a time that is a text": (b'{"type":"tick","timestamp":"now"}', ["messages[0].timestamp"]),
    "metadata that is a list": (b'{"type":"tick","metadata":[]}', ["messages[0].metadata"]),
    "an actor that is a number": (
        b'{"type":"tick","metadata":{"actor":7}}',
        ["messages[0].metadata.actor"],
    ),
    "many flaws in many messages": (
        b"""[{"type":"tick"},{"type":"reply"},{"type":"nope"},
        {"type":"tool_calls","calls":[{"id":"c"},{"name":"f","arg":1}]},7,{"type":"tick"}]""",
        [
            "messages[1].text",
            "messages[2].type",
            "messages[3].calls[0].name",
            "messages[3].calls[1].id",
            "messages[3].calls[1].arg",
            "messages[4]",
        ],
    ),
}


@pytest.mark.parametrize(("body", "words"), NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_json_that_the_log_can_keep_is_400(
    refusals: Refusals, body: bytes, words: str
) -> None:
    appended = refusals.append(body, words, status=400, name="invalid-json")
    (flaw,) = appended["errors"]
    assert appended["detail"] == ": ".join(filter(None, (flaw["place"], flaw["reason"])))
    for path in (
        "/v1/threads",
        "/v1/threads/t/close",
        "/v1/threads/t/annotate",
        "/v1/threads/t/remarks",
    ):
        if body:
            refusals.check("POST", path, words, status=400, name="invalid-json", content=body)


@pytest.mark.parametrize(("body", "places"), NO_MESSAGE.values(), ids=NO_MESSAGE)
def test_what_is_no_message_is_422_with_the_place_of_every_flaw(
    refusals: Refusals, body: bytes, places: list[str]
) -> None:
    appended = refusals.append(body)
    assert sorted(flaw["place"] for flaw in appended["errors"]) == sorted(places)
    for flaw in appended["errors"]:
        assert flaw["reason"]
        assert flaw["reason"] in appended["detail"]
        assert flaw["place"] in appended["detail"]


@pytest.mark.parametrize("body", [b"[]", b'{"messages":[]}'])
def test_an_append_of_nothing_is_422(refusals: Refusals, body: bytes) -> None:
    refusals.append(body, "send at least one message", name="empty-append")


def test_a_call_id_may_be_anything_but_a_result_that_nobody_asked_for_is_409(
    client: TestClient, refusals: Refusals
) -> None:
    asked = {"type": "tool_calls", "calls": [{"id": "\x00'; --", "name": "f"}]}
    assert client.post("/v1/threads/t/messages", json=asked).status_code == 201
    refusals.append(
        b'{"type":"tool_results","results":[{"callId":"\\u0000","output":1}]}',
        "nothing asked for call",
        status=409,
        name="rule-broken",
    )


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"goal": 5}, ["goal"]),
        ({"threadId": 5}, ["threadId"]),
        ({"threadId": "t", "type": "thread.closed"}, ["type"]),
        ({"threadId": "t", "id": given(1), "timestamp": 5}, ["id", "timestamp"]),
        ({"threadId": "t", "type": ["x"]}, ["type"]),
        ({"threadId": "t", "owner": "me"}, ["owner"]),
        ({"threadId": "t", "limits": {"maxSteps": -1}}, ["limits.maxSteps"]),
        ({"threadId": "t", "metadata": {"a": 1}, "parent": "a b"}, ["parent"]),
        ({"threadId": "t", "policy": "lax"}, ["policy"]),
        ([], [""]),
    ],
)
def test_facts_that_a_thread_cannot_start_with_are_422(
    refusals: Refusals, body: Any, places: list[str]
) -> None:
    report = refusals.check(
        "POST", "/v1/threads", *places, status=422, name="invalid-message", json=body
    )
    assert [flaw["place"] for flaw in report["errors"]] == places


@pytest.mark.parametrize("thread_id", ["", "a b", "a/b", "é", ".", "..", "x" * 129, "a\x00", "a'"])
def test_a_thread_id_of_other_characters_is_422(refusals: Refusals, thread_id: str) -> None:
    refusals.check(
        "POST",
        "/v1/threads",
        "use 1 to 128 of the characters",
        status=422,
        name="invalid-thread-id",
        json={"threadId": thread_id},
    )


@pytest.mark.parametrize(
    ("path", "body", "places"),
    [
        ("close", {"reason": 5}, ["reason"]),
        ("close", {"reason": "r", "why": 1, "how": 2}, ["why", "how"]),
        ("close", [], [""]),
        ("annotate", {}, ["metadata"]),
        ("annotate", {"metadata": []}, ["metadata"]),
        ("annotate", {"metadata": {}}, ["metadata"]),
        ("annotate", {"metadata": {"a": 1}, "more": 1}, ["more"]),
        ("annotate", 7, [""]),
    ],
)
def test_what_a_thread_cannot_be_closed_or_annotated_with_is_422(
    client: TestClient, refusals: Refusals, path: str, body: Any, places: list[str]
) -> None:
    client.post("/v1/threads", json={"threadId": "t"})
    report = refusals.check(
        "POST",
        f"/v1/threads/t/{path}",
        *places,
        status=422,
        name="invalid-message",
        json=body,
    )
    assert [flaw["place"] for flaw in report["errors"]] == places


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/v1/threads/a%20b", "path.thread_id"),
        ("/v1/threads/a%00b/messages", "path.thread_id"),
        ("/v1/threads/%ED%A0%80/views/openai", "path.thread_id"),
        (f"/v1/threads/{'x' * 129}/diff", "path.thread_id"),
        ("/v1/threads?limit=0", "query.limit"),
        ("/v1/threads?limit=1001", "query.limit"),
        ("/v1/threads/t/messages?limit=x", "query.limit"),
        ("/v1/log?limit=99999999999999999999999", "query.limit"),
        (f"/v1/threads?filter={'x' * 2001}", "query.filter"),
        ("/v1/threads/t/views/openai?bare=perhaps", "query.bare"),
    ],
)
def test_a_parameter_that_is_off_is_422_and_named(
    client: TestClient, refusals: Refusals, path: str, place: str
) -> None:
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    report = refusals.check("GET", path, place, status=422, name="invalid-request")
    assert [flaw["place"] for flaw in report["errors"]] == [place]


@pytest.mark.parametrize(
    ("method", "path", "status", "name"),
    [
        ("GET", "/nope", 404, "no-such-route"),
        ("GET", "/v1", 404, "no-such-route"),
        ("GET", "/v1/threads/t/nope", 404, "no-such-route"),
        ("GET", "/v1/threads/a%2Fb", 404, "no-such-route"),
        ("DELETE", "/v1/threads/t", 405, "http"),
        ("PUT", "/v1/threads/t/messages", 405, "http"),
        ("POST", "/healthz", 405, "http"),
    ],
)
def test_a_route_that_is_not_there_says_so(
    refusals: Refusals, method: str, path: str, status: int, name: str
) -> None:
    refusals.check(method, path, method, status=status, name=name)


LARGE = b"x" * (17 * 2**20)


@pytest.mark.parametrize("path", ["/v1/threads", "/v1/threads/t/messages"])
def test_a_body_of_17_mb_is_413_by_its_declared_length(refusals: Refusals, path: str) -> None:
    refusals.check(
        "POST", path, str(MAX_BODY_BYTES), status=413, name="body-too-large", content=LARGE
    )


def test_a_body_of_17_mb_is_413_without_a_declared_length(refusals: Refusals) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"type":"log","text":"'
        yield LARGE

    refusals.check(
        "POST",
        "/v1/threads/t/messages",
        str(MAX_BODY_BYTES),
        "AGENTLOG_MAX_BODY_BYTES",
        status=413,
        name="body-too-large",
        content=chunks(),
    )
