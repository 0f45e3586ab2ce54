"""Cells behind nginx, as deploy/proxy configures it: a key leads to its cell."""

import hashlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.clients import TLS
from tests.command_line import agentlog
from tests.databases import new_database, short_folder
from tests.reliability.proxy import Proxy, needs, proxy_for
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS, until

pytestmark = needs("nginx")

MESSAGES = "/v1/threads/t/messages"
USER_HEADER = "X-Auth-Request-Email"


def test_the_program_takes_its_configuration_and_no_other() -> None:
    with short_folder() as folder:
        proxy = Proxy(folder, {"a": ["127.0.0.1:1", "127.0.0.1:2"], "b": ["127.0.0.1:3"]})
        proxy.configure(moved_to_b=["abcdefghijkl", "234567abcdef"])
        check = proxy.command(check=True)
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        proxy.file.write_text(proxy.file.read_text() + "\nnonsense {\n")
        assert subprocess.run(check, capture_output=True, check=False).returncode != 0


@dataclass(frozen=True, slots=True)
class Site:
    """Two cells behind a proxy; the first has a spare."""

    proxy: Proxy
    client: httpx2.Client
    services: dict[str, ServiceProcess]
    urls: dict[str, str]
    keys: dict[str, str]

    def post(self, key: str, message: dict[str, Any], path: str = MESSAGES) -> httpx2.Response:
        return self.client.post(path, json=message, headers=bearing(self.keys[key]))

    def events(self, service: str, key: str) -> list[Any]:
        """Return the log of a key's tenant, as a service shows it without the proxy."""
        asked, headers = f"{self.services[service].address}/v1/log", bearing(self.keys[key])
        answer = httpx2.get(asked, headers=headers, verify=TLS, trust_env=False)
        return answer.json()["items"] if answer.is_success else [answer.status_code]


def bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def site(server_url: str, template_with_tables: str) -> Iterator[Site]:
    with ExitStack() as stack:
        urls = {
            cell: stack.enter_context(new_database(server_url, template=template_with_tables))
            for cell in ("a", "b")
        }
        services = {
            name: stack.enter_context(
                own_service(
                    urls[name[0]],
                    AGENTLOG_CELL=name[0],
                    AGENTLOG_PROJECTIONS="off",
                    FORWARDED_ALLOW_IPS="127.0.0.1",
                    AGENTLOG_USER_HEADER=USER_HEADER,
                )
            )
            for name in ("a", "a-spare", "b")
        }
        asked = {"name": "agents", "scopes": ["append", "read"]}
        keys = {cell: services[cell].post("/v1/keys", asked)["key"] for cell in ("a", "b")}
        cells = {
            "a": [services["a"].address, services["a-spare"].address],
            "b": [services["b"].address],
        }
        proxy = stack.enter_context(proxy_for(cells))
        client = stack.enter_context(
            httpx2.Client(base_url=proxy.address, verify=proxy.tls, timeout=60, trust_env=False)
        )
        yield Site(proxy, client, services, urls, keys)


def test_a_key_leads_to_its_cell_and_none_to_what_is_public(site: Site) -> None:
    for cell, other in (("a", "b"), ("b", "a")):
        assert site.keys[cell].startswith(f"agentlog_{cell}")
        assert site.post(cell, {"type": "reply", "text": cell}).status_code == 201
        (event,) = site.events(cell, cell)
        assert event["message"]["text"] == cell
        assert site.events(other, cell) == [401]
    for path in ("/healthz", "/openapi.json", "/"):
        assert site.client.get(path).status_code == 200
    refused = [
        site.client.get("/v1/threads", headers=headers)
        for headers in ({}, bearing(site.keys["a"].replace("_a", "_c", 1)), bearing("sk-1"))
    ]
    assert [answer.status_code for answer in refused] == [401] * 3
    file = os.urandom(20 * 2**20)
    blob = f"/v1/blobs/{hashlib.sha256(file).hexdigest()}"
    assert site.client.put(blob, content=file, headers=bearing(site.keys["b"])).is_success


def test_whom_a_client_names_is_not_on_record(site: Site) -> None:
    forged = {**bearing(site.keys["a"]), USER_HEADER: "ceo@example.org"}
    site.client.post(MESSAGES, json={"type": "tick"}, headers=forged).raise_for_status()
    (event,) = site.events("a", "a")
    assert event["metadata"]["appendedBy"] == site.keys["a"].split("_")[1]


def test_streams_and_bulk_appends_come_through_at_once(site: Site) -> None:
    headers = bearing(site.keys["b"])
    line = b'{"threadId":"t","messages":[{"type":"tick"}]}\n'
    with (
        site.client.stream("GET", "/v1/log/events", headers=headers) as stream,
        socket.create_connection(("127.0.0.1", int(site.proxy.address.rpartition(":")[2]))) as raw,
        site.proxy.tls.wrap_socket(raw, server_hostname="127.0.0.1") as bulk,
    ):
        followed = (text for text in stream.iter_lines() if text.startswith("data:"))
        bulk.settimeout(WAIT_SECONDS)
        bulk.sendall(
            f"POST /v1/log HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
            f"Authorization: {headers['Authorization']}\r\n\r\n".encode()
        )
        for count in range(1, 4):
            bulk.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            answered = b""
            while b'"threadId"' not in answered:
                more = bulk.recv(65536)
                assert more, (count, answered)
                answered += more
            next(followed)
        bulk.sendall(b"0\r\n\r\n")


@pytest.mark.slow
def test_a_bulk_append_may_pause_for_longer_than_an_answer_may_take(site: Site) -> None:
    line = b'{"threadId":"t","messages":[{"type":"tick"}]}\n'
    head = (
        f"POST /v1/log HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        f"Authorization: {bearing(site.keys['b'])['Authorization']}\r\n\r\n"
    )
    site.proxy.kill()
    site.proxy.configure(answer_seconds=1)
    with (
        site.proxy.running(),
        socket.create_connection(("127.0.0.1", int(site.proxy.address.rpartition(":")[2]))) as raw,
        site.proxy.tls.wrap_socket(raw, server_hostname="127.0.0.1") as bulk,
    ):
        bulk.settimeout(WAIT_SECONDS)
        bulk.sendall(head.encode() + b"%x\r\n%s\r\n" % (len(line), line))
        until(lambda: len(site.events("b", "b")) == 1)
        hang = [site.services[name].pid for name in ("a", "a-spare")]
        for pid in hang:
            os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        try:
            answer = site.client.get("/v1/threads", headers=bearing(site.keys["a"]), timeout=60)
        finally:
            for pid in hang:
                os.kill(pid, signal.SIGCONT)
        assert answer.status_code in {502, 503, 504}
        assert time.monotonic() - began > 1  # so long has the bulk append paused
        bulk.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(line), line))
        until(lambda: len(site.events("b", "b")) == 2)


@pytest.mark.slow
def test_a_tenant_that_moved_is_reached_by_the_same_key(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    signing_key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", signing_key], check=True)
    monkeypatch.setenv("AGENTLOG_SIGNING_KEY", str(signing_key))
    monkeypatch.setenv("AGENTLOG_CELL", "a")
    rights = ("--tenant", "acme", "--scope", "append", "--scope", "read")
    made = agentlog("keys", "create", "--name", "acme", *rights, url=site.urls["a"])
    site.keys["acme"] = made.out.strip()
    message = {"type": "reply", "text": "before"}
    assert site.post("acme", message).status_code == 201
    moved = agentlog("tenant", "move", "acme", "--to", site.urls["b"], url=site.urls["a"])
    assert moved.code == 0, moved.err
    assert site.post("acme", message).status_code == 421
    site.proxy.configure(moved_to_b=[site.keys["acme"].split("_")[1]])
    site.proxy.reload()
    until(lambda: site.post("acme", {**message, "text": "after"}).status_code == 201)
    assert [event["message"]["text"] for event in site.events("b", "acme")] == ["before", "after"]
    assert site.post("a", message).status_code == 201  # others of a stay
    assert len(site.events("a", "a")) == 1


def append(site: Site, numbers: Iterable[int]) -> bool:
    """Append a message to a for each number, by an id of its own; return whether all are taken."""
    message = {"type": "reply", "text": "x"}
    with suppress(httpx2.TransportError):
        return all(
            site.post("a", {**message, "id": f"01JD8Z3Q5N7V2M4K6H8G0F10{number:02}"}).is_success
            for number in numbers
        )
    return False


def first_append(site: Site, fault: str, number: int) -> None:
    """Append as soon as that succeeds, and print how long it took, for docs/how-to/scale.md."""
    began = time.monotonic()
    until(lambda: append(site, [number]), seconds=WAIT_SECONDS)
    seconds = time.monotonic() - began
    print(f"\n{fault}: first append after {seconds:.3f} s")  # noqa: T201


def numbers_at(site: Site, service: str) -> list[int]:
    return [int(event["message"]["id"][-2:]) for event in site.events(service, "a")]


@pytest.mark.slow
def test_a_spare_takes_over_when_the_service_is_killed(site: Site) -> None:
    assert append(site, range(3))
    site.services["a"].end(signal.SIGKILL)
    first_append(site, "killed", 3)
    assert append(site, range(4, 10))
    assert numbers_at(site, "a-spare") == list(range(10))
    assert site.post("b", {"type": "tick"}).status_code == 201
    site.services["a"].start()  # two that write are correct
    assert append(site, range(10, 20))
    assert numbers_at(site, "a") == list(range(20))
