"""The proxy as a process, between a client and a scripted provider."""

import asyncio
import http.client
import json
import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import httpx2
import msgspec
import pytest
from starlette.types import Message

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.extensions.runs.api.gateway.door import Body, BodyBroke, Bounds
from agentlog.extensions.runs.api.gateway.recorder import recording
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolReader,
    create_spool,
)
from agentlog.infrastructure.runtime.supervised_process import SupervisedProcess
from agentlog.projections.exchanges.exchange import Exchange, exchange_of, payload_of
from agentlog.projections.exchanges.requests import Api
from tests.providers.agent import Agent
from tests.providers.script import Answer
from tests.providers.server import Fault, ScriptedProvider
from tests.waiting import until

KEY = "sk-secret-0123456789"
MOST = 2**20


@dataclass(slots=True)
class Gateway:
    """A running proxy."""

    address: str
    process: SupervisedProcess
    spool: Path
    reader: SpoolReader

    @property
    def url(self) -> str:
        return f"{self.address}/p"

    @property
    def path(self) -> str:
        """The path of its URL: a slash and the token."""
        return urlsplit(self.address).path

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def recorded(self, count: int) -> list[Exchange]:
        """Return the exchanges that ended, which come to so many before long."""
        exchanges: list[Exchange] = []

        def are_there() -> bool:
            exchanges.extend(self.reader.read())
            return len(exchanges) >= count

        until(are_there)
        return exchanges


@contextmanager
def gateway(folder: Path, upstream: str) -> Iterator[Gateway]:
    spool = create_spool(folder, Header("run", "thread"))
    with recording(spool, {"p": upstream}, most_bytes=MOST) as recorder:
        yield Gateway(recorder.url, recorder.process, spool, SpoolReader(spool))


@pytest.fixture(name="provider")
def _provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider(lambda _: Answer("some words that come in pieces")) as provider:
        yield provider


@pytest.fixture(name="proxy")
def _proxy(tmp_path: Path, provider: ScriptedProvider) -> Iterator[Gateway]:
    with gateway(tmp_path / "spool", provider.url) as proxy:
        yield proxy


def body(*, stream: bool = False) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": stream}


def post(url: str, **more: Any) -> httpx2.Response:
    headers = {"x-api-key": KEY, "authorization": f"Bearer {KEY}", "cookie": f"key={KEY}"}
    return httpx2.post(f"{url}/v1/messages", json=body(**more), headers=headers, timeout=60)


@pytest.mark.parametrize("stream", [False, True])
def test_bytes_pass_as_they_are_and_are_on_record(
    proxy: Gateway, provider: ScriptedProvider, *, stream: bool
) -> None:
    direct, through = post(provider.url, stream=stream), post(proxy.url, stream=stream)
    assert through.status_code == 200
    assert through.content == direct.content
    assert through.headers["x-request-id"] == "req_scripted"
    sent = provider.requests
    assert sent[1].body == sent[0].body
    assert sent[1].headers["x-api-key"] == KEY
    assert sent[1].path == "/v1/messages"
    (exchange,) = proxy.recorded(1)
    assert (exchange.status, exchange.end) == (200, "complete")
    assert (exchange.request, exchange.response) == (sent[1].body, through.content)
    assert exchange.headers["x-request-id"] == "req_scripted"
    if stream:
        assert len(exchange.chunks) > 3
        assert [offset for offset, _ in exchange.chunks] == sorted(
            {offset for offset, _ in exchange.chunks}
        )
    assert KEY not in proxy.spool.read_text()


def test_a_stream_passes_as_it_comes(proxy: Gateway, provider: ScriptedProvider) -> None:
    provider.fail(Fault("stall", 3))
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    text = msgspec.json.encode(body(stream=True))
    connection.request("POST", f"{proxy.path}/p/v1/messages", text)
    response = connection.getresponse()
    received = response.read1()  # the provider sends no end
    while received.count(b"\n\n") < 3:
        received += response.read1()
    connection.close()
    (exchange,) = proxy.recorded(1)
    assert exchange.end == "client_left"
    assert exchange.response.count(b"\n\n") == 3


def test_a_stream_that_breaks_breaks_for_the_client(
    proxy: Gateway, provider: ScriptedProvider
) -> None:
    provider.fail(Fault("cut", 3))
    with pytest.raises(httpx2.RemoteProtocolError):
        post(proxy.url, stream=True)
    (exchange,) = proxy.recorded(1)
    assert exchange.end == "upstream_broke"
    assert exchange.response.count(b"\n\n") == 3


def test_a_whole_answer_that_breaks_breaks_for_the_client(
    proxy: Gateway, provider: ScriptedProvider
) -> None:
    provider.fail(Fault("cut", 0))
    with pytest.raises(httpx2.RemoteProtocolError):
        post(proxy.url)
    assert [exchange.end for exchange in proxy.recorded(1)] == ["upstream_broke"]


def test_errors_pass_with_what_says_when_to_ask_again(
    proxy: Gateway, provider: ScriptedProvider
) -> None:
    provider.fail(Fault("err", 429, retry_after_ms=5))
    response = post(proxy.url)
    assert (response.status_code, response.headers["retry-after-ms"]) == (429, "5")
    (exchange,) = proxy.recorded(1)
    assert (exchange.status, exchange.end) == (429, "complete")
    assert exchange.error == "status 429: scripted failure"
    assert exchange.headers["retry-after-ms"] == "5"


def test_a_provider_that_is_away_is_an_error_that_clients_read(
    proxy: Gateway, provider: ScriptedProvider
) -> None:
    provider.stop()
    response = post(proxy.url)
    assert response.status_code == 502
    assert response.json()["error"]["message"].startswith("agentlog: the provider cannot be")
    assert [exchange.end for exchange in proxy.recorded(1)] == ["upstream_refused"]


@pytest.mark.parametrize("path", ["/other/p/v1/messages", "{token}/x/v1/messages", "/", "{token}"])
def test_without_the_token_nothing_is_there(
    proxy: Gateway, provider: ScriptedProvider, path: str
) -> None:
    url = f"http://127.0.0.1:{proxy.port}{path.format(token=proxy.path)}"
    response = httpx2.post(url, json=body())
    assert response.status_code == 404
    assert proxy.path not in response.text
    assert provider.requests == []


def test_a_request_for_no_path_is_refused(proxy: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as connection:
        connection.sendall(b"OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 404")


def test_another_host_is_refused(proxy: Gateway, provider: ScriptedProvider) -> None:
    response = httpx2.post(f"{proxy.url}/v1/messages", json=body(), headers={"host": "evil.test"})
    assert response.status_code == 404
    assert provider.requests == []


def test_a_web_socket_is_refused(proxy: Gateway, provider: ScriptedProvider) -> None:
    headers = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    response = httpx2.get(f"{proxy.url}/v1/responses", headers=headers)
    assert response.status_code == 426
    assert provider.requests == []


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_beyond_the_limit_passes_and_is_not_kept(
    proxy: Gateway, provider: ScriptedProvider, *, is_chunked: bool
) -> None:
    text = json.dumps({**body(), "padding": "x" * (3 * MOST)}).encode()
    pieces = (text[at : at + 70_000] for at in range(0, len(text), 70_000))
    content = pieces if is_chunked else text
    response = httpx2.post(f"{proxy.url}/v1/messages", content=content, timeout=60)
    assert response.status_code == 200
    (request,) = provider.requests
    assert request.body == text
    (exchange,) = proxy.recorded(1)
    assert (exchange.request, exchange.left_out) == (b"", {"request": len(text)})
    assert exchange.response == response.content
    assert exchange_of(payload_of(exchange, "run")).left_out == exchange.left_out


def test_an_answer_beyond_the_limit_passes_and_is_not_kept(tmp_path: Path) -> None:
    script = Answer("words " * MOST)
    with (
        ScriptedProvider(lambda _: script) as provider,
        gateway(tmp_path / "spool", provider.url) as proxy,
    ):
        response = post(proxy.url)
        (exchange,) = proxy.recorded(1)
    assert len(response.content) > 5 * MOST
    assert (exchange.response, exchange.chunks) == (b"", [])
    assert exchange.left_out == {"response": len(response.content)}
    assert not exchange.is_heard


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"A: " + b"x" * 70_000, 431),
        (b"\r\n".join(b"A%d: x" % number for number in range(200)), 431),
        (b"A: b\n", 400),
        (b"Content-Length: 1\r\nContent-Length: 2", 400),
        (b"Transfer-Encoding: gzip, chunked", 501),
    ],
)
def test_a_head_is_refused_as_the_service_does(
    proxy: Gateway, provider: ScriptedProvider, head: bytes, status: int
) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        line = f"POST {proxy.path}/p/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{proxy.port}\r\n"
        client.sendall(line.encode() + head + b"\r\n")
        client.sendall(b"\r\n")
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert answer.status == status
        assert json.loads(answer.read())["error"]["message"].startswith("agentlog: ")
    assert provider.requests == []


async def _body(count: int | None) -> tuple[Body, list[int]]:
    """Return a body of so many pieces of 10 bytes, endless for None, and how many were taken."""
    taken: list[int] = []

    async def receive() -> Message:
        await asyncio.sleep(0)
        taken.append(len(taken))
        if count is not None and len(taken) > count:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b"x" * 10, "more_body": True}

    received = Body({"type": "http", "headers": []}, receive, Bounds(kept=100, passed=1000))
    assert await received.hold()
    return received, taken


def test_an_endless_body_ends() -> None:
    async def passed() -> tuple[int, object, bool]:
        endless, taken = await _body(None)
        with pytest.raises(BodyBroke) as broke:
            async for _ in endless.stream():
                pass
        return len(taken), broke.value.refusal, endless.is_broken

    taken, refusal, is_broken = asyncio.run(passed())
    assert taken == 101
    assert isinstance(refusal, BodyTooLarge)
    assert is_broken


def test_a_client_that_leaves_amid_a_long_body_is_on_record(proxy: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=60) as client:
        line = f"POST {proxy.path}/p/v1/files HTTP/1.1\r\nHost: 127.0.0.1:{proxy.port}\r\n"
        client.sendall(line.encode() + b"Content-Length: 9000000\r\n\r\n" + b"x" * (2 * MOST))
    (exchange,) = proxy.recorded(1)
    assert exchange.end == "client_left"
    assert exchange.left_out["request"] > MOST


@pytest.mark.parametrize("api", get_args(Api))
@pytest.mark.parametrize("stream", [False, True])
def test_agents_of_each_api_run_through_it(tmp_path: Path, api: Api, *, stream: bool) -> None:
    with (
        ScriptedProvider() as provider,
        gateway(tmp_path / "spool", provider.url) as proxy,
    ):
        assert Agent(proxy.url, api, stream=stream).run("do it") == "Done after 2 calls."
        assert [exchange.api for exchange in proxy.recorded(3)] == [api] * 3


def test_many_requests_at_once_each_get_their_own_answer(tmp_path: Path) -> None:
    with (
        ScriptedProvider(lambda turn: Answer(str(turn.body["messages"][0]["content"]))) as provider,
        gateway(tmp_path / "spool", provider.url) as proxy,
    ):

        def ask(n: int) -> str:
            text = {**body(), "messages": [{"role": "user", "content": f"text {n}"}]}
            response = client.post(f"{proxy.url}/v1/messages", json=text)
            answer: str = response.json()["content"][0]["text"]
            return answer

        with httpx2.Client(timeout=60) as client, ThreadPoolExecutor(30) as pool:
            assert list(pool.map(ask, range(30))) == [f"text {n}" for n in range(30)]
        exchanges = proxy.recorded(30)
        assert sorted(exchange.attempt for exchange in exchanges) == list(range(1, 31))


def test_a_killed_proxy_is_there_again_on_its_port(
    proxy: Gateway, provider: ScriptedProvider
) -> None:
    assert post(proxy.url).status_code == 200
    provider.fail(Fault("stall", 3, only=1))
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
    text = msgspec.json.encode(body(stream=True))
    connection.request("POST", f"{proxy.path}/p/v1/messages", text)
    assert connection.getresponse().read1()
    pid = proxy.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert post(proxy.url).status_code == 200  # it waits for the next one
    connection.close()
    exchanges = proxy.recorded(3)
    assert [(exchange.attempt, exchange.end) for exchange in exchanges] == [
        (1, "complete"),
        (2, "recorder_died"),
        (3, "complete"),
    ]


@pytest.mark.slow
def test_a_proxy_may_be_killed_at_each_chunk_of_a_stream(
    provider: ScriptedProvider, tmp_path: Path
) -> None:
    whole = post(provider.url, stream=True).content
    ends = [n + 2 for n in range(len(whole)) if whole[n : n + 2] == b"\n\n"]
    assert len(ends) > 10
    for number, end in enumerate(ends[:-1], 1):
        provider.fail(Fault("stall", number, only=1))
        with gateway(tmp_path / str(number), provider.url) as proxy:
            connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=60)
            text = msgspec.json.encode(body(stream=True))
            connection.request("POST", f"{proxy.path}/p/v1/messages", text)
            assert connection.getresponse().read(end) == whole[:end]
            pid = proxy.process.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            connection.close()
            assert post(proxy.url, stream=True).content == whole
            died, complete = proxy.recorded(2)
        assert (died.attempt, died.end) == (1, "recorder_died")
        assert (complete.attempt, complete.end) == (2, "complete")
        assert died.request == text
        assert complete.response == whole


def test_the_proxy_ends_with_its_block(tmp_path: Path) -> None:
    with gateway(tmp_path / "spool", "http://127.0.0.1:9") as proxy:
        assert post(proxy.url).status_code == 502
        pid = proxy.process.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
