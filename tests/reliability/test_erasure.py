"""Contents erased while the service and PostgreSQL are killed: whoever was told so finds it so."""

import random
import signal
import threading
import time
from collections.abc import Sequence

import httpx2
import psycopg
from psycopg.sql import SQL, Identifier
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from tests.clients import TLS
from tests.command_line import agentlog
from tests.infrastructure.appends import check_log
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import check_read_models
from tests.reliability.service import ServiceProcess
from tests.waiting import WAIT_SECONDS

THREADS = 12
"""Of one round: redacted one after another while something is killed."""


def test_what_is_erased_is_gone_whatever_is_killed_meanwhile(
    postgres: OwnPostgres,
    service: ServiceProcess,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    rounds = 12 if soak else 1
    row = tried(
        "Redactions while the service or PostgreSQL is killed",
        made=f"{rounds} times {THREADS} threads are redacted, each until it is answered; once some "
        "redactions stand in the log, kill -9 of the service, or of the postmaster in turn",
        holds="of no redacted thread is any content left in any table, chains are whole, read "
        "models equal a rebuild",
    )
    rng = random.Random(11)  # noqa: S311 - moments of a test
    retried = 0
    for number in range(rounds):
        names = [f"round-{number}-{thread}" for thread in range(THREADS)]
        position = _fill(service, names)
        service.get("/v1/projections", wait=position)
        assert _tables_with(postgres.url, f"secret of round-{number}-")
        redacting = Redacting(service, names)
        redacting.start()
        wanted = number * THREADS + 1 + rng.randrange(THREADS // 2)
        _wait_for_redactions(postgres, wanted)
        if number % 2:
            postgres.end(signal.SIGKILL)
            postgres.start()
        else:
            service.end(signal.SIGKILL)
            service.start()
        redacting.join(WAIT_SECONDS)
        assert not redacting.is_alive()
        assert not redacting.failures
        retried += redacting.retried
        assert _tables_with(postgres.url, f"secret of round-{number}-") == []
    with Database(postgres.url, pool_size=2) as database:
        rows = check_read_models(database, service)
        check_log(database)
    verified = agentlog("verify", url=postgres.url)
    assert verified.code == 0, verified
    row.came = (
        f"{rounds * THREADS} threads, {retried} requests sent again; nothing left in any table, "
        f"chains whole, {rows} rows of read models as a rebuild makes them"
    )


def _fill(service: ServiceProcess, names: Sequence[str]) -> int:
    """Append what is to be erased, short and long; return the log's position after it."""
    position = 0
    for name in names:
        secret = f"the secret of {name}, "
        service.post("/v1/threads", {"threadId": name, "goal": secret, "metadata": {"s": secret}})
        call = {"id": "1", "name": "look", "args": {"what": secret}}
        answer = {"callId": "1", "output": secret * 100, "error": None}
        done = service.post(
            f"/v1/threads/{name}/messages",
            [
                {"type": "input", "text": secret},
                {"type": "tool_calls", "calls": [call]},
                {"type": "tool_results", "results": [answer]},
                {"type": "reply", "text": secret * 50},
            ],
        )
        service.get(f"/v1/threads/{name}/views/openai")
        position = done["position"]
    return position


class Redacting(threading.Thread):
    """Redacts threads one after another, each until that is answered."""

    def __init__(self, service: ServiceProcess, names: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self._service, self._names = service, names
        self.retried = 0
        self.failures: list[str] = []

    @override
    def run(self) -> None:
        """Redact them."""
        for name in self._names:
            until = time.monotonic() + WAIT_SECONDS
            while not self._redact(name):
                self.retried += 1
                if time.monotonic() > until or self.failures:
                    self.failures.append(f"{name} is not redacted")
                    return
                time.sleep(0.05)

    def _redact(self, name: str) -> bool:
        try:
            answer = httpx2.post(
                f"{self._service.address}/v1/threads/{name}/redact",
                json={"reason": "asked to"},
                timeout=WAIT_SECONDS,
                trust_env=False,
                verify=TLS,
            )
        except httpx2.TransportError:
            return False
        if answer.status_code not in {httpx2.codes.OK, httpx2.codes.SERVICE_UNAVAILABLE}:
            self.failures.append(answer.text)
        return answer.status_code == httpx2.codes.OK


def _wait_for_redactions(postgres: OwnPostgres, count: int) -> None:
    """Wait until so many stand in the log, be they done or not."""
    until = time.monotonic() + WAIT_SECONDS
    query = "SELECT count(*) >= %s FROM agentlog.events WHERE type = 'thread.redacted'"
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        while connection.execute(query, [count]).fetchone() != (True,):
            assert time.monotonic() < until
            time.sleep(0.002)


def _tables_with(url: str, text: str) -> list[str]:
    """Return the tables, of all there are, in which a text stands, in bytes or as it is."""
    with psycopg.connect(url, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname LIKE 'agentlog%'"
        ).fetchall()
        left = []
        for schema, table in tables:
            query = SQL("SELECT count(*) FROM {} AS t WHERE t::text LIKE ANY (%s)").format(
                Identifier(schema, table)
            )
            patterns = [f"%{text}%", f"%{text.encode().hex()}%"]
            ((count,),) = connection.execute(query, (patterns,)).fetchall()
            if count:
                left.append(f"{schema}.{table}: {count}")
    return left
