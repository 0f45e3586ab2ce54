"""The store's clock stepped back and forth: times never run back, and nothing waits for them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.reliability.followers import Follower
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres, own_postgres
from tests.reliability.proof import prove
from tests.reliability.service import ServiceProcess, own_service

STEPS = ("+0s", "-3600s", "-7200s", "+3600s", "-60s", "+5s", "+0s")
"""What the clock is off by, in turn."""
HOLDS = (
    "recorded_at never runs back, positions and chains as always, no append waits for the clock; "
    "what was recorded is found at its time"
)


def test_a_store_whose_clock_was_ahead_goes_on(
    postgres: OwnPostgres, service: ServiceProcess, ledger: Ledger, tried: Tried
) -> None:
    row = tried(
        "Clock stepped back, as the log sees it",
        made="the counter's time is moved an hour ahead, as if the clock had been, under load",
        holds=HOLDS,
    )
    with Load(service.address, ledger, clients=4):
        ledger.wait_for(30)
        postgres.execute(
            "UPDATE agentlog.counter SET recorded_at = clock_timestamp() + interval '1 hour'"
        )
        ledger.wait_for(60)
    _find_at_its_time(service)
    ahead = postgres.fetch(
        "SELECT count(*) FROM agentlog.events WHERE recorded_at > clock_timestamp()"
    )
    assert ahead[0][0] >= 30
    row.came = f"{ahead[0][0]} events recorded ahead of the clock; "
    row.came += str(prove(postgres.url, service, ledger))


def test_a_clock_that_is_set_under_load_never_runs_back_in_the_log(
    folder: Path,
    ledger: Ledger,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    rounds = 10 if soak else 1
    row = tried(
        "Clock of PostgreSQL stepped back and forth",
        made=f"libfaketime under the postmaster, off by {', '.join(STEPS)}, {rounds} times, under "
        "load",
        holds=HOLDS,
    )
    library = _faketime()
    clock = folder / "clock"
    clock.write_text(STEPS[0])
    with (
        _faked(library, clock),
        own_postgres(folder / "data") as postgres,
        _unfaked(),
        own_service(postgres.url) as service,
    ):
        with Load(service.address, ledger, clients=4) as load:
            ledger.wait_for(30)
            reader = Follower(service.address, load.threads[0])
            reader.start()
            for step in STEPS * rounds:
                clock.write_text(step)
                ledger.wait_for(40)
        _find_at_its_time(service)
        ((span,),) = postgres.fetch(
            "SELECT max(recorded_at) - min(recorded_at) FROM agentlog.events"
        )
        proven = prove(postgres.url, service, ledger, [reader])
    assert span.total_seconds() > 3500  # or the clock was not set
    row.came = f"{len(STEPS) * rounds} steps; {proven}. Answers and breaks: {ledger.told}"


def _find_at_its_time(service: ServiceProcess) -> None:
    """See that the latest event is there at its own time."""
    thread = service.get("/v1/threads", limit=1)["items"][0]["threadId"]
    last = service.get(f"/v1/threads/{thread}/messages", limit=1000)["items"][-1]
    at = service.get(f"/v1/threads/{thread}/messages", limit=1000, at=last["recordedAt"])
    assert at["items"][-1] == last


def _faketime() -> Path:
    """Return the library that gives a process another clock."""
    given = os.environ.get("AGENTLOG_TEST_FAKETIME")
    places = [Path(given)] if given else list(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    for place in places:
        if place.exists():
            return place
    pytest.skip("libfaketime is not installed, nor named by AGENTLOG_TEST_FAKETIME")


@contextmanager
def _faked(library: Path, clock: Path) -> Iterator[None]:
    """Have processes that are started in the block read what their clock is off by from a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(library))
        patch.setenv("FAKETIME_TIMESTAMP_FILE", str(clock))
        patch.setenv("FAKETIME_NO_CACHE", "1")
        patch.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        patch.setenv("FAKETIME_DISABLE_SHM", "1")
        yield


@contextmanager
def _unfaked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LD_PRELOAD")
        yield
