"""A network that swallows all between the service and PostgreSQL, and a server that vanished."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from agentlog.infrastructure.postgres.database import Database
from tests.clients import TLS
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import prove
from tests.reliability.service import ServiceProcess, own_service
from tests.reliability.storm import CALM, Storm, by_way_of, to_postgres
from tests.reliability.test_away import MARGIN_SECONDS, PROMISED_SECONDS, WATCH_SECONDS

ROOT = Path(__file__).parents[2]
OURS, THEIRS = "10.213.77.1", "10.213.77.2"
PORT = 5999
WAIT_SECONDS = 120.0


@pytest.mark.skipif(
    not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system has no such timeout"
)
def test_every_connection_finds_out_a_server_that_has_vanished(database_url: str) -> None:
    with (
        Storm(to_postgres(database_url), lambda _: CALM, 1) as way,
        Database(by_way_of(database_url, way), pool_size=1) as database,
        database.connect() as own,
        database.connection() as pooled,
    ):
        for connection in (own, pooled):
            with socket.socket(fileno=os.dup(connection.fileno())) as end:
                assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 20_000
                assert end.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10


class Network:
    """A network of two, which may swallow what it should carry."""

    def __init__(self, name: str) -> None:
        self._name = name

    @contextmanager
    def silence(self) -> Iterator[None]:
        """Let no packet back in the block; nobody is told."""
        _run("ip", "netns", "exec", self._name, "ip", "route", "add", "blackhole", f"{OURS}/32")
        try:
            yield
        finally:
            _run("ip", "netns", "exec", self._name, "ip", "route", "del", "blackhole", f"{OURS}/32")

    @contextmanager
    def relay(self, url: str) -> Iterator[str]:
        """Yield the URL of a database by way of the other end of the network."""
        parameters = conninfo_to_dict(url)
        command = [sys.executable, "-m", "tests.reliability.relaying"]
        path = f"{parameters['host']}/.s.PGSQL.{parameters.get('port', 5432)}"
        with subprocess.Popen(
            ["ip", "netns", "exec", self._name, *command, path, THEIRS, str(PORT)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
                yield make_conninfo(url, host=THEIRS, port=PORT)
            finally:
                process.kill()


@pytest.fixture
def network(long_form: None) -> Iterator[Network]:  # noqa: ARG001 - it takes a minute
    """A network namespace beside ours."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("only root can make a network")
    name, near, far = (f"agentlog-{end}" for end in ("net", "0", "1"))
    made = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"a network cannot be made: {made.stderr.strip()}")
    try:
        _run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        _run("ip", "addr", "add", f"{OURS}/24", "dev", near)
        _run("ip", "link", "set", near, "up")
        _run("ip", "netns", "exec", name, "ip", "addr", "add", f"{THEIRS}/24", "dev", far)
        _run("ip", "netns", "exec", name, "ip", "link", "set", far, "up")
        yield Network(name)
    finally:
        _run("ip", "netns", "delete", name)  # its end of the wire goes with it, and so ours


def test_a_network_that_swallows_all_is_found_out_and_recovered_from(
    network: Network, postgres: OwnPostgres, ledger: Ledger, tried: Tried
) -> None:
    row = tried(
        "Half-open: the network to PostgreSQL swallows all, and nobody is told",
        made="a network namespace of its own between the service and PostgreSQL, with a black "
        "hole for what comes back, under load",
        holds="reads and appends are answered 503 within 2 minutes, /healthz at once; once that "
        f"is known all are answered in {PROMISED_SECONDS:g} s; once packets come through again all "
        "goes on, without a hand",
    )
    with network.relay(postgres.url) as url, own_service(url) as service:
        with Load(service.address, ledger, clients=4, timeout=WAIT_SECONDS):
            ledger.wait_for(40)
            with network.silence():
                alive = _timed(service, "/healthz")
                read = _timed(service, "/readyz")
                before = time.monotonic()
                while not ledger.outcomes["503"]:
                    assert time.monotonic() < before + WAIT_SECONDS, ledger.told
                    time.sleep(0.1)
                seconds = read[1] + time.monotonic() - before
                known = [_timed(service, path) for path in ("/readyz", "/v1/threads") * 50]
                watched = [_timed(service, path) for path in ("/healthz", "/metrics") * 50]
            back = time.monotonic()
            service.get("/v1/threads")
            recovered = time.monotonic() - back
            ledger.wait_for(40)
        assert (alive[0], read[0]) == (200, 503)
        assert {status for status, _ in known} == {503}
        assert max(took for _, took in known) < PROMISED_SECONDS + MARGIN_SECONDS
        assert {status for status, _ in watched} == {200}
        assert max(took for _, took in watched) < WATCH_SECONDS + MARGIN_SECONDS
        proven = prove(postgres.url, service, ledger)
    row.came = (
        f"a read was answered 503 after {read[1]:.0f} s, appends after {seconds:.0f} s, and "
        f"then all after {max(took for _, took in known):.2f} s at most; reads went on "
        f"{recovered:.1f} s after the first packet; {proven}. "
        f"Answers and breaks: {ledger.told}"
    )


def _timed(service: ServiceProcess, path: str) -> tuple[int, float]:
    began = time.monotonic()
    answer = httpx2.get(service.address + path, timeout=WAIT_SECONDS, trust_env=False, verify=TLS)
    return answer.status_code, time.monotonic() - began


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
