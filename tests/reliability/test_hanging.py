"""PostgreSQL that hangs: its processes are stopped, but nothing is closed."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from ulid import ULID

from tests.command_line import agentlog
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.service import ServiceProcess
from tests.reliability.test_away import (
    MARGIN_SECONDS,
    PROMISED_SECONDS,
    Asked,
    Client,
    check_log,
    recovered_at,
)

ROUNDS = 3


@contextmanager
def stopped(postgres: OwnPostgres, *, whole: bool) -> Iterator[None]:
    """Stop those that serve clients, or the whole server, in the block."""
    processes = [*([postgres.pid] if whole else []), *postgres.backends()]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["the server", "those that serve clients"])
def test_postgres_that_hangs_is_told_in_time_and_all_goes_on_afterwards(
    postgres: OwnPostgres,
    service: ServiceProcess,
    tried: Tried,
    whole: bool,  # noqa: FBT001 - a parameter
) -> None:
    row = tried(
        f"PostgreSQL hangs: {'the server' if whole else 'those that serve clients'}",
        made="SIGSTOP, while clients append and read",
        holds=f"the first requests are answered in {PROMISED_SECONDS:g} s, 503 unless others serve "
        "clients; afterwards all goes on, and every acknowledged message is there once",
    )
    scopes = ("--scope", "append", "--scope", "read", "--scope", "admin")
    key = agentlog("keys", "create", "--name", "one", *scopes, url=postgres.url).out.strip()
    client = Client(service.port, key)
    acknowledged: list[str] = []
    first: list[Asked] = []

    def append() -> Asked:
        message = {"id": str(ULID()), "type": "reply", "text": "x"}
        asked = client.ask("POST", "/v1/threads/t/messages", message)
        if asked.status in {200, 201}:
            acknowledged.append(message["id"])
        return asked

    for _ in range(ROUNDS):
        append()
        client.ask("GET", "/v1/threads/t/views/kernel")
        with stopped(postgres, whole=whole):
            first += [append(), client.ask("GET", "/v1/threads")]
        recovered_at(client)
    assert max(answer.seconds for answer in first) < PROMISED_SECONDS + MARGIN_SECONDS
    # others may serve clients: then an append is tried again, and written
    assert {answer.status for answer in first} <= ({503} if whole else {200, 201, 503})
    check_log(postgres, acknowledged)
    row.came = f"answered after {max(answer.seconds for answer in first):.2f} s at most"
