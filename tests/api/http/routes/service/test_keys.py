"""Keys over HTTP: made, listed, revoked; what was begun with them; and who did what on record."""

import logging
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.access import SCOPES
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import KEYED
from agentlog.infrastructure.threads import Threads
from tests.api.keyholders import bearing, empty_keys, keys_of, make_key
from tests.api.listeners import followed, listening
from tests.api.refusals import problem_in
from tests.clients import TLS
from tests.infrastructure.appends import TENANT, Clock, reply
from tests.waiting import WAIT_SECONDS

BY = "appendedBy"


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    """A database without any key; nor has it one for the next test."""
    yield database
    empty_keys(database)


@pytest.fixture
def admin(app: FastAPI) -> KeyText:
    """A key for everything."""
    return make_key(app, *SCOPES)


def test_a_key_is_made_shown_once_and_listed(client: TestClient, admin: KeyText) -> None:
    asked = {"name": "agents", "scopes": ["append", "read"], "expires": "90d"}
    answer = client.post("/v1/keys", json=asked, headers=bearing(admin))
    assert answer.status_code == 201
    made = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["location"] == f"/v1/keys/{made['id']}"
    text = KeyText.parse(made.pop("key"))
    assert text is not None
    assert made["scopes"] == ["read", "append"]
    assert (made["tenant"], made["createdBy"]) == (TENANT, admin.key_id)
    left = datetime.fromisoformat(made["expiresAt"]) - datetime.now(UTC)
    assert timedelta(days=89) < left <= timedelta(days=90)
    listed = client.get("/v1/keys", headers=bearing(admin))
    assert made in listed.json()["items"]
    assert text.secret not in listed.text
    assert client.get("/v1/threads", headers=bearing(text)).status_code == 200


def test_keys_are_listed_page_by_page(app: FastAPI, client: TestClient, admin: KeyText) -> None:
    ids = sorted([admin.key_id, *(make_key(app).key_id for _ in range(2))])
    first = client.get("/v1/keys?limit=2", headers=bearing(admin)).json()
    rest = client.get(f"/v1/keys?after={first['next']}", headers=bearing(admin)).json()
    assert [key["id"] for key in [*first["items"], *rest["items"]]] == ids
    assert rest["next"] is None


def test_a_key_learns_what_it_may_do(app: FastAPI, client: TestClient) -> None:
    ending = datetime(2100, 1, 2, tzinfo=UTC)
    key = make_key(app, "append", "read", tenant="other", expires_at=ending)
    answer = client.get("/v1/keys/self", headers=bearing(key))
    assert answer.json() == {
        "anonymous": False,
        "keyRequired": True,
        "keyId": key.key_id,
        "name": "of a test",
        "user": None,
        "tenant": "other",
        "scopes": ["read", "append"],
        "expiresAt": "2100-01-02T00:00:00.000000Z",
    }
    assert answer.headers["cache-control"] == "no-store"
    lasting = client.get("/v1/keys/self", headers=bearing(make_key(app, "redact"))).json()
    assert (lasting["scopes"], lasting["expiresAt"]) == (["redact"], None)


def test_who_has_no_key_may_do_everything_until_there_is_one(
    app: FastAPI, client: TestClient
) -> None:
    assert client.get("/v1/keys/self").json() == {
        "anonymous": True,
        "keyRequired": False,
        "keyId": None,
        "name": None,
        "user": None,
        "tenant": TENANT,
        "scopes": list(SCOPES),
        "expiresAt": None,
    }
    make_key(app, "read")
    problem_in(client.get("/v1/keys/self"), 401, "not-authenticated")


def test_self_is_no_id_of_a_key(app: FastAPI, client: TestClient, admin: KeyText) -> None:
    problem_in(client.delete("/v1/keys/self", headers=bearing(admin)), 422, "invalid-request")
    assert client.get("/v1/keys/self", headers=bearing(admin)).status_code == 200
    reading = make_key(app, "read")
    assert client.delete("/v1/keys/self", headers=bearing(reading)).status_code == 403


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({}, "name"),
        ({"name": 1, "scopes": ["read"]}, "name"),
        ({"name": "x"}, "scopes"),
        ({"name": "x", "scopes": "read"}, "scopes"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": ["all"]}, "scopes"),
        ({"name": "x", "scopes": [["read"]]}, "scopes"),
        ({"name": "x", "scopes": ["read"], "expires": 90}, "expires"),
        ({"name": "x", "scopes": ["read"], "expires": "2020-01-01T00:00:00Z"}, "expires"),
        ({"name": "x", "scopes": ["read"], "tenant": "other"}, "tenant"),
        ([], "send"),
    ],
)
def test_what_is_no_key_to_make_is_refused(client: TestClient, asked: Any, word: str) -> None:
    answer = client.post("/v1/keys", json=asked)
    problem_in(answer, 422, "invalid-key-terms", word)
    assert client.get("/v1/keys").json()["items"] == []


def test_a_revoked_key_opens_nothing_from_the_next_request_on(
    app: FastAPI, client: TestClient, admin: KeyText
) -> None:
    key = make_key(app)
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 200
    revoked = client.delete(f"/v1/keys/{key.key_id}", headers=bearing(admin))
    assert revoked.status_code == 200
    assert revoked.json()["revokedBy"] == admin.key_id
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 401
    again = client.delete(f"/v1/keys/{key.key_id}", headers=bearing(admin))
    assert again.json() == revoked.json()


def test_only_keys_of_ones_own_tenant_are_revoked(
    app: FastAPI, client: TestClient, admin: KeyText
) -> None:
    theirs = make_key(app, tenant="other")
    for key_id in (theirs.key_id, "a" * 12):
        answer = client.delete(f"/v1/keys/{key_id}", headers=bearing(admin))
        problem_in(answer, 404, "unknown-key")
    assert client.get("/v1/threads", headers=bearing(theirs)).status_code == 200


def test_each_tenant_has_its_own_threads(app: FastAPI, client: TestClient) -> None:
    for tenant in ("one", "two"):
        key = make_key(app, "read", "append", tenant=tenant)
        asked = client.post("/v1/threads/t/messages", json=reply(tenant), headers=bearing(key))
        assert asked.status_code == 201
        shown = client.get("/v1/threads/t/messages", headers=bearing(key)).json()["items"]
        assert [item["message"]["text"] for item in shown] == [tenant]


def _metadata(events: Sequence[Event]) -> list[Any]:
    return [event.metadata for event in events]


def test_who_appended_is_on_record_for_all_that_is_appended(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    key = make_key(app, "append", "redact")
    headers, lines = bearing(key), b'{"threadId":"t","messages":[{"type":"tick"}]}\n'
    asks: Sequence[tuple[str, dict[str, Any]]] = (
        ("/v1/threads", {"json": {"threadId": "t"}}),
        ("/v1/threads/t/messages", {"json": [reply("1"), reply("2")]}),
        ("/v1/log", {"content": lines}),
        ("/v1/threads/t/annotate", {"json": {"metadata": {"a": 1}}}),
        ("/v1/threads/t/remarks", {"json": {"type": "thread.judged", "score": 1}}),
        ("/v1/threads/t/redact", {"json": {"reason": "asked"}}),
        ("/v1/threads/t/close", {"json": {}}),
    )
    before = 0
    for path, asked in asks:
        answer = client.post(path, headers=headers, **asked)
        assert answer.status_code in {200, 201}, answer.text
        new = threads.log(after=before)
        assert new, path
        assert _metadata(new) == [{BY: key.key_id}] * len(new), path
        before += len(new)


def test_who_appended_is_the_servers_to_say(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    key = make_key(app, "append")
    for claimed in ("somebody", 7, None):
        draft = reply("x", metadata={"actor": "a", BY: claimed})
        answer = client.post("/v1/threads/t/messages", json=draft, headers=bearing(key))
        assert answer.status_code == 201
    metadata = _metadata(threads.messages("t"))
    assert metadata == [{"actor": "a", BY: key.key_id}] * 3


def test_without_a_key_nobody_appended_unless_the_client_says_who(
    client: TestClient, threads: Threads
) -> None:
    """An import brings along who did it elsewhere."""
    for draft in (reply("1"), reply("2", metadata={BY: "elsewhere"})):
        assert client.post("/v1/threads/t/messages", json=draft).status_code == 201
    assert _metadata(threads.messages("t")) == [{}, {BY: "elsewhere"}]
    answer = client.post("/v1/threads/t/messages", json=reply("3", metadata={BY: 3}))
    problem_in(answer, 422, "invalid-message", f"metadata.{BY}")


def test_a_retry_by_another_key_is_a_retry(
    app: FastAPI, client: TestClient, threads: Threads
) -> None:
    first, second = make_key(app, "append"), make_key(app, "append")
    draft = reply("x", id="01JD8Z3Q5N7V2M4K6H8G0F1E2D", timestamp=Clock().now)
    for key, status in ((first, 201), (second, 200)):
        answer = client.post("/v1/threads/t/messages", json=draft, headers=bearing(key))
        assert answer.status_code == status
    assert _metadata(threads.messages("t")) == [{BY: first.key_id}]


def test_no_secret_is_in_what_the_service_says(
    app: FastAPI, client: TestClient, admin: KeyText, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="agentlog")
    wrong = KeyText(admin.key_id, "f" * 64)
    paths = ("/v1/threads", "/v1/threads/none", "/v1/keys", "/metrics", "/v1/nowhere", "/v1/log?x=")
    said = [client.get(path, headers=bearing(key)) for path in paths for key in (admin, wrong)]
    digest = sha256(admin.secret.encode()).hexdigest()
    for hidden in (admin.secret, wrong.secret, digest):
        for answer in said:
            assert hidden not in answer.text
            assert hidden not in str(answer.headers)
        assert hidden not in caplog.text
        assert hidden not in repr(keys_of(app).__dict__)


@contextmanager
def told_of_keys(app: FastAPI) -> Iterator[None]:
    """Wait at the end of the block until the service has been told of keys."""
    told = threading.Event()
    off = keys_of(app)._listener.on(KEYED, told.set)
    yield
    assert told.wait(WAIT_SECONDS)
    off()


def revoke_elsewhere(app: FastAPI, database: Database, key: KeyText) -> None:
    """Revoke a key as another process does, and wait until the service has heard of it."""
    elsewhere = Keys(database, random_bytes=bytes, clock=lambda: datetime.now(UTC))
    with told_of_keys(app):
        elsewhere.revoke(TENANT, key.key_id)


@pytest.mark.parametrize("path", ["/v1/threads/t/events", "/v1/log/events"])
def test_a_stream_tells_nothing_more_once_its_key_is_revoked(
    app: FastAPI, database: Database, threads: Threads, path: str
) -> None:
    key = make_key(app)
    threads.append("t", [reply("before")])
    with followed(app) as address, listening(address, path, headers=bearing(key)) as stream:
        assert "before" in str(stream.next().data)
        revoke_elsewhere(app, database, key)
        threads.append("t", [reply("after")])
        assert stream.rest() == []
        with httpx2.Client(base_url=address, trust_env=False, verify=TLS) as client:
            assert client.get("/v1/threads", headers=bearing(key)).status_code == 401


def test_a_stream_ends_with_its_key(app: FastAPI, threads: Threads) -> None:
    now = [datetime(2026, 11, 21, tzinfo=UTC)]
    keys_of(app).keys.clock = lambda: now[0]
    key = make_key(app, expires_at=now[0] + timedelta(hours=1))
    threads.append("t", [reply("before")])
    path = "/v1/threads/t/events"
    with followed(app) as address, listening(address, path, headers=bearing(key)) as stream:
        assert "before" in str(stream.next().data)
        now[0] += timedelta(hours=1)
        threads.append("t", [reply("after")])
        assert stream.rest() == []


def test_bulk_lines_that_come_after_the_revocation_are_not_appended(
    app: FastAPI, database: Database, threads: Threads
) -> None:
    key = make_key(app, "append")
    head = (
        "POST /v1/log HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
        f"Authorization: Bearer {key.reveal()}\r\n\r\n"
    )
    with followed(app) as address, _connected(address) as connection:
        connection.sendall(head.encode() + _chunk({"type": "tick"}))
        told = b""
        while b"appended" not in told:
            told += connection.recv(2**16)
        revoke_elsewhere(app, database, key)
        connection.sendall(_chunk({"type": "exit", "reason": "late"}))
        while not told.endswith(b"0\r\n\r\n"):
            more = connection.recv(2**16)
            assert more
            told += more
    assert told.count(b"appended") == 1
    assert [event.type for event in threads.messages("t")] == ["tick"]


def _connected(address: str) -> socket.socket:
    place = httpx2.URL(address)
    return socket.create_connection((place.host, place.port), timeout=WAIT_SECONDS)


def _chunk(message: Any) -> bytes:
    line = print_bytes({"threadId": "t", "messages": [message]}) + b"\n"
    return f"{len(line):x}\r\n".encode() + line + b"\r\n"
