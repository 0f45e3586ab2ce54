"""Connections that are cut, delayed or hang: of clients, and of the service to PostgreSQL."""

import random
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx2
import psycopg
import pytest

from tests.clients import TLS
from tests.reliability.followers import Follower
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import prove
from tests.reliability.service import ServiceProcess, own_service
from tests.reliability.storm import Fate, Storm, by_way_of, to_postgres, to_service

HANG_SECONDS = 0.5
CLIENT_TIMEOUT = 2.0
WAIT_SECONDS = 120.0
SLOW = "/v1/checkpoints"
"""What only reads a table that no append needs."""


def _of_a_client(rng: random.Random) -> Fate:
    """Half of all requests meet with something; they are some hundred bytes, as are answers."""
    hangs = rng.choice([0.0, 0.0, HANG_SECONDS, CLIENT_TIMEOUT * 2])
    match rng.randrange(8):
        case 0 | 1:
            return Fate(to_server=rng.randrange(1200), hangs=hangs)
        case 2 | 3:
            return Fate(to_client=rng.randrange(600), hangs=hangs)
        case 4:
            return Fate(delay=rng.random() / 20)
        case _:
            return Fate()


def _of_the_database(rng: random.Random) -> Fate:
    """Every connection ends sooner or later; to make one takes about a thousand bytes."""
    hangs = rng.choice([0.0, 0.0, 0.0, HANG_SECONDS])
    delay = rng.choice([0.0, 0.0, 0.002])
    if rng.random() < 0.5:
        return Fate(to_server=500 + rng.randrange(40_000), hangs=hangs, delay=delay)
    return Fate(to_client=500 + rng.randrange(10_000), hangs=hangs, delay=delay)


def test_connections_cut_anywhere_acknowledge_nothing_wrongly(
    postgres: OwnPostgres,
    ledger: Ledger,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    least = 600 if soak else 12
    row = tried(
        "Connections cut in mid-append, delayed, or silent before they break",
        made="relays on loopback before the service and before PostgreSQL cut at random byte "
        f"counts in either direction, by reset or farewell, half of client connections and all of "
        f"the database's, some after hanging for {HANG_SECONDS:g} to {2 * CLIENT_TIMEOUT:g} s; "
        f"clients wait {CLIENT_TIMEOUT:g} s for an answer",
        holds="as above; the service goes on by itself",
    )
    with ExitStack() as stack:
        behind = stack.enter_context(Storm(to_postgres(postgres.url), _of_the_database, 1))
        service = stack.enter_context(own_service(by_way_of(postgres.url, behind)))
        before = stack.enter_context(Storm(to_service(service.port), _of_a_client, 2))
        address = f"http://127.0.0.1:{before.port}"
        with Load(address, ledger, timeout=CLIENT_TIMEOUT) as load:
            ledger.wait_for(10)
            readers = [Follower(address), Follower(address, load.threads[0])]
            for reader in readers:
                reader.start()
            for storm in (before, behind):
                storm.raging = True
            behind.cut_all()  # those that were made in quiet times have no fate
            while min(before.cuts, behind.cuts) < least:
                ledger.wait_for(1)
            for storm in (before, behind):
                storm.calm()
            ledger.wait_for(10)
        proven = prove(postgres.url, service, ledger, readers)
    row.came = (
        f"{before.cuts} cuts before the service ({_words(before)}), {behind.cuts} behind it "
        f"({_words(behind)}); {proven}. Answers and breaks: {ledger.told}"
    )


@pytest.mark.usefixtures("long_form")
def test_readers_that_are_slow_keep_nobody_from_the_database(
    postgres: OwnPostgres, ledger: Ledger, tried: Tried
) -> None:
    slow = 200
    row = tried(
        "Clients that ask and do not read",
        made=f"{slow} connections ask for pages and streams and read nothing; the pool has 2",
        holds="appends and reads of others go on; no connection of the pool is held",
    )
    with own_service(postgres.url, AGENTLOG_POOL_SIZE="2") as service, ExitStack() as stack:
        with Load(service.address, ledger, clients=4):
            ledger.wait_for(100)
        for number in range(slow):
            path = "/v1/log/events" if number % 2 else "/v1/log?limit=1000"
            stack.enter_context(_unread(service, path))
        with Load(service.address, ledger, clients=4, seed=2):
            for _ in range(5):
                ledger.wait_for(20)
                assert service.get("/readyz")["status"] == "ready"
        row.came = str(prove(postgres.url, service, ledger))


@pytest.mark.slow
def test_a_pool_without_a_free_connection_is_said_in_time_and_recovers(
    postgres: OwnPostgres,
    ledger: Ledger,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    readers = 60 if soak else 4
    options = "" if soak else "&options=-c%20lock_timeout%3D1s"
    row = tried(
        "Pool exhausted",
        made=f"a session locks the table of checkpoints; {readers} readers of it at once wait with "
        "all connections of the pool (2)",
        holds="each is answered 503 within a minute, others are answered meanwhile, appends go on; "
        "once the lock is gone all is answered, without a hand",
    )
    with own_service(postgres.url + options, AGENTLOG_POOL_SIZE="2") as service:
        with Load(service.address, ledger, clients=2):
            ledger.wait_for(20)
            with (
                psycopg.connect(postgres.url) as holder,
                ThreadPoolExecutor(readers) as pool,
            ):
                holder.execute("LOCK TABLE agentlog.checkpoints IN ACCESS EXCLUSIVE MODE")
                reading = [pool.submit(_timed, service, SLOW) for _ in range(readers)]
                acknowledged = ledger.count
                alive = [_timed(service, "/healthz")]
                while not all(future.done() for future in reading):
                    alive.append(_timed(service, "/healthz"))
                    time.sleep(0.02)  # the others are to get on too
                answers = [future.result() for future in reading]
                ledger.wait_for(20)
                acknowledged = ledger.count - acknowledged
        assert {status for status, _ in answers} == {503}
        assert max(seconds for _, seconds in answers) < 60
        assert {status for status, _ in alive} == {200}
        if soak:  # more than there are threads to wait on: who asks for nothing needs none
            assert max(seconds for _, seconds in alive) < min(seconds for _, seconds in answers)
        assert _timed(service, SLOW)[0] == 200
        proven = prove(postgres.url, service, ledger)
    row.came = (
        f"503 after {_range(answers)} s, /healthz after {_range(alive)} s, {acknowledged} messages "
        f"acknowledged meanwhile; {proven}"
    )


@contextmanager
def _unread(service: ServiceProcess, path: str) -> Iterator[None]:
    """Ask for something, and read nothing of it."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", service.port))
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        yield


def _timed(service: ServiceProcess, path: str) -> tuple[int, float]:
    """Return the status of an answer and the seconds that it took."""
    began = time.monotonic()
    answer = httpx2.get(service.address + path, timeout=WAIT_SECONDS, trust_env=False, verify=TLS)
    return answer.status_code, time.monotonic() - began


def _range(answers: list[tuple[int, float]]) -> str:
    seconds = sorted(answer[1] for answer in answers)
    return f"{seconds[0]:.2f} to {seconds[-1]:.2f}"


def _words(storm: Storm) -> str:
    return ", ".join(f"{count} {what.replace('_', ' ')}" for what, count in storm.did.items())
