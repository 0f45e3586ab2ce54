"""Reading a long thread over HTTP: every view, any version, a page of the list."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from random import Random

import psycopg

from agentlog.projections.registry import VIEWS
from benchmarks.harness import floor, peer
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn, timed
from benchmarks.harness.folded import wait_until_folded
from benchmarks.harness.service import Client, serving
from benchmarks.harness.workload import Workload

LENGTH = 1000
"""Messages of the thread."""

_THREADS = 30
"""Threads of that many messages: more than the service remembers views of."""

_THREAD = "long-0"
_PATH = f"/v1/threads/{_THREAD}"
_LIMIT = 0.020
_PAGE = 100
_MIDDLE = 50

_Action = Callable[[], object]


def measure_views(server: str, workload: Workload, *, runs: int, times: int) -> Case:
    """Return what reads of a thread of `LENGTH` messages take."""
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        with store_on(url) as service:
            drafts = workload.drafts(LENGTH)
            for number in range(_THREADS):
                service.threads.append(f"long-{number}", drafts)
        connection = stack.enter_context(connected(url))
        recorder = stack.enter_context(peer.library_recorder(url))
        bodies = [body for body in floor.stored_bodies(url) if body.thread_id == _THREAD]
        peer.insert_all(recorder, bodies)
        floor.make_table(connection)
        floor.copy_all(connection, bodies)
        client = stack.enter_context(serving(url))
        actions: list[tuple[Figure, _Action]] = [
            (
                Figure("SELECT of its bodies by psycopg, in process", "floor"),
                partial(floor.select_thread, connection, _THREAD),
            ),
            (
                Figure(f"{_MIDDLE} bodies from the middle by SELECT, in process", "floor"),
                partial(floor.select_some, connection, _THREAD, after=LENGTH // 2, limit=_MIDDLE),
            ),
            (
                Figure("GET /healthz, which reads nothing", "floor"),
                partial(client.get, "/healthz"),
            ),
            *_reads(client),
            (
                Figure("the library's select_events and transcoder, in process", "peer"),
                partial(peer.read_thread, recorder, _THREAD),
            ),
        ]
        wait_until_folded(connection, client, version=LENGTH, threads=_THREADS)
        for _ in range(runs):
            sample_in_turn(actions, times=times)
        cold = _cold_reads(connection, client, runs=runs)
    size = sum(len(body.body) for body in bodies)
    return Case(
        f"Reading a thread of {LENGTH:,} messages",
        f"{size:,} bytes of messages; whole views, over one kept connection to `agentlog serve` "
        f"on loopback unless it says in process. Milliseconds; {runs} runs of {times} requests "
        "each, in turn. Afresh: each request reads another thread, of which the service remembers "
        "no view, but has folded it ahead; again: one that it does remember. Cold: there are no "
        f"snapshots; each of {_THREADS} threads once a run, while those of the view before are "
        "being made.",
        [*(figure for figure, _ in actions), *cold],
    )


def _cold_reads(connection: psycopg.Connection, client: Client, *, runs: int) -> list[Figure]:
    """Return what reads take that find no snapshot."""
    figures = {name: Figure(f"GET …/views/{name}, cold", "agentlog") for name in VIEWS}
    for _ in range(runs):
        connection.execute("TRUNCATE agentlog.snapshots")
        for figure in figures.values():
            figure.runs.append([])
        for number in range(_THREADS):
            for name, figure in figures.items():
                with timed(figure.runs[-1]):
                    client.get(f"/v1/threads/long-{number}/views/{name}")
    return list(figures.values())


def _reads(client: Client) -> list[tuple[Figure, _Action]]:
    figures: list[tuple[Figure, _Action]] = []
    for name in VIEWS:
        again = partial(client.get, f"{_PATH}/views/{name}")
        figures += [
            (_of_ours(f"GET …/views/{name}, afresh"), _afresh(client, name)),
            (_of_ours(f"GET …/views/{name}, again"), again),
        ]
    random = Random(LENGTH)  # noqa: S311 - the same versions at every run

    def state_at_any_version() -> bytes:
        return client.get(f"{_PATH}/views/agent-state?at={random.randint(1, LENGTH)}")

    figures += [
        (_of_ours("GET …/views/agent-state?at=, any version"), state_at_any_version),
        (
            _of_ours(f"GET …/messages, the last {_PAGE}"),
            partial(client.get, f"{_PATH}/messages?after={LENGTH - _PAGE}&limit={_PAGE}"),
        ),
        (
            _of_ours(f"GET …/messages, {_MIDDLE} from the middle"),
            partial(client.get, f"{_PATH}/messages?after={LENGTH // 2}&limit={_MIDDLE}"),
        ),
        (
            _of_ours(f"GET …/messages, all {LENGTH:,}"),
            partial(client.get, f"{_PATH}/messages?limit={LENGTH}"),
        ),
    ]
    return figures


def _afresh(client: Client, name: str) -> _Action:
    numbers = cycle(range(1, _THREADS))
    return lambda: client.get(f"/v1/threads/long-{next(numbers)}/views/{name}")


def _of_ours(what: str) -> Figure:
    return Figure(what, "agentlog", limit=_LIMIT)
