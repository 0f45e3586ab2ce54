"""PostgreSQL away for a while, under load: what is answered meanwhile, and how soon all goes on."""

import http.client
import json
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from types import TracebackType
from typing import NamedTuple, Self

import pytest
from ulid import ULID

from tests.command_line import agentlog
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.service import ServiceProcess

CLIENTS = 50
PROMISED_SECONDS = 2.0
"""Until a request is answered while PostgreSQL is known to be away."""
WATCH_SECONDS = 0.5
"""The same of `/healthz`, `/readyz` and `/metrics`."""
RECOVERY_SECONDS = 3.0
"""From the moment that PostgreSQL takes connections again until requests are answered."""
MARGIN_SECONDS = 1.0
"""For 50 clients and a service that share a busy machine of two cores."""
KNOWN_SECONDS = 1.0
"""After PostgreSQL was told to stop, its stop included."""

_WATCHED = ("/healthz", "/readyz", "/metrics")


class Asked(NamedTuple):
    """A request, when it began and ended, and its status."""

    path: str
    began: float
    ended: float
    status: int

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began


@dataclass(frozen=True, slots=True)
class Client:
    """Somebody with a key, on a connection for each request."""

    port: int
    key: str

    def ask(self, method: str, path: str, body: object = None) -> Asked:
        """Ask, and tell what came of it; an answer has to come."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.key}"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            answer.read()
            return Asked(path, began, time.monotonic(), answer.status)
        finally:
            connection.close()


class Crowd:
    """Clients that append and read by turns, and one that watches the service."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._ending = threading.Event()
        self.asked: list[Asked] = []
        self.acknowledged: list[str] = []
        """The ids of messages."""
        self._threads = [threading.Thread(target=self._watch, daemon=True)] + [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(CLIENTS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(90)
        assert not any(thread.is_alive() for thread in self._threads)

    def _work(self, number: int) -> None:
        path = f"/v1/threads/thread-{number}"
        while not self._ending.wait(0.2):
            message = {"id": str(ULID()), "type": "reply", "text": "x" * 200}
            appended = self._client.ask("POST", f"{path}/messages", message)
            if appended.status in {200, 201}:
                self.acknowledged.append(message["id"])
            self.asked += [appended, self._client.ask("GET", f"{path}/views/kernel")]

    def _watch(self) -> None:
        while not self._ending.wait(0.1):
            self.asked += [self._client.ask("GET", path) for path in _WATCHED]


@pytest.mark.slow
def test_postgres_away_is_told_in_time_and_all_goes_on_once_it_is_back(
    postgres: OwnPostgres,
    service: ServiceProcess,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    away_seconds = 190 if soak else 15
    row = tried(
        "PostgreSQL away",
        made=f"it is stopped for {away_seconds} s, while {CLIENTS} clients with a key append and "
        "read; what was known of keys ends meanwhile",
        holds=f"each request is answered 503 in {PROMISED_SECONDS:g} s, /healthz and /metrics 200 "
        f"in {WATCH_SECONDS:g} s; once it is back all is answered within {RECOVERY_SECONDS:g} s",
    )
    scopes = ("--scope", "append", "--scope", "read", "--scope", "admin")
    key = agentlog("keys", "create", "--name", "crowd", *scopes, url=postgres.url).out.strip()
    client = Client(service.port, key)
    with Crowd(client) as crowd:
        _wait_for(crowd, 200)
        stopping = time.monotonic()
        postgres.end(signal.SIGINT)
        stopped = time.monotonic()
        time.sleep(away_seconds)
        returning = time.monotonic()
        postgres.start()
        back = time.monotonic()
        recovered = recovered_at(client)
        before = len(crowd.acknowledged)
        _wait_for(crowd, before + 200)
    away = [
        request
        for request in crowd.asked
        if stopped + KNOWN_SECONDS < request.began < returning - 1
    ]
    asked = [request for request in away if request.path not in _WATCHED]
    longest = max(request.seconds for request in asked)
    assert {request.status for request in asked} == {503}
    assert len(asked) > CLIENTS * away_seconds / 10
    assert longest < PROMISED_SECONDS + MARGIN_SECONDS
    breaking = [request for request in crowd.asked if stopping - 1 < request.began < back]
    assert max(request.seconds for request in breaking) < PROMISED_SECONDS + MARGIN_SECONDS
    told = {}
    for path, status in zip(_WATCHED, (200, 503, 200), strict=True):
        seconds = [request.seconds for request in away if request.path == path]
        assert {request.status for request in away if request.path == path} == {status}
        assert median(seconds) < WATCH_SECONDS
        assert max(seconds) < WATCH_SECONDS + MARGIN_SECONDS
        told[path] = f"{path} {max(seconds):.2f} s"
    assert recovered - back < RECOVERY_SECONDS
    check_log(postgres, crowd.acknowledged)
    row.came = (
        f"{len(asked):,} requests refused, 503 after {longest:.2f} s at most "
        f"({median(request.seconds for request in asked):.2f} s the median), "
        f"{', '.join(told.values())} "
        f"at most; all answered again after {recovered - back:.1f} s; "
        f"{len(crowd.acknowledged):,} messages acknowledged, each there once"
    )


def _wait_for(crowd: Crowd, count: int) -> None:
    until = time.monotonic() + 60
    while len(crowd.acknowledged) < count:
        assert time.monotonic() < until
        time.sleep(0.02)


def recovered_at(client: Client) -> float:
    """Return when reads, appends and projections had all been answered again."""
    until = time.monotonic() + 60
    for method, path, body in (
        ("GET", "/readyz", None),
        ("GET", "/v1/threads", None),
        ("POST", "/v1/threads/late/messages", {"type": "tick"}),
        ("GET", "/v1/projections", None),
    ):
        while client.ask(method, path, body).status not in {200, 201}:
            assert time.monotonic() < until, path
            time.sleep(0.02)
    return time.monotonic()


def check_log(postgres: OwnPostgres, acknowledged: Sequence[str]) -> None:
    """Check that every acknowledged message is in the log, and none twice."""
    rows = postgres.fetch("SELECT message_id FROM agentlog.events WHERE message_id IS NOT NULL")
    stored = [row[0] for row in rows]
    assert len(stored) == len(set(stored))
    assert set(acknowledged) <= set(stored)
