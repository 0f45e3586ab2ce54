"""Kill -9 of the service, of backends, of all PostgreSQL, while clients append and others read."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.reliability.arrivals import Arrivals, check_arrivals
from tests.reliability.followers import Follower, Reader, tail_of_log, tail_of_table
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import prove
from tests.reliability.service import ServiceProcess

BETWEEN = 25
"""Messages that are acknowledged between two faults, at least."""


@dataclass(frozen=True, slots=True)
class Victims:
    """What can be killed."""

    postgres: OwnPostgres
    service: ServiceProcess
    rng: random.Random


def _kill_service(at: Victims) -> None:
    at.service.end(signal.SIGKILL)
    at.service.start()


def _stop_service(at: Victims) -> None:
    assert at.service.end(signal.SIGTERM) == 0
    at.service.start()


def _kill_backend(at: Victims) -> None:
    """The postmaster takes it for a crash: it ends all others and recovers from the log."""
    _end_backend(at, signal.SIGKILL)


def _terminate_backend(at: Victims) -> None:
    _end_backend(at, signal.SIGTERM)


def _end_backend(at: Victims, order: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # its time had come anyway
        os.kill(at.rng.choice(at.postgres.backends()), order)


def _terminate_all(at: Victims) -> None:
    for pid in at.postgres.backends():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def _kill_postgres(at: Victims) -> None:
    at.postgres.end(signal.SIGKILL)
    at.postgres.start()


def _stop_postgres_at_once(at: Victims) -> None:
    at.postgres.end(signal.SIGQUIT)
    at.postgres.start()


def _restart_postgres(at: Victims) -> None:
    at.postgres.end(signal.SIGINT)
    at.postgres.start()


Fault = Callable[[Victims], None]

FAULTS: dict[str, Fault] = {
    "kill -9 of a backend": _kill_backend,
    "kill -9 of the service": _kill_service,
    "SIGTERM to a backend": _terminate_backend,
    "kill -9 of the postmaster": _kill_postgres,
    "SIGTERM to all backends": _terminate_all,
    "immediate stop of PostgreSQL": _stop_postgres_at_once,
    "SIGTERM to the service": _stop_service,
    "restart of PostgreSQL": _restart_postgres,
}
QUICK = ("kill -9 of a backend", "kill -9 of the service", "kill -9 of the postmaster")
"""Those of the short form."""


@pytest.fixture
def victims(postgres: OwnPostgres, service: ServiceProcess) -> Victims:
    """A service and its PostgreSQL."""
    return Victims(postgres, service, random.Random(7))  # noqa: S311 - moments of a test


@pytest.mark.parametrize("chosen", [QUICK, pytest.param(tuple(FAULTS), marks=pytest.mark.slow)])
def test_what_is_killed_loses_nothing_that_was_acknowledged(
    victims: Victims,
    ledger: Ledger,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
    chosen: tuple[str, ...],
) -> None:
    times = 15 if soak else 1
    row = tried(
        "Kills: " + ", ".join(chosen),
        made=f"each {times} times, in turn, while 6 clients append and retry and 5 readers follow; "
        "in the long form also an exporter sends spans, and files are imported",
        holds="what was acknowledged is there once and where it was said to be, positions and "
        "versions are gapless, chains whole, read models equal to a rebuild; readers miss and "
        "repeat nothing; no answer but an acknowledgement or 503",
    )
    postgres, service = victims.postgres, victims.service
    arrivals = Arrivals(service.address, postgres.url)
    with Load(service.address, ledger) as load, arrivals if soak else nullcontext():
        ledger.wait_for(BETWEEN)
        readers = list(_readers(postgres, service, load))
        for reader in readers:
            reader.start()
        for name in chosen * times:
            ledger.wait_for(BETWEEN + victims.rng.randrange(BETWEEN))
            FAULTS[name](victims)
        ledger.wait_for(BETWEEN)
    proven = prove(postgres.url, service, ledger, readers)
    with Database(postgres.url, pool_size=1) as database:
        arrived = check_arrivals(database, arrivals)
    row.came = f"{proven}. {arrived}. Answers and breaks: {ledger.told}"


def _readers(postgres: OwnPostgres, service: ServiceProcess, load: Load) -> Iterator[Reader]:
    yield Follower(service.address)
    for thread_id in load.threads[:2]:
        yield Follower(service.address, thread_id)
    yield tail_of_log(service.address)
    yield tail_of_table(postgres)
