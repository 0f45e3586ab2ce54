"""A writer with spare and standby, and a second cell, behind a proxy: each part is killed in turn.

Clients append all the while. What was acknowledged is there once; what an asynchronous standby had
not received is lost, and nothing else is. A read that waits is never behind the client's own write.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import httpx2
import psycopg
import pytest
from typing_extensions import override

from agentlog.extensions.cells.mover import Mover
from agentlog.infrastructure.audit.moves import Step, moves_of
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import agentlog, environment
from tests.databases import short_folder
from tests.extensions.cells.cells import KEY, NEW_ID
from tests.reliability.postgres import OwnPostgres, own_postgres, standby_of
from tests.reliability.proxy import Proxy, needs, proxy_for
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS

DURABLE = {"fsync": "on", "synchronous_commit": "on"}
SYNCHRONOUS = {**DURABLE, "synchronous_standby_names": "*"}
KILLS = 10
"""How many parts are killed, or moved, while clients append."""
_CLIENTS = 2
"""Clients of each tenant."""
_EVERY = 5
"""A read that waits follows every so many appends."""
_PAUSE_SECONDS = 0.02


@dataclass
class Site:
    """Where clients send to: the proxy, and by tenant the service that they read at."""

    proxy: Proxy
    readers: dict[str, str]
    elsewhere: dict[str, str] = field(default_factory=dict)
    """Where a tenant is that its cell does not have any more, by what that answered."""


class Client(threading.Thread):
    """Appends to a thread of its tenant until it is told to stop; retries under the same id."""

    def __init__(self, site: Site, tenant: str, key: str, number: int) -> None:
        super().__init__(name=f"{tenant} {number}")
        self.site, self.tenant, self.number = site, tenant, number
        self.thread_id = f"t{number}"
        self.acknowledged: dict[str, int] = {}
        """Positions, by message id."""
        self.times: list[float] = []
        """When each was acknowledged."""
        self.old_reads: list[str] = []
        self._is_over = threading.Event()
        self._key, self._proxy = key, site.proxy
        self._http = self._connected()

    def _connected(self) -> httpx2.Client:
        return httpx2.Client(
            headers={"Authorization": f"Bearer {self._key}"},
            trust_env=False,
            verify=self._proxy.tls,
            timeout=60,
        )

    @override
    def run(self) -> None:
        """Append one message after another."""
        while not self._is_over.is_set():
            version = self._append(f"{self.number:02d}{len(self.acknowledged):024d}")
            if version is not None and len(self.acknowledged) % _EVERY == 0:
                self._read(version)
        self._http.close()

    def stop(self) -> None:
        """End it after the append under way."""
        self._is_over.set()

    def _append(self, message_id: str) -> int | None:
        message = {"type": "reply", "text": "text " * 20, "id": message_id}
        while not self._is_over.is_set():
            if self._proxy is not self.site.proxy:
                self._http.close()
                self._proxy = self.site.proxy
                self._http = self._connected()
            address = self.site.elsewhere.get(self.tenant) or self._proxy.address
            try:
                answer = self._http.post(
                    f"{address}/v1/threads/{self.thread_id}/messages", json=message
                )
            except httpx2.TransportError:
                time.sleep(_PAUSE_SECONDS)
                continue
            if answer.is_success:
                self.acknowledged[message_id] = answer.json()["position"]
                self.times.append(time.monotonic())
                return int(answer.json()["version"])
            if answer.status_code == httpx2.codes.MISDIRECTED_REQUEST:
                self.site.elsewhere[self.tenant] = self.site.readers["b"]
            else:
                assert answer.status_code in {502, 503, 504}, answer.text
                time.sleep(_PAUSE_SECONDS)
        return None

    def _read(self, version: int) -> None:
        """Read at the replica what was just written; it may refuse, and not be behind."""
        reader = self.site.elsewhere.get(self.tenant) or self.site.readers[self.tenant]
        wait = {"wait": str(list(self.acknowledged.values())[-1])}
        try:
            answer = self._http.get(f"{reader}/v1/threads/{self.thread_id}", params=wait)
        except httpx2.TransportError:
            return
        if answer.is_success and answer.json()["version"] < version:
            self.old_reads.append(answer.text)


@dataclass
class Load:
    """All clients."""

    clients: list[Client]

    @property
    def count(self) -> int:
        """How many messages were acknowledged."""
        return sum(len(client.acknowledged) for client in self.clients)

    def wait_for(self, more: int) -> None:
        """Wait until so many more are acknowledged, of each client one at least."""
        until, before = self.count + more, [len(client.acknowledged) for client in self.clients]
        began = time.monotonic()
        while self.count < until or any(
            len(client.acknowledged) <= had
            for client, had in zip(self.clients, before, strict=True)
        ):
            assert time.monotonic() < began + 10 * WAIT_SECONDS, "nobody is acknowledged any more"
            time.sleep(_PAUSE_SECONDS)

    def of(self, tenant: str) -> dict[str, int]:
        """Return the acknowledged positions of a tenant, by message id."""
        return {
            message_id: position
            for client in self.clients
            if client.tenant == tenant
            for message_id, position in client.acknowledged.items()
        }

    def next_of(self, tenant: str, since: float) -> float:
        """Wait for a tenant's first acknowledgement after now; return its seconds since then."""
        now = time.monotonic()
        while True:
            for client in self.clients:
                later = [at for at in client.times[-20:] if at > now]
                if client.tenant == tenant and later:
                    return later[0] - since
            time.sleep(0.002)


@contextmanager
def load_of(site: Site, keys: dict[str, str]) -> Iterator[Load]:
    """Yield clients that append; they end with the block."""
    clients = [
        Client(site, tenant, key, number + _CLIENTS * place)
        for place, (tenant, key) in enumerate(keys.items())
        for number in range(_CLIENTS)
    ]
    for client in clients:
        client.start()
    try:
        yield Load(clients)
    finally:
        for client in clients:
            client.stop()
        for client in clients:
            client.join()


def key_of(url: str, tenant: str) -> str:
    """Make a key of a tenant, in the cell that has its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTLOG_CELL", tenant)
        scopes = ("--scope", "read", "--scope", "append")
        made = agentlog("keys", "create", "--name", "k", "--tenant", tenant, *scopes, url=url)
    assert made.out.startswith(f"agentlog_{tenant}")
    return made.out.strip()


def stored(server: OwnPostgres, tenant: str) -> dict[str, int]:
    """Return the positions of a tenant's messages by id; each is there once."""
    rows = server.fetch(
        "SELECT message_id, position FROM agentlog.events WHERE tenant = %(tenant)s", tenant=tenant
    )
    assert len({message_id for message_id, _ in rows}) == len(rows)
    return dict(rows)


def verified(server: OwnPostgres, tenant: str) -> str:
    """Return what an audit says of a tenant's log and of its database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTLOG_TENANT", tenant)
        return agentlog("verify", url=server.url).out.splitlines()[-1].partition(":")[0]


@dataclass
class Machines:
    """The parts: a primary with a writer and its spare, a standby with a reader, another cell."""

    first: OwnPostgres
    standby: OwnPostgres
    second: OwnPostgres
    writer: ServiceProcess
    spare: ServiceProcess
    reader: ServiceProcess
    other: ServiceProcess

    @property
    def cells(self) -> dict[str, list[str]]:
        """The addresses of each cell's services."""
        return {"a": [self.writer.address, self.spare.address], "b": [self.other.address]}

    def lose_the_first(self) -> int:
        """Kill all on the primary's machine, promote the standby; return what it had received."""
        for pid in (self.first.pid, self.writer.pid, self.spare.pid):
            os.kill(pid, signal.SIGKILL)
        ((received,),) = self.standby.fetch("SELECT position FROM agentlog.counter")
        self.standby.execute("SELECT pg_promote()")
        for service in (self.writer, self.spare):
            service.end(signal.SIGKILL)
        return int(received)

    def move_to_the_second(self) -> None:
        """Move tenant a; the mover is killed once that has arrived, and another goes on."""
        command = [sys.executable, "-m", "tests.extensions.cells.killed"]
        urls = (self.standby.url, self.second.url)
        ended = subprocess.run([*command, *urls, "a", "arrived"], env=environment(), check=False)
        assert ended.returncode == -signal.SIGKILL
        with (
            Database(self.standby.url, pool_size=2) as source,
            Database(self.second.url, pool_size=2) as target,
        ):
            Mover(source, "a", KEY, NEW_ID).move(target, lambda *_: None)

    def steps(self) -> list[list[Step]]:
        """Return the steps of tenant a at the promoted standby and in the second cell."""
        steps: list[list[Step]] = []
        for server in (self.standby, self.second):
            with psycopg.connect(server.url) as connection:
                steps.append([move.step for move in moves_of(connection, "a")])
        return steps


@contextmanager
def machines(settings: Mapping[str, str]) -> Iterator[Machines]:
    """Yield the parts, the primary with these settings."""
    with ExitStack() as parts, short_folder() as folder:
        first = parts.enter_context(own_postgres(folder / "first", DURABLE))
        second = parts.enter_context(own_postgres(folder / "second", DURABLE))
        writer, spare = (parts.enter_context(own_service(first.url)) for _ in range(2))
        other = parts.enter_context(own_service(second.url))
        standby = parts.enter_context(standby_of(first, folder / "standby", DURABLE))
        reader = parts.enter_context(own_service(standby.url))
        if "synchronous_standby_names" in settings:
            first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            first.execute("SELECT pg_reload_conf()")
        yield Machines(first, standby, second, writer, spare, reader, other)


@needs("nginx")
@pytest.mark.parametrize(
    "appends", [600, pytest.param(10_000, marks=pytest.mark.slow)], ids="{} appends".format
)
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(SYNCHRONOUS, id="synchronous"),
        pytest.param(DURABLE, id="asynchronous", marks=pytest.mark.slow),
    ],
)
def test_each_part_is_killed_and_what_was_acknowledged_stays(
    settings: dict[str, str], appends: int
) -> None:
    between = appends // KILLS
    with machines(settings) as at, ExitStack() as front:
        proxy = front.enter_context(proxy_for(at.cells))
        site = Site(proxy, readers={"a": at.reader.address, "b": at.other.address})
        keys = {"a": key_of(at.first.url, "a"), "b": key_of(at.second.url, "b")}
        with load_of(site, keys) as load:
            load.wait_for(between)
            for service in (at.writer, at.spare, at.reader, at.other):
                os.kill(service.pid, signal.SIGKILL)
                began = time.monotonic()
                if service is not at.other:  # of which there is no spare
                    show(f"service killed: {load.next_of('a', began):.3f} s to the next append")
                service.end(signal.SIGKILL)
                service.start()
                load.wait_for(between)
            for server in (at.standby, at.second):
                server.end(signal.SIGKILL)
                server.start()
                load.wait_for(between)
            proxy.kill()
            front.close()
            site.proxy = front.enter_context(proxy_for(at.cells))
            load.wait_for(between)

            began = time.monotonic()
            received = at.lose_the_first()
            before = load.of("a")
            front.close()
            promoted = {**at.cells, "a": [at.reader.address]}
            site.proxy = front.enter_context(proxy_for(promoted))
            show(f"primary lost: {load.next_of('a', began):.2f} s to the next append")
            lost = before.keys() - stored(at.standby, "a").keys()
            show(f"lost {len(lost)} of {len(before)} that were acknowledged")
            load.wait_for(between)

            at.move_to_the_second()
            load.wait_for(max(between, appends - load.count))
        show(f"{load.count} acknowledged")
        assert not lost or settings is DURABLE
        assert all(before[message_id] > received for message_id in lost)
        assert [client.old_reads for client in load.clients if client.old_reads] == []
        assert stored(at.second, "a").keys() == load.of("a").keys() - lost
        assert stored(at.second, "b") == load.of("b")
        logs = ((at.second, "a"), (at.second, "b"), (at.standby, "a"))
        assert {verified(server, tenant) for server, tenant in logs} == {"whole"}
        assert at.steps() == [["fenced", "left"], ["arrived"]]


def show(figure: str) -> None:
    """Print a figure: pytest -s shows it."""
    print(figure)  # noqa: T201
