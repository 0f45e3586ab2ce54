"""Appending one message at a time, each durable before the next: one caller, one connection."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TypeVar

from benchmarks.harness import floor, peer
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import serving
from benchmarks.harness.workload import Workload

ItemT = TypeVar("ItemT")

_WARMUPS = 10


def measure_appends(server: str, workload: Workload, *, runs: int, times: int) -> Case:
    """Return what appends of single messages take; everybody appends the same ones."""
    ours = Figure("`Store.append` in process", "agentlog")
    over_http = Figure("POST …/messages over one kept connection", "agentlog")
    inserted = Figure("INSERT by psycopg, autocommit", "floor")
    health = Figure("GET /healthz over the same connection", "floor")
    recorded = Figure("the library's recorder, insert_events of one event", "peer")
    drafts = workload.drafts(times + _WARMUPS)
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        threads = stack.enter_context(store_on(url)).threads
        threads.append("model", drafts)
        bodies = floor.stored_bodies(url)
        connection = stack.enter_context(connected(url))
        floor.make_table(connection)
        recorder = stack.enter_context(peer.library_recorder(url))
        # on a database of its own: two writers on one have to look before each append
        client = stack.enter_context(serving(stack.enter_context(new_database(server))))
        for number in range(runs):
            thread = f"run-{number}"
            path = f"/v1/threads/{thread}-http/messages"
            own = [replace(body, thread_id=thread) for body in bodies]
            sample_in_turn(
                [
                    (inserted, _one_by_one(own, partial(floor.insert_one, connection))),
                    (ours, _one_by_one(([x] for x in drafts), partial(threads.append, thread))),
                    (over_http, _one_by_one(drafts, partial(client.post, path))),
                    (health, partial(client.get, "/healthz")),
                    (recorded, _one_by_one(own, partial(peer.insert_one, recorder))),
                ],
                times=times,
                warmups=_WARMUPS,
            )
    size = sum(len(body.body) for body in bodies) // len(bodies)
    return Case(
        "Appending one message at a time",
        f"Messages of {size:,} bytes on average, each committed (fsync) before the next. "
        f"Milliseconds; {runs} runs of {times} appends each, in turn.",
        [inserted, health, ours, over_http, recorded],
    )


def _one_by_one(items: Iterable[ItemT], act: Callable[[ItemT], object]) -> Callable[[], object]:
    """Return an action that acts on the next of the items each time."""
    waiting = iter(items)
    return lambda: act(next(waiting))
