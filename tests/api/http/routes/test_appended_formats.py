"""Messages of other APIs over HTTP: appended as they are, and given back as they were."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.projections.readers.registry import FORMATS
from tests.api.refusals import problem_in

URL = "/v1/threads/t/messages"
USER = {"role": "user", "content": "Where is it?"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "a", "name": "track", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "en route"}
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [
        {"type": "output_text", "text": "On its way.", "annotations": []},
        {"type": "refusal", "refusal": "No more."},
    ],
}
ITEMS = [USER, CALL, OUTPUT, ANSWER]


def append(client: TestClient, body: Any, **headers: str) -> Any:
    return client.post(URL, params={"format": "responses"}, json=body, headers=headers)


def items(client: TestClient, **query: str) -> Any:
    asked = client.get("/v1/threads/t/views/responses", params={"bare": "true", **query})
    return asked.raise_for_status().json()


@pytest.mark.parametrize("size", [1, 3, 4])
def test_items_come_back_as_they_were_sent(client: TestClient, size: int) -> None:
    for begin in range(0, len(ITEMS), size):
        assert append(client, ITEMS[begin : begin + size]).status_code == 201
    assert items(client) == ITEMS
    assert items(client, at="3") == ITEMS[:3]


@pytest.mark.parametrize("body", [USER, [USER], {"messages": [USER]}])
def test_one_item_a_list_or_an_object_of_items_are_taken(client: TestClient, body: Any) -> None:
    assert append(client, body).status_code == 201
    assert items(client) == [USER]


def test_a_retry_is_answered_with_the_first_places(client: TestClient) -> None:
    assert append(client, [CALL]).status_code == 201
    assert append(client, [CALL]).status_code == 200
    keyed = {"Idempotency-Key": "run 7, step 1"}
    assert append(client, [USER, CALL], **keyed).status_code == 409  # a call id comes again
    assert append(client, [USER, OUTPUT], **keyed).status_code == 201
    assert append(client, [USER, OUTPUT], **keyed).status_code == 200
    assert items(client) == [CALL, USER, OUTPUT]


def test_what_is_no_item_is_refused_with_its_place(client: TestClient) -> None:
    refused = problem_in(append(client, [USER, {"foo": 1}]), 422, "invalid-message")
    assert refused["errors"][0]["place"] == "messages[1]"
    unknown = client.post(URL, params={"format": "maria"}, json=[USER])
    problem_in(unknown, 422, "unknown-format", "anthropic, openai, responses")
    assert client.get("/v1/threads/t").status_code == 404


def test_a_session_loses_an_item_and_its_past_has_it(client: TestClient) -> None:
    client.post(URL, json={"type": "session.started"}).raise_for_status()
    append(client, [USER, CALL])
    client.post(URL, json={"type": "session.item_deleted"}).raise_for_status()
    assert items(client) == [USER]
    assert items(client, at="3") == [USER, CALL]


UNKNOWN: list[tuple[str, list[Any]]] = [
    ("openai", [{"role": "user", "content": [{"type": "sticker", "id": 7}], "mood": "good"}]),
    ("openai", [USER, {"role": "assistant", "content": [{"thing": "x"}, {"text": "hi"}]}]),
    ("anthropic", [{"role": "user", "content": [{"type": "text", "text": "a", "shade": 1}]}]),
    ("responses", [{**USER, "mood": "good"}, {"type": "dance_call", "steps": 2}]),
    ("openai", [USER]),
]


@pytest.mark.parametrize(("name", "sent"), UNKNOWN)
def test_what_was_kept_aside_is_said_as_an_import_says_it(
    client: TestClient, name: str, sent: list[Any]
) -> None:
    answer = client.post(URL, params={"format": name}, json=sent)
    assert answer.status_code == 201
    (read,) = FORMATS[name].read([*sent])
    reasons = [part.reason for part in read.unmapped]
    aside = answer.json().get("aside", [])
    assert [part["reason"] for part in aside] == reasons
    assert bool(aside) == (sent != [USER])
    assert all(part["place"].startswith("messages[") for part in aside)
