"""000 to 002: what the writers of the kernels make of a message is taken, or refused by field.

The judge is the documents' types, and the standards of the two writers (see `kernels`).
"""

import json
from base64 import b64decode
from collections.abc import Callable
from itertools import count
from time import process_time
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings

from agentlog.domain.drafts import NO_ORIGIN
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from agentlog.infrastructure.appending.append_request import prepared_message
from agentlog.projections.kernel_writers import as_sent
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.wires.kernel import READER
from tests.commission import kernels
from tests.commission.kernels import BYTES, FORMS, MILLISECONDS, REFUSED, SECONDS, TAKEN, Item
from tests.histories import examples

_WHOLE = ("openai", "anthropic", "responses", "letta", "openletta", "maria", "timeline")
"""Views that are to show whatever was taken."""


def sent(client: TestClient, *messages: Item, thread: str = "t") -> Any:
    """Append messages as they are to a thread that keeps them; return the answer."""
    client.post("/v1/threads", json={"threadId": thread, "policy": "record"})
    return client.post(f"/v1/threads/{thread}/messages", content=json.dumps(messages))


def shown(client: TestClient, view: str = "kernel", thread: str = "t") -> list[Item]:
    """Return a view of the thread."""
    answer = client.get(f"/v1/threads/{thread}/views/{view}?bare=true")
    assert answer.status_code == 200, answer.text
    items: list[Item] = answer.json()
    return items


def without_generated(item: Item, message: Item) -> Item:
    """Return a shown message without the id and time that its sender left to the log."""
    return {
        key: value
        for key, value in item.items()
        if key in message or key not in {"id", "timestamp"}
    }


def as_spelled(message: Item) -> Item:
    """Return a message in the spelling that the view has unless it is asked for the other."""
    return {**message, "type": message["type"].replace("-", "_")}


@pytest.mark.parametrize("message", TAKEN.values(), ids=TAKEN)
def test_a_kernels_message_is_taken_and_given_back(client: TestClient, message: Item) -> None:
    answer = sent(client, message)
    assert answer.status_code == 201, answer.text
    (item,) = shown(client)
    assert without_generated(item, message) == as_spelled(message)
    for view in _WHOLE:
        shown(client, view)
    assert sent(client, {"id": answer.json()["messages"][0]["id"], **message}).status_code in {
        200,
        201,
    }


@pytest.mark.parametrize(("message", "field"), REFUSED.values(), ids=REFUSED)
def test_what_no_document_allows_is_refused_by_its_field(
    client: TestClient, message: Item, field: str
) -> None:
    answer = sent(client, message)
    assert answer.status_code == 422, answer.text
    assert [flaw["place"] for flaw in answer.json()["errors"]] == [f"messages[0].{field}"]


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_the_same_bytes_come_back_whoever_wrote_them(client: TestClient, data: Any) -> None:
    message = {
        "type": "input",
        "files": [{"data": data, "filename": "a", "mimeType": "text/plain"}],
    }
    assert sent(client, message).status_code == 201
    (item,) = shown(client)
    assert b64decode(item["files"][0]["data"].rpartition(",")[2]) == BYTES
    (event,) = client.get("/v1/threads/t/messages?filter=type:input").json()["items"]
    assert b64decode(event["message"]["files"][0]["data"]) == BYTES


@pytest.mark.parametrize(
    "written", [SECONDS, SECONDS + 0.25, "2026-01-02T03:04:05Z", "2026-01-02T04:04:05.250+01:00"]
)
def test_no_message_of_today_is_shown_in_1970(client: TestClient, written: Any) -> None:
    assert sent(client, {"type": "reply", "text": "x", "timestamp": written}).status_code == 201
    (item,) = shown(client)
    assert item["timestamp"] // 1000 == SECONDS
    (event,) = client.get("/v1/threads/t/messages?filter=type:reply").json()["items"]
    assert event["message"]["timestamp"] // 1000 == SECONDS
    assert json.dumps(written) in json.dumps(event["metadata"])  # what was understood is on record


def test_a_time_that_is_none_is_the_time_of_arrival(client: TestClient) -> None:
    assert sent(client, {"type": "reply", "text": "x", "timestamp": None}).status_code == 201
    assert shown(client)[0]["timestamp"] > MILLISECONDS - 10**9


def test_a_message_is_found_by_the_id_that_its_kernel_gave_it(client: TestClient) -> None:
    message = {"type": "reply", "text": "x", "id": kernels.UUID}
    first = sent(client, message).json()
    again = sent(client, message)
    assert (again.status_code, again.json()["messages"][0]["replayed"]) == (200, True)
    for name in (kernels.UUID, kernels.UUID.upper()):
        event = client.get(f"/v1/threads/t/messages/{name}").json()
        assert event["message"]["id"] == first["messages"][0]["id"]
        at = client.get("/v1/threads/t/views/kernel", params={"bare": True, "at": name})
        assert at.json()[0]["id"] == kernels.UUID
    assert sent(client, {**message, "text": "y"}).status_code == 409


def test_a_failure_stays_one_whatever_its_error_is(client: TestClient) -> None:
    odd: list[Any] = [{}, 5, True, ["a"], {"code": "ENOENT"}, {"message": None}, "no"]
    results = [{"callId": f"c{n}", "error": error} for n, error in enumerate(odd)]
    calls = [{"id": f"c{n}", "name": "f"} for n in range(len(odd))]
    sent(
        client, {"type": "tool_calls", "calls": calls}, {"type": "tool_results", "results": results}
    )
    texts = [item["content"] for item in shown(client, "openai") if item["role"] == "tool"]
    assert len(texts) == len(odd)
    assert all(text.startswith("Error: ") for text in texts)
    assert "ENOENT" in texts[4]


def test_the_kernels_words_for_an_end_are_ours(client: TestClient) -> None:
    ends = {
        "Complete": ("complete", None),
        "StepLimit": ("step_limit", None),
        "UserRequest": ("user_request", None),
        "Completed": ("complete", None),
    }
    for n, (word, (reason, message)) in enumerate(ends.items()):
        sent(client, {"type": "exit", "reason": word}, thread=f"t{n}")
        (event,) = client.get(f"/v1/threads/t{n}/messages?filter=type:exit").json()["items"]
        assert (event["message"]["reason"], event["message"].get("message")) == (reason, message)
    sent(client, {"type": "exit", "reason": {"Error": "x"}})
    (event,) = client.get("/v1/threads/t/messages?filter=type:exit").json()["items"]
    assert (event["message"]["reason"], event["message"]["message"]) == ("error", "x")


def test_figures_of_mylms_response_count(client: TestClient) -> None:
    sent(client, TAKEN["a response as mylm has it"])
    (event,) = client.get("/v1/threads/t/messages?filter=type:llm_response").json()["items"]
    assert event["message"]["usage"] == {"inputTokens": 3, "outputTokens": 4, "totalTokens": 7}
    assert event["message"]["finishReason"] == "stop"


def test_a_worker_with_a_number_is_answered_by_that_number(client: TestClient) -> None:
    number = 2**64 - 1
    answer = sent(
        client,
        {"type": "worker_spawned", "workerId": number, "objective": "o"},
        {"type": "worker_result", "worker_id": number, "Ok": "x"},
    )
    assert (answer.status_code, answer.json()["anomalies"]) == (201, [])


def test_a_template_shows_nothing_that_its_message_does_not_say(client: TestClient) -> None:
    forged = {"wire": {"kernel": [{"item": {"type": "reply", "text": "never said"}, "holes": {}}]}}
    sent(client, {"type": "reply", "text": "said", "metadata": forged})
    assert shown(client)[0]["text"] == "said"


def test_what_a_property_said_goes_with_its_message(client: TestClient) -> None:
    answer = sent(client, {"type": "reply", "text": "x", "channel": "secret words"})
    own_id = answer.json()["messages"][0]["id"]
    erased = client.post(f"/v1/threads/t/messages/{own_id}/redact", json={"reason": "r"})
    assert erased.status_code in {200, 201}, erased.text
    assert "secret words" not in client.get("/v1/threads/t/messages").text


_numbers = count()


def _said(message: Item) -> Item:
    """Return a message as it is given back: bytes are base64, and spelled with an underscore."""
    files = [
        {**file, "data": kernels.base64_of(file["data"])} for file in message.get("files") or ()
    ]
    return as_spelled({**message, **({"files": files} if files else {})})


@settings(examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(message=kernels.messages)
def test_every_value_of_a_kernel_is_taken_with_each_leaf_or_named(
    client: TestClient, message: Item
) -> None:
    thread = f"t-{next(_numbers)}"
    answer = sent(client, message, thread=thread)
    if answer.status_code == 422:
        for flaw in answer.json()["errors"]:
            assert flaw["place"].removeprefix("messages[0].") in message
        return
    assert answer.status_code in {200, 201}, answer.text
    (item,) = shown(client, thread=thread)
    assert without_generated(item, message) == _said(message)
    for view in _WHOLE:
        shown(client, view, thread=thread)


def test_an_import_counts_the_properties_that_have_no_field() -> None:
    unmapped: list[Unmapped] = []
    items = [TAKEN["a property of one's own"], TAKEN["a result with a property of its own"]]
    drafts = list(READER.read([*items, {"type": "reply", "text": "x", "metadata": {}}], unmapped))
    assert drafts[:2] == items
    assert [(part.place, part.what) for part in unmapped] == [
        ("[0].channel", "field 'channel'"),
        ("[0].seen", "field 'seen'"),
        ("[1].results[0].durationMs", "field 'results[0].durationMs'"),
    ]


MANY: dict[str, Callable[[int], Item]] = {
    "properties": lambda n: {"type": "reply", "text": "x", **{f"p{i}": i for i in range(n)}},
    "results with a property": lambda n: {
        "type": "tool_results",
        "results": [{"output": i, "durationMs": i} for i in range(n)],
    },
    "errors with a code": lambda n: {
        "type": "tool_results",
        "results": [{"output": i, "error": {"code": i}} for i in range(n)],
    },
    "files of bytes": lambda n: {"type": "input", "files": [{"data": [1, 2]}] * n},
    "bytes": lambda n: {"type": "input", "files": [{"data": kernels.numbered(bytes(n))}]},
}


@pytest.mark.parametrize("many", MANY.values(), ids=MANY)
def test_twice_as_much_takes_about_twice_as_long(many: Callable[[int], Item]) -> None:
    def seconds(count: int) -> float:
        message, begun = many(count), process_time()
        prepared = prepared_message(message, lambda: "0" * 26, MILLISECONDS, NO_ORIGIN)
        as_sent(object_of(parse(prepared.body)), template_in(prepared.metadata))
        return process_time() - begun

    seconds(10)
    assert min(seconds(8000) for _ in range(2)) < 12 * max(seconds(2000), 0.02)


def template_in(metadata: bytes | None) -> Item:
    return dict(json.loads(metadata or b"{}")["wire"]["kernel"][0])
