"""Search over a big log: pages of hits over HTTP, and what its index costs appends."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import count
from statistics import median
from typing import LiteralString
from urllib.parse import urlencode

import psycopg
from psycopg.rows import TupleRow

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projector_process import projector_process
from agentlog.infrastructure.settings import default_data_dir
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readmodels.message_words import MessageWords
from benchmarks.harness.big_log import make_big_log
from benchmarks.harness.callers import Act, run_callers
from benchmarks.harness.databases import connected, fill_read_models, new_database, store_on
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.rates import Aim, Rate, aims_table, rate_table
from benchmarks.harness.service import serving
from benchmarks.harness.table import Section
from benchmarks.harness.workload import Workload

_LIMIT = 0.1
_CALLERS = 64
_THREADS = 500

_WHAT = {
    "a passenger's id": {"q": "mia_li_3668"},
    "a word of a third of all messages": {"q": "flight"},
    "a word of half of all messages": {"q": "to"},
    "a beginning of many words": {"q": "c"},
    "a word that is nowhere": {"q": "xyzzy"},
    "two words": {"q": "certificate refund"},
    "a phrase": {"q": '"gift card"'},
    "a word, of users": {"q": "refund", "where": "role:user"},
    "a word, in one thread": {"q": "flight", "filter": "thread:airline-3"},
    "a word, of some metadata": {"q": "flight", "filter": "metadata.reward:1"},
    "a tool": {"where": "tool:get_user_details"},
    "a word, deep in the log": {"q": "flight", "after": "1000"},
    "a word, before a time": {"q": "flight", "to": "2026-01-02"},
}

_BESIDE = (
    "a word of half of all messages",
    "a word of a third of all messages",
    "a word that is nowhere",
)
_FLOOR: tuple[LiteralString, ...] = (
    (
        "CREATE TABLE floor_words AS SELECT position, thread_id, version, "
        "convert_from(agentlog.body_of(tenant, body, cuts), 'UTF8') AS body FROM agentlog.events"
    ),
    (
        "ALTER TABLE floor_words ADD PRIMARY KEY (thread_id, version), ADD words tsvector "
        "GENERATED ALWAYS AS (to_tsvector('simple', left(body, 100000))) STORED"
    ),
    "CREATE INDEX ON floor_words USING gin (words)",
)
_LOOK_UP = (
    "SELECT thread_id, version, body FROM floor_words "
    "WHERE words @@ plainto_tsquery('simple', %s) ORDER BY position DESC LIMIT 20"
)


def measure_search(  # noqa: PLR0913 - what a run is of
    server: str, workload: Workload, *, runs: int, times: int, seconds: float, events: int
) -> list[Section]:
    """Return what pages of hits take, and how many appends a second there are beside the index."""
    return [
        _pages(server, workload, runs=runs, times=times, events=events),
        *_appends(server, workload, runs=runs, seconds=seconds),
    ]


def _pages(server: str, workload: Workload, *, runs: int, times: int, events: int) -> Case:
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        audits = make_big_log(url, workload, events=events, measured=True)
        fill_read_models(url, [MessageWords()])
        connection = stack.enter_context(connected(url))
        _make_floor(connection)
        connection.execute("VACUUM ANALYZE")
        client = stack.enter_context(serving(url))
        actions: list[tuple[Figure, Callable[[], object]]] = [
            (
                Figure("GET /healthz, which reads nothing", "floor"),
                partial(client.get, "/healthz"),
            ),
            *(
                (
                    Figure(f"{what}, by SQL from a `tsvector` in process", "floor"),
                    partial(_look_up, connection, _WHAT[what]["q"]),
                )
                for what in _BESIDE
            ),
            *(
                (
                    Figure(what, "agentlog", limit=_LIMIT),
                    partial(client.get, f"/v1/search?{urlencode(query)}"),
                )
                for what, query in _WHAT.items()
            ),
        ]
        for _ in range(runs):
            sample_in_turn(actions, times=times)
    return Case(
        f"Search over {audits:,} messages",
        f"Pages of 20 hits over one kept connection to `agentlog serve`. Milliseconds; {runs} runs "
        f"of {times}, in turn.",
        [figure for figure, _ in actions],
    )


def _make_floor(connection: psycopg.Connection) -> None:
    """Make a table of the same bodies with their words, by PostgreSQL alone."""
    for statement in _FLOOR:
        connection.execute(statement)


def _look_up(connection: psycopg.Connection, text: str) -> list[TupleRow]:
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(_LOOK_UP, (text,)).fetchall()


def _appends(server: str, workload: Workload, *, runs: int, seconds: float) -> list[Section]:
    without = Rate(f"`Store.append`, {_CALLERS} callers, without the index", "floor")
    beside = Rate(f"`Store.append`, {_CALLERS} callers, with it", "agentlog")
    drafts = workload.lone_drafts()
    with ExitStack() as stack:
        stores: list[tuple[Rate, Threads]] = []
        for rate in (without, beside):
            url = stack.enter_context(new_database(server))
            service = stack.enter_context(store_on(url))
            if rate is without:
                _pause(url)
            stack.enter_context(projector_process(url, default_data_dir()))
            stores.append((rate, service.threads))
        for number in range(runs):
            for rate, threads in stores:
                act = partial(_act, threads, drafts, f"run-{number}", count())
                rate.runs.append(run_callers(_CALLERS, act, seconds=seconds))
    return [
        rate_table(
            "Appends beside the index of words",
            "All other read models are filled in both cases, in a process of their own; "
            f"{runs} runs of {seconds:g} s each, in turn.",
            [without, beside],
            beside={"without": without},
        ),
        aims_table(
            "What is asked of it",
            [Aim("appends a second", median(beside.times(without)), 0.9, 0.97, "times without")],
        ),
    ]


def _pause(url: str) -> None:
    with Database(url, pool_size=1) as database, database.connect() as connection:
        builds.at_work(connection, MessageWords())
    with connected(url) as connection:
        builds.set_paused(connection, MessageWords().name, paused=True)


def _act(
    threads: Threads, drafts: list[Draft], prefix: str, numbers: "count[int]", caller: int
) -> Act:
    del caller  # they share the threads

    def act() -> None:
        number = next(numbers)
        threads.append(f"{prefix}-{number % _THREADS}", [drafts[number % len(drafts)]])

    return act
