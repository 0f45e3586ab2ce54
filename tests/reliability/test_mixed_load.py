"""Everything at once for a long time: memory and latency stay as they are."""

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from itertools import cycle

import httpx2
import pytest
from typing_extensions import override

from tests.clients import TLS
from tests.reliability.followers import Follower
from tests.reliability.ledger import Ledger
from tests.reliability.load import Load
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import prove
from tests.reliability.service import ServiceProcess
from tests.reliability.trends import Sample, Trend, trend_of
from tests.waiting import WAIT_SECONDS

SHORT_SECONDS = 5.0
TURN = 400
"""Messages after which clients go on to new threads: a thread of an agent is no longer."""
VIEWS = ("kernel", "openai", "letta", "openletta", "maria", "agent-state")
MEGABYTE = 10**6

Ask = Callable[[random.Random, str], str]


def _view(name: str) -> Ask:
    return lambda _, thread_id: f"/v1/threads/{thread_id}/views/{name}"


READS: dict[str, Ask] = {
    **{f"view {name}": _view(name) for name in VIEWS},
    "time travel": lambda _, t: f"/v1/threads/{t}/views/openai?at={1}",
    "messages": lambda _, t: f"/v1/threads/{t}/messages?limit=50",
    "threads": lambda _, __: "/v1/threads?limit=50",
    "search": lambda _, t: f"/v1/threads?limit=20&filter={t[:6]}",
    "log": lambda rng, _: f"/v1/log?limit=50&after={rng.randrange(200)}",
    "stream": lambda _, t: f"/v1/threads/{t}/events?view=letta&follow=false",
    "report": lambda _, __: "/v1/analytics/tools",
    "audit": lambda _, t: f"/v1/threads/{t}/audit",
}


class Reads(threading.Thread):
    """A client that reads all kinds in turn, of the latest threads; `times` are milliseconds."""

    def __init__(self, service: ServiceProcess, ledger: Ledger, seed: int, pause: float) -> None:
        super().__init__(daemon=True)
        self._service, self._ledger = service, ledger
        self._rng = random.Random(seed)  # noqa: S311 - what to read next is no secret
        self._pause = pause
        self._ending = threading.Event()
        self.times: defaultdict[str, list[Sample]] = defaultdict(list)
        self.failures: list[str] = []

    @override
    def run(self) -> None:
        """Read until told to end."""
        with httpx2.Client(
            base_url=self._service.address, timeout=60, trust_env=False, verify=TLS
        ) as client:
            for name in cycle(READS):
                if self._ending.wait(self._pause):
                    return
                path = READS[name](self._rng, self._ledger.latest)
                began = time.monotonic()
                answer = client.get(path)
                took = time.monotonic() - began
                if answer.status_code == httpx2.codes.OK:
                    self.times[name].append((began, took * 1000))
                else:
                    self.failures.append(f"{path}: {answer.status_code} {answer.text}")

    @property
    def all_read(self) -> bool:
        """Whether there was one of each kind."""
        return self._ending.is_set() or bool(self.failures) or len(self.times) == len(READS)

    def end(self) -> None:
        """Have it end."""
        self._ending.set()
        self.join(60)


@pytest.mark.slow
def test_memory_and_latency_are_flat_under_mixed_load(  # noqa: PLR0913, PLR0917 - fixtures
    postgres: OwnPostgres,
    service: ServiceProcess,
    ledger: Ledger,
    tried: Tried,
    pytestconfig: pytest.Config,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    seconds = pytestconfig.getoption("--soak-minutes") * 60 if soak else SHORT_SECONDS
    row = tried(
        "Mixed load",
        made=f"{seconds / 60:.3g} minutes: 3 clients append, 2 read views, time travel, lists, "
        "searches, streams, reports, audits, 2 follow; new threads after every 400 messages",
        holds="memory of service and projections, and the time that each kind of request takes, "
        "are in the last third what they were in the second; all of the above",
    )
    memory: list[tuple[float, int, int]] = []
    with ExitStack() as stack:
        load = Load(service.address, ledger, clients=3, pause=0.03, turn=TURN)
        stack.enter_context(load)
        ledger.wait_for(60)
        service.get("/v1/projections", wait=1)  # reports are there once these have begun
        readers = [Follower(service.address), Follower(service.address)]
        reads = [Reads(service, ledger, seed, 0.03) for seed in range(2)]
        for reader in [*readers, *reads]:
            reader.start()
        since = time.monotonic()
        while time.monotonic() < since + seconds or not all(history.all_read for history in reads):
            assert time.monotonic() < since + seconds + WAIT_SECONDS, "reads are not answered"
            memory.append((time.monotonic(), *service.memory()))
            time.sleep(0.2)  # between two looks at the memory
        until = time.monotonic()
        for history in reads:
            history.end()
    assert not [failure for history in reads for failure in history.failures]
    times = ledger.times | {
        name: [sample for history in reads for sample in history.times[name]] for name in READS
    }
    proven = prove(postgres.url, service, ledger, readers)
    resident = {
        name: trend_of([(at[0], at[which] / MEGABYTE) for at in memory], since=since, until=until)
        for which, name in ((1, "service"), (2, "projections"))
    }
    if not soak:
        return
    taken = {name: trend_of(timed, since=since, until=until) for name, timed in times.items()}
    row.came = (
        "medians of thirds: memory in MB "
        + "; ".join(
            f"{name} {trend} ({trend.slope:+.1f} an hour)" for name, trend in resident.items()
        )
        + "; ms "
        + ", ".join(f"{name} {trend} ({trend.count})" for name, trend in taken.items())
        + f"; {proven}"
    )
    assert not _grown(resident, times=1.05, beyond=5)
    assert not _grown(taken, times=1.5, beyond=10)


def _grown(trends: dict[str, Trend], *, times: float, beyond: float) -> list[str]:
    return [name for name, trend in trends.items() if trend.grew(times=times, beyond=beyond)]
