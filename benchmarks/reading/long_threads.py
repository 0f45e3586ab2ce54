"""A thread of 100,000 messages over HTTP: pages anywhere in it, its state at any version."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import islice
from random import Random

import psycopg

from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from agentlog.projections.registry import VIEWS
from agentlog.projections.view import StateView
from benchmarks.harness import floor
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn, timed
from benchmarks.harness.folded import wait_until_folded
from benchmarks.harness.service import Client, serving
from benchmarks.harness.workload import Workload

LENGTH = 100_000
"""Messages of the thread."""

_PAGE = 1000
_BATCH = 1000
_COLD_RUNS = 2
_THREAD = "long"
_VIEWS = f"/v1/threads/{_THREAD}/views"
_PAGE_LIMIT = 0.040
_STATE_LIMIT = 0.100
_WHOLE_LIMIT = 1.0
_TARGETS = frozenset({"kernel", "openai", "letta", "timeline"})
_THOUGHT = "The customer gave an order; the policy asks to look it up before anything is promised."

_Read = Callable[[], object]


def measure_long_threads(server: str, workload: Workload, *, runs: int, times: int) -> Case:
    """Return what reads of a thread of `LENGTH` messages take, with snapshots and without."""
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        with store_on(url) as service:
            fill_long_thread(service.threads, workload)
        connection = stack.enter_context(connected(url))
        floor.make_table(connection)
        floor.copy_all(connection, floor.stored_bodies(url))
        connection.execute("ANALYZE")
        client = stack.enter_context(serving(url))
        names = [name for name, view in VIEWS.items() if not issubclass(view, StateView)]
        pages = [_page(client, name) for name in names]
        states = [_state(client, "?history=false"), _state(client, "")]
        wholes = [_whole(client, "views/timeline"), _whole(client, "outline")]
        wait_until_folded(connection, client, version=LENGTH, threads=1)
        client.get(f"{_VIEWS}/agent-state?history=false")
        bodies = (
            Figure(f"SELECT of {_PAGE:,} bodies anywhere by psycopg, in process", "floor"),
            partial(_select_page, connection, Random(_PAGE)),  # noqa: S311 - the same at every run
        )
        for _ in range(runs):
            sample_in_turn([bodies, *pages, states[0]], times=times)
            # tens of megabytes each
            sample_in_turn([*states[1:], *wholes], times=max(times // 10, 5))
        ((log, kept),) = connection.execute(_SIZES).fetchall()
        cold = [_cold(connection, figure.what, read) for figure, read in (*pages, *states, *wholes)]
    return Case(
        f"Reading anywhere in a thread of {LENGTH:,} messages",
        f"{log:,} bytes of messages; pages of {_PAGE:,} items after a random place, the state at a "
        f"random version, over one kept connection to `agentlog serve` on loopback. Snapshots came "
        f"to {kept:,} bytes, those of every view with their index. Milliseconds; {runs} runs of "
        f"{times} requests each, in turn. Cold: no snapshot is there, and the request makes them.",
        [bodies[0], *(figure for figure, _ in (*pages, *states, *wholes)), *cold],
    )


def fill_long_thread(threads: Threads, workload: Workload) -> None:
    """Append a thread `long` of `LENGTH` messages."""
    threads.start(_THREAD, {"policy": "record"})
    drafts = islice(_with_thoughts(workload.drafts(LENGTH)), LENGTH)
    while batch := list(islice(drafts, _BATCH)):
        threads.append(_THREAD, batch)


def _with_thoughts(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield the drafts, a reasoning message before each call: the histories have none."""
    for draft in drafts:
        if draft["type"] == "tool_calls":
            yield {"type": "reasoning", "title": "Next step", "summary": _THOUGHT}
        yield draft


def _page(client: Client, view: str) -> tuple[Figure, _Read]:
    random = Random(view)  # noqa: S311 - the same places at every run

    def read() -> bytes:
        place = f"{random.randint(1, LENGTH - 2 * _PAGE)}.0"
        return client.get(f"{_VIEWS}/{view}?limit={_PAGE}&after={place}")

    limit = _PAGE_LIMIT if view in _TARGETS else None
    return Figure(f"a page of {view}", "agentlog", limit=limit), read


def _state(client: Client, query: str) -> tuple[Figure, _Read]:
    random = Random(query)  # noqa: S311 - the same versions at every run

    def read() -> bytes:
        version = f"at={random.randint(1, LENGTH)}"
        return client.get(f"{_VIEWS}/agent-state{query}{'&' if query else '?'}{version}")

    limit = _STATE_LIMIT if query else None
    return Figure(f"agent-state{query}", "agentlog", limit=limit), read


def _whole(client: Client, path: str) -> tuple[Figure, _Read]:
    read = partial(client.get, f"/v1/threads/{_THREAD}/{path}")
    return Figure(f"all of {path}", "agentlog", limit=_WHOLE_LIMIT), read


def _cold(connection: psycopg.Connection, what: str, read: _Read) -> Figure:
    """Return what a read takes that finds no snapshot."""
    figure = Figure(f"{what}, cold", "agentlog")
    for _ in range(_COLD_RUNS):
        connection.execute("TRUNCATE agentlog.snapshots")
        samples: list[float] = []
        with timed(samples):
            read()
        figure.runs.append(samples)
    return figure


def _select_page(connection: psycopg.Connection, random: Random) -> list[bytes]:
    after = random.randint(1, LENGTH - 2 * _PAGE)
    return floor.select_some(connection, _THREAD, after=after, limit=_PAGE)


_SIZES = (
    "SELECT (SELECT sum(length(body)) FROM floor_events), "
    "pg_total_relation_size('agentlog.snapshots')"
)
