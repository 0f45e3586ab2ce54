"""The command gateway, with real clients before a scripted provider."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, get_args

import httpx2
import psycopg
import pytest
from psycopg import sql

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from agentlog.projections.exchanges.exchange import TYPE
from agentlog.projections.exchanges.requests import Api
from tests.clients import free_port
from tests.command_line import agentlog, started
from tests.databases import name_of, new_database, url_of
from tests.gateways import Gateway, gateway, settings_for
from tests.providers.agent import NO_TLS, Agent
from tests.providers.server import Fault, ScriptedProvider
from tests.waiting import WAIT_SECONDS, until


@pytest.fixture(name="provider")
def _provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider() as provider:
        yield provider


@pytest.fixture(name="settings")
def _settings(provider: ScriptedProvider, tmp_path: Path) -> dict[str, str]:
    return settings_for(provider, tmp_path)


class Shared(NamedTuple):
    """A gateway for tests that only ask it, in threads of their own."""

    gateway: Gateway
    provider: ScriptedProvider


@pytest.fixture(name="shared", scope="module")
def _shared(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    with (
        ScriptedProvider() as provider,
        new_database(server_url, template=template_database) as url,
        gateway(url, settings_for(provider, tmp_path_factory.mktemp("gateway"))) as running,
    ):
        yield Shared(running, provider)


def threads_of(url: str) -> list[str]:
    outcome = agentlog("threads", "--json", url=url)
    assert outcome.code == 0, outcome.err
    return [thread["threadId"] for thread in outcome.lines]


def said_in(url: str, thread: str) -> list[tuple[str, str]]:
    """Return what the `openai` view has of a thread: roles, with contents or calls."""
    outcome = agentlog("view", thread, "openai", url=url)
    assert outcome.code == 0, outcome.err
    return [(item["role"], str(item.get("content"))) for item in outcome.lines]


DONE = ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("api", get_args(Api))
def test_agents_run_unchanged_each_in_a_thread(shared: Shared, api: Api) -> None:
    running, provider = shared
    before = threads_of(running.database_url)
    assert running.agent(api).run(f"do {api}") == "Done after 2 calls."
    assert running.agent(api, thread=f"by-path-{api}").run("do it") == "Done after 2 calls."
    named = {"x-agentlog-thread": f"by-header-{api}"}
    assert running.agent(api, headers=named).run("do it") == "Done after 2 calls."
    running.upload()
    made = set(threads_of(running.database_url)).difference(before)
    assert len(made) == 3
    assert {f"by-path-{api}", f"by-header-{api}"} < made
    for thread in made:
        assert [role for role, _ in said_in(running.database_url, thread)] == DONE
    assert all("x-agentlog-thread" not in request.headers for request in provider.requests)
    assert all(request.path.startswith("/v1") for request in provider.requests)
    assert agentlog("verify", url=running.database_url).code == 0


def test_a_thread_of_a_gateway_is_replayed(shared: Shared) -> None:
    shared.gateway.agent("messages", thread="again").run("do it")
    shared.gateway.upload()
    words = f"{sys.executable} -m tests.providers.agent $ANTHROPIC_BASE_URL messages 'do it'"
    command = ("replay", "again", "--", "sh", "-c", words)
    paths = os.pathsep.join(sys.path)
    with started(*command, url=shared.gateway.database_url, PYTHONPATH=paths) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, out) == (0, "Done after 2 calls."), err
    assert err == "again: 3 exact; live calls: 0; tools: live\n"


def key_of(url: str, tenant: str, scope: str = "append") -> str:
    words = ("keys", "create", "--name", "agents", "--scope", scope, "--tenant", tenant)
    outcome = agentlog(*words, url=url)
    assert outcome.code == 0, outcome.err
    return outcome.out.strip()


def test_a_key_leads_to_its_tenant_also_while_the_database_is_away(
    database_url: str, server_url: str, settings: dict[str, str], provider: ScriptedProvider
) -> None:
    one, two = key_of(database_url, "one"), key_of(database_url, "two")
    reader = key_of(database_url, "two", "read")
    with gateway(database_url, settings) as running:
        running.agent("chat", key=one, thread="same").run("of one")
        by_header = {"x-agentlog-key": two, "x-agentlog-thread": "same"}
        running.agent("chat", headers=by_header).run("of two")
        running.upload()
        asked = len(provider.requests)
        for key, status in (("", 401), (reader, 403), (one[:-1] + "x", 401), ("agentlog_x", 401)):
            refused = httpx2.post(
                running.url("chat", key=key) + "/v1/chat/completions", verify=NO_TLS
            )
            assert refused.status_code == status, refused.text
            assert refused.headers["x-should-retry"] == "false"
            assert refused.json()["error"]["message"].startswith("agentlog: ")
        assert httpx2.get(f"{running.address}/{one}/metrics", verify=NO_TLS).status_code == 403
        assert len(provider.requests) == asked
        with away(database_url, server_url):
            running.agent("chat", key=two, thread="away").run("do it")
            assert len(running.files) == 3
        running.upload()
        words = ("keys", "revoke", one.split("_")[1], "--tenant", "one")
        assert agentlog(*words, url=database_url).code == 0
        path = running.url("chat", key=one) + "/v1/models"
        until(lambda: httpx2.get(path, verify=NO_TLS).status_code == 401)
        running.stop()
    for tenant, threads in (("one", ["same"]), ("two", ["away", "same"])):
        with open_service(Settings(database_url=database_url)) as service:
            assert service.tenants[tenant].threads.thread_ids(limit=9) == threads
            events = service.tenants[tenant].threads.messages("same")
        texts = [str(event.message) for event in events]
        key = {"one": one, "two": two}[tenant]
        assert {(event.metadata or {})["appendedBy"] for event in events} == {key.split("_")[1]}
        assert any(f"of {tenant}" in text for text in texts)
        assert not any("agentlog_" in text for text in texts)
    for request in provider.requests:
        assert one not in str(request)
        assert two not in str(request)


@contextmanager
def away(database_url: str, server_url: str) -> Iterator[None]:
    """Refuse all connections to a database until the block ends."""
    name = name_of(database_url)
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with psycopg.connect(url_of(server_url, "postgres"), autocommit=True) as admin:
        admin.execute(allow.format(sql.Identifier(name), sql.Literal(False)))  # noqa: FBT003 - SQL's
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        try:
            yield
        finally:
            admin.execute(allow.format(sql.Identifier(name), sql.Literal(True)))  # noqa: FBT003


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/", 404, "PROVIDER is one of openai, openai-base, anthropic, gemini"),
        ("/other/v1/models", 404, "PROVIDER is one of"),
        ("/t/a%20b/openai/v1/models", 422, "is no thread id"),
        ("/t/porto", 404, "PROVIDER is one of"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_would(
    shared: Shared, path: str, status: int, text: str
) -> None:
    response = httpx2.get(shared.gateway.address + path, verify=NO_TLS)
    assert response.status_code == status
    assert text in response.json()["error"]["message"]


@pytest.mark.parametrize("known", ["", "-1", "one", "\u0661", "9" * 20])
def test_what_a_thread_has_already_is_a_count(shared: Shared, known: str) -> None:
    headers = {"x-agentlog-known": known.encode()}
    path = shared.gateway.url("responses", thread="counted") + "/v1/responses"
    response = httpx2.post(path, json={}, headers=headers, verify=NO_TLS)
    assert response.status_code == 422
    assert "x-agentlog-known" in response.json()["error"]["message"]


@pytest.mark.parametrize("name", ["host", "origin"])
def test_pages_of_other_sites_are_refused_without_a_key(shared: Shared, name: str) -> None:
    value = "evil.test" if name == "host" else "http://evil.test"
    path = f"{shared.gateway.address}/openai/v1/models"
    assert httpx2.get(path, headers={name: value}, verify=NO_TLS).status_code == 403


def test_what_a_thread_refuses_is_in_another(shared: Shared) -> None:
    url = shared.gateway.database_url
    with open_service(Settings(database_url=url)) as service:
        service.threads.start("closed", {"policy": "strict"})
        service.threads.close("closed")
    before = threads_of(url)
    shared.gateway.agent("messages", thread="closed").run("do it")
    shared.gateway.upload()
    (other,) = set(threads_of(url)).difference(before)
    assert [role for role, _ in said_in(url, other)] == DONE
    assert '"insteadOf":"closed"' in agentlog("show", other, url=url).out


def test_a_request_of_any_depth_stops_nobody(shared: Shared) -> None:
    deep = b"[" * 2000 + b"]" * 2000
    for number, path in enumerate(("openai/v1/chat/completions", "anthropic/v1/messages")):
        for field in (b"messages", b"metadata"):
            body = b'{"model":"m","%b":%b}' % (field, deep)
            url = f"{shared.gateway.address}/t/deep-{number}/{path}"
            httpx2.post(url, content=body, verify=NO_TLS)
    shared.gateway.agent("chat", thread="after").run("do it")
    shared.gateway.upload()
    assert {"deep-0", "deep-1", "after"} < {*threads_of(shared.gateway.database_url)}
    metrics = httpx2.get(f"{shared.gateway.address}/metrics", verify=NO_TLS).text
    assert "\nagentlog_exchanges_aside 0\n" in metrics
    assert "\nagentlog_exchanges_waiting " in metrics


def test_a_gateway_is_alone_in_its_folder_and_asks_no_gateway(
    shared: Shared, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    running = shared.gateway
    monkeypatch.setenv("AGENTLOG_SPOOL_DIR", str(running.folder.parent))
    second = agentlog("gateway", "--port", "0", url=running.database_url)
    assert second.code == 2
    assert "another gateway uploads" in second.err
    port = free_port()
    monkeypatch.setenv("AGENTLOG_SPOOL_DIR", str(tmp_path))
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/openai/v1")
    assert agentlog("gateway", "--port", "99999", url=running.database_url).code == 2
    looped = agentlog("gateway", "--port", str(port), url=running.database_url)
    assert looped.code == 2
    assert "OPENAI_BASE_URL leads to this gateway" in looped.err
    monkeypatch.setenv("AGENTLOG_GATEWAY_URL", f"http://localhost:{port}/openai/v1")
    looped = agentlog("serve", "--port", str(port), url=running.database_url)
    assert looped.code == 2
    assert "AGENTLOG_GATEWAY_URL leads to this service" in looped.err


def test_a_killed_proxy_is_there_again_and_what_it_had_is_on_record(shared: Shared) -> None:
    running, provider = shared
    agent = running.agent("chat", thread="killed")
    agent.run("do it")
    provider.fail(Fault("stall", 3, only=1))
    asked = len(provider.requests)
    body = {**agent.body(), "stream": True}
    with ThreadPoolExecutor() as pool:
        path = running.url("chat", thread="killed") + "/v1/chat/completions"
        broken = pool.submit(httpx2.post, path, json=body, verify=NO_TLS, timeout=60)
        until(lambda: len(provider.requests) > asked)
        os.kill(running.proxy, signal.SIGKILL)
        with pytest.raises(httpx2.TransportError):
            broken.result()
    agent.run("and more")
    running.upload()
    kernel = agentlog("view", "killed", "kernel", url=running.database_url)
    ends = [item["payload"]["end"] for item in kernel.lines if item["type"] == TYPE]
    assert ends == ["complete", "complete", "complete", "recorder_died", "complete"]


def is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_gateway_that_is_killed_loses_nothing_and_records_nothing_twice(
    database_url: str, settings: dict[str, str], kills: int
) -> None:
    port, agents = free_port(), 6

    def work(number: int) -> list[str]:
        agent = Agent(f"http://127.0.0.1:{port}/anthropic", "messages")
        tasks = [f"{turn} of {number}" for turn in range(2 + 2 * kills)]
        for task in tasks:
            items = len(agent.items)
            deadline = time.monotonic() + 2 * WAIT_SECONDS
            while True:
                try:
                    agent.run(task)
                except (httpx2.TransportError, httpx2.HTTPStatusError):
                    assert time.monotonic() < deadline, task
                    del agent.items[items:]
                    time.sleep(0.1)  # as a client does that asks again
                else:
                    break
        return tasks

    with ThreadPoolExecutor(agents) as pool:
        working = [pool.submit(work, number) for number in range(agents)]
        for _ in range(kills):
            with gateway(database_url, settings, port=port) as running:
                until(lambda: running.files)
                running.process.kill()
            until(lambda: is_free(port))  # its proxy ends a moment later
        with gateway(database_url, settings, port=port) as running:
            all_tasks = [future.result(timeout=2 * WAIT_SECONDS) for future in working]
            running.stop()
            assert running.files == []
    assert agentlog("verify", url=database_url).code == 0
    shown = [said_in(database_url, thread) for thread in threads_of(database_url)]
    for tasks in all_tasks:
        asked = [[text for role, text in said if role == "user"] for said in shown]
        assert tasks in asked  # one thread has each of them once, in their order
