"""Subscriptions over HTTP: made, pulled by consumers, acknowledged, parked."""

import time
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import APPENDED
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.webhooks.addresses import Addresses
from tests.api.conftest import app_over, end_following
from tests.api.refusals import Refusals, problem_in
from tests.infrastructure.appends import reply
from tests.waiting import until

PATH = "/v1/subscriptions"


def _made(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post(PATH, json={"name": "s", "from": "start", **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"{PATH}/{made['name']}"
    return made


def _post(client: TestClient, what: str, **fields: Any) -> Any:
    answer = client.post(f"{PATH}/s/{what}", json=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_subscription_is_made_listed_and_deleted(client: TestClient, threads: Threads) -> None:
    threads.append("t", [reply("one")])
    made = _made(client, filter="(type:tool-calls or type:reply) thread:t* metadata.team:red")
    assert made.pop("createdAt")
    assert made == {
        "name": "s",
        "state": "active",
        "reason": None,
        "filter": "(type:tool_calls or type:reply) thread:t* metadata.team:red",
        "maxAttempts": 10,
        "webhook": None,
        "position": 0,
        "pending": 0,
        "parked": 0,
        "lag": 1,
        "failingSince": None,
        "createdBy": None,
        "secret": None,
    }
    _made(client, name="another")
    listed = client.get(PATH, params={"limit": 1}).json()
    assert [item["name"] for item in listed["items"]] == ["another"]
    after = client.get(PATH, params={"after": listed["next"]}).json()
    assert [item["name"] for item in after["items"]] == ["s"]
    assert client.delete(f"{PATH}/s").json()["name"] == "s"
    problem_in(client.get(f"{PATH}/s"), 404, "unknown-subscription", "list")
    problem_in(client.post(PATH, json={"name": "another"}), 409, "subscription-exists", "another")


def test_consumers_pull_acknowledge_and_refuse(client: TestClient, threads: Threads) -> None:
    _made(client, maxAttempts=1)
    threads.append("t", [reply("one", metadata={"actor": "ann"}), reply("two")])
    threads.append("u", [reply("three")])
    pulled = _post(client, "pull", limit=2, seconds=60)
    first, second = pulled["items"]
    assert (first["type"], first["threadId"], first["position"]) == ("reply", "t", 1)
    assert (first["attempt"], first["notice"]) == (1, None)
    (event,) = client.get("/v1/log", params={"limit": 1}).json()["items"]
    assert first["event"] == event
    assert _post(client, "ack", lease=pulled["lease"], ids=[first["id"]]) == {
        "acknowledged": [first["id"]]
    }
    refused = _post(client, "nack", lease=pulled["lease"], error="no such order")
    assert refused == {"due": [], "parked": [second["id"]]}
    ended = client.post(f"{PATH}/s/ack", json={"lease": pulled["lease"]})
    problem_in(ended, 409, "lease-ended", pulled["lease"])
    (parked,) = client.get(f"{PATH}/s/parked").json()["items"]
    assert (parked["id"], parked["error"], parked["attempts"]) == (
        second["id"],
        "no such order",
        1,
    )
    assert _post(client, "parked/retry", ids=[second["id"]]) == {"deliveries": 1}
    again = _post(client, "pull")
    assert [item["event"]["message"]["text"] for item in again["items"]] == ["two", "three"]
    assert _post(client, "nack", lease=again["lease"], park=True, ids=[second["id"]])
    assert _post(client, "parked/discard") == {"deliveries": 1}
    assert _post(client, "pull") == {"lease": None, "until": None, "items": []}


def test_a_consumer_waits_for_the_first_event(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    _made(client)
    began = time.monotonic()
    assert _post(client, "pull", wait=0.2)["items"] == []
    assert time.monotonic() - began >= 0.2
    with ThreadPoolExecutor(1) as consumer:
        pulled = consumer.submit(_post, client, "pull", wait=30)
        listener = app.state.projection_status.listener
        until(lambda: listener._callbacks[APPENDED])  # it waits
        threads.append("t", [reply("one")])
        (item,) = pulled.result(timeout=60)["items"]
    assert item["event"]["message"]["text"] == "one"


def test_what_a_fork_copied_is_not_given_out_twice(client: TestClient, threads: Threads) -> None:
    _made(client, filter="type:reply")
    threads.append("t", [reply("one")])
    assert client.post("/v1/threads/t/fork", json={"threadId": "u"}).status_code == 201
    threads.append("u", [reply("two")])
    pulled = _post(client, "pull")
    assert [item["event"]["message"]["text"] for item in pulled["items"]] == ["one", "two"]


def test_what_was_erased_is_not_delivered(client: TestClient, threads: Threads) -> None:
    _made(client, filter="type:reply")
    threads.append("t", [reply("a secret")])
    (item,) = _post(client, "pull", seconds=1)["items"]
    message = item["event"]["message"]["id"]
    answer = client.post(f"/v1/threads/t/messages/{message}/redact", json={"reason": "asked"})
    assert answer.status_code in {200, 201}, answer.text
    _made(client, name="later")
    later = client.post(f"{PATH}/later/pull", json={})
    assert "a secret" not in later.text
    assert later.json()["items"][0]["event"]["redacted"] == {"version": 2}


def test_a_paused_one_says_so(client: TestClient, threads: Threads) -> None:
    _made(client)
    threads.append("t", [reply("one")])
    assert _post(client, "pause")["state"] == "paused"
    problem_in(client.post(f"{PATH}/s/pull", json={}), 409, "subscription-paused", "resume")
    assert _post(client, "resume")["state"] == "active"
    assert len(_post(client, "pull")["items"]) == 1


def test_the_secret_of_a_webhook_is_shown_once(database: Database, threads: Threads) -> None:
    app = app_over(database, threads, addresses=Addresses.of("127.0.0.0/8"))
    with TestClient(app) as client:
        webhook = {"url": "http://127.0.0.1:9/hook", "content": True}
        answer = client.post(PATH, json={"name": "s", "webhook": webhook})
        assert answer.status_code == 201, answer.text
        assert answer.headers["cache-control"] == "no-store"
        made = answer.json()
        secret = made.pop("secret")
        assert secret.startswith("whsec_")
        assert len(b64decode(secret.removeprefix("whsec_"))) == 32
        assert made["webhook"] == webhook
        for path in (PATH, f"{PATH}/s"):
            assert secret not in client.get(path).text
        problem_in(client.post(f"{PATH}/s/pull", json={}), 409, "not-pulled", "webhook")
    end_following(app)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/",
        "https://localhost/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "http://93.184.215.14/",
        "https://user:pass@93.184.215.14/",
        "file:///etc/passwd",
        "",
    ],
)
def test_a_webhook_goes_to_no_address_that_it_may_not(refusals: Refusals, url: str) -> None:
    body = {"name": "s", "webhook": {"url": url}}
    refusals.check("POST", PATH, "webhook.url", status=422, name="address-refused", json=body)
    problem_in(refusals.client.get(f"{PATH}/s"), 404, "unknown-subscription")


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("", b"{}", "name: missing"),
        ("", b"[]", "JSON object"),
        ("", b'{"name":"s","type":"reply"}', "type: no such field"),
        ("", b'{"name":"s","filter":"type:repply"}', "nearest is reply"),
        ("", b'{"name":"s","webhook":"https://93.184.215.14/"}', "webhook"),
        ("", b'{"name":"s","webhook":{"url":7}}', "webhook"),
        ("", b'{"name":"s","webhook":{"url":"https://93.184.215.14/","more":1}}', "webhook"),
        ("", b'{"name":"s","webhook":{"url":"https://93.184.215.14/","content":1}}', "webhook"),
        ("/s/pull", b'{"limit":1000}', "limit: input should be less than or equal to 100"),
        ("/s/pull", b'{"limit":1.5}', "limit"),
        ("/s/pull", b'{"wait":31}', "wait"),
        ("/s/pull", b'{"seconds":true}', "seconds"),
        ("/s/ack", b"{}", "lease"),
        ("/s/ack", b'{"lease":"0123456789abcdef","ids":[]}', "ids"),
        ("/s/ack", b'{"lease":"0123456789abcdef","ids":["1"]}', "ids[0]"),
        ("/s/ack", b'{"lease":"0123456789abcdef","ids":[99999999999999999999]}', "ids[0]"),
        ("/s/nack", b'{"lease":"0123456789abcdef","error":7}', "error"),
        ("/s/nack", b'{"lease":"0123456789abcdef","park":"yes"}', "park"),
        ("/s/parked/retry", b'{"ids":7}', "ids"),
    ],
)
def test_bad_input_is_refused_by_its_place(
    refusals: Refusals, path: str, body: bytes, words: str
) -> None:
    refusals.check(
        "POST", PATH + path, words, status=422, name="invalid-subscription", content=body
    )
