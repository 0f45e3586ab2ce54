"""The user whom a trusted proxy names is on record, and whom strangers name is not."""

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as some

from agentlog.api.http.middleware.proxies import USER, behind_proxies, user_named
from agentlog.api.http.request.errors import InvalidUser
from agentlog.domain.access import SCOPES
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.refusals import problem_in
from tests.infrastructure.appends import reply

HEADER = "X-Auth-Request-Email"
ADA = (HEADER, "ada@example.org")
PROXY, STRANGER = "10.1.2.3", "192.0.2.7"


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    """A database without any key; nor has it one for the next test."""
    yield database
    empty_keys(database)


@pytest.fixture
def key(app: FastAPI) -> KeyText:
    """The key that the proxy sends for people."""
    return make_key(app, *SCOPES)


def client_from(app: FastAPI, address: str) -> TestClient:
    """Return a client whose connections come from an address."""
    behind = behind_proxies(app, trusted="10.0.0.0/8, 2001:db8::1", user_header=HEADER)
    return TestClient(behind, client=(address, 4711))


def authors(threads: Threads) -> list[Any]:
    return [event.metadata.get("appendedBy") for event in threads.log()]


ASKS: Sequence[tuple[str, dict[str, Any]]] = (
    ("/v1/threads/t/messages", {"json": reply("1")}),
    (
        "/v1/threads/t/messages",
        {"json": {"type": "approval_response", "callId": "c", "approved": True}},
    ),
    ("/v1/log", {"content": b'{"threadId":"t","messages":[{"type":"tick"}]}\n'}),
    ("/v1/threads/t/remarks", {"json": {"type": "thread.noted", "text": "look here"}}),
    ("/v1/threads/t/remarks", {"json": {"type": "thread.judged", "score": 1}}),
    ("/v1/threads/t/redact", {"json": {"reason": "asked"}}),
    ("/v1/threads/t/close", {"json": {}}),
)


def test_the_user_is_on_record_for_all_that_is_appended(
    app: FastAPI, threads: Threads, key: KeyText
) -> None:
    client = client_from(app, PROXY)
    threads.start("t", {"policy": "record"})
    for path, asked in ASKS:
        answer = client.post(path, headers=bearing(key, ADA), **asked)
        assert answer.status_code in {200, 201}, answer.text
    assert authors(threads) == [None, *[ADA[1]] * len(ASKS)]


def test_the_user_is_the_actor_of_messages_that_name_none(
    app: FastAPI, threads: Threads, key: KeyText
) -> None:
    client = client_from(app, PROXY)
    for draft in (reply("1"), reply("2", metadata={"actor": "agent-7"})):
        client.post("/v1/threads/t/messages", json=draft, headers=bearing(key, ADA))
    assert [event.metadata for event in threads.messages("t")] == [
        {"actor": ADA[1], "appendedBy": ADA[1]},
        {"actor": "agent-7", "appendedBy": ADA[1]},
    ]


def test_the_user_is_on_record_for_what_is_defined_and_read(app: FastAPI, key: KeyText) -> None:
    client, headers = client_from(app, PROXY), bearing(key, ADA)
    shells = client.put("/v1/rules/shells", json={"value": "sh"}, headers=headers)
    assert shells.json()["setBy"] == ADA[1]
    made = client.post("/v1/keys", json={"name": "n", "scopes": ["read"]}, headers=headers)
    assert made.json()["createdBy"] == ADA[1]
    caller = client.get("/v1/keys/self", headers=headers).json()
    assert (caller["user"], caller["keyId"]) == (ADA[1], key.key_id)
    assert client.get("/v1/keys/self", headers=bearing(key)).json()["user"] is None


@given(address=some.ip_addresses(v=4), near=some.booleans())
def test_only_the_address_of_the_connection_decides(address: IPv4Address, *, near: bool) -> None:
    if near:
        address = IPv4Address(int(address) % 2**24 + int(IPv4Address("10.0.0.0")))
    seen: list[Any] = []

    async def app(scope: Any, _: Any, send: Any) -> None:
        seen.append(scope.get(USER))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    behind = behind_proxies(app, trusted="10.0.0.0/8", user_header=HEADER)
    headers = {HEADER: "ada", "X-Forwarded-For": "10.0.0.1", "Forwarded": "for=10.0.0.1"}
    TestClient(behind, client=(str(address), 1)).get("/", headers=headers)
    assert seen == [[b"ada"] if str(address).startswith("10.") else None]


def test_whom_a_stranger_names_is_ignored(app: FastAPI, threads: Threads, key: KeyText) -> None:
    client = client_from(app, STRANGER)
    forwarded = ("X-Forwarded-For", PROXY)
    for more in ([ADA], [ADA, forwarded], [ADA, ADA], [(HEADER, "a" * 12)]):
        headers = bearing(key, *more)
        posted = client.post("/v1/threads/t/messages", json=reply("x"), headers=headers)
        assert posted.status_code == 201
    assert authors(threads) == [key.key_id] * 4


def test_without_the_setting_nobody_is_named(app: FastAPI, threads: Threads, key: KeyText) -> None:
    client = TestClient(behind_proxies(app, trusted="10.0.0.0/8"), client=(PROXY, 1))
    client.post("/v1/threads/t/messages", json=reply("x"), headers=bearing(key, ADA))
    assert authors(threads) == [key.key_id]


def test_a_user_needs_a_key_all_the_same(app: FastAPI, key: KeyText) -> None:
    del key
    answer = client_from(app, PROXY).get("/v1/threads", headers=[ADA])
    problem_in(answer, 401, "not-authenticated")


def test_a_page_of_another_site_cannot_use_what_the_proxy_adds(
    app: FastAPI, threads: Threads, key: KeyText
) -> None:
    client = client_from(app, PROXY)
    for origin, status in (("http://testserver", 201), ("https://evil.example", 403)):
        headers = bearing(key, ADA, ("Origin", origin))
        posted = client.post("/v1/threads/t/messages", json=reply("x"), headers=headers)
        assert posted.status_code == status
    problem_in(posted, 403, "foreign-site", "pages of other sites are refused: open")
    assert authors(threads) == [ADA[1]]


@pytest.mark.parametrize(
    "names",
    [
        [b"ada", b"eve"],
        [b"ada", b""],
        [b'a"da'],
        [b"a\\da"],
        [b"a" * 257],
        [b"a\tda"],
        [b"k3jx5tqhz2ab"],
    ],
)
def test_what_is_no_name_is_refused(
    app: FastAPI, threads: Threads, key: KeyText, names: list[bytes]
) -> None:
    authorization = (b"Authorization", f"Bearer {key.reveal()}".encode())
    headers = [authorization, *((HEADER.encode(), name) for name in names)]
    answer = client_from(app, PROXY).post(
        "/v1/threads/t/messages", json=reply("x"), headers=headers
    )
    problem_in(answer, 400, "invalid-user", "AGENTLOG_USER_HEADER")
    assert authors(threads) == []


def test_a_name_is_utf_8() -> None:
    assert user_named(["Åsa".encode()]) == "Åsa"
    with pytest.raises(InvalidUser):  # a client of the tests would send it as UTF-8
        user_named(["Åsa".encode("latin-1")])


@given(some.text())
def test_a_name_is_on_record_as_it_is_or_refused(name: str) -> None:
    try:
        assert user_named([name.encode(errors="surrogatepass")]) == (name or None)
    except InvalidUser:
        assert name


def test_an_empty_header_names_nobody(app: FastAPI, threads: Threads, key: KeyText) -> None:
    client = client_from(app, PROXY)
    headers = bearing(key, (HEADER, ""))
    client.post("/v1/threads/t/messages", json=reply("x"), headers=headers)
    assert authors(threads) == [key.key_id]
