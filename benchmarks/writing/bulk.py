"""Many messages at once, and what they take on disk."""

import time
from itertools import islice
from statistics import median

import psycopg

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.messages import chat
from agentlog.projections.readmodels.registry import READ_MODELS
from benchmarks.harness import floor
from benchmarks.harness.databases import connected, fill_read_models, new_database, store_on
from benchmarks.harness.rates import Aim, Rate, Run, aims_table, rate_table
from benchmarks.harness.service import run_agentlog
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload
from benchmarks.writing.imports import copy_bodies, import_in_process

_BATCH_THREADS = 70  # about 2,000 messages, as the importer does


def measure_bulk(server: str, workload: Workload, *, runs: int) -> list[Table]:
    """Return how many messages a second come in in bulk, each run into an empty database."""
    copied = Rate("binary COPY of the same bytes, one transaction", "floor")
    appended = Rate("`Store.append_many`, messages as the log has them", "agentlog")
    imported = Rate("the importer, from the file on OpenAI's wire", "agentlog")
    events = size = 0
    for _ in range(runs):
        with new_database(server) as url:
            (taken,) = import_in_process(url, workload)
            bodies = floor.stored_bodies(url)
            events, size = len(bodies), sum(len(body.body) for body in bodies)
            imported.runs.append(Run(events / taken))
        with new_database(server) as url:
            (taken,) = copy_bodies(url, bodies)
            copied.runs.append(Run(events / taken))
        with new_database(server) as url, store_on(url) as service:
            appended.runs.append(_appended(service.threads, workload))
    return [
        rate_table(
            "In bulk",
            f"`{workload.name}`: {events:,} events of {size:,} bytes. {runs} runs, in turn.",
            [copied, appended, imported],
            beside={"binary COPY": copied},
        ),
        aims_table(
            "What is asked of it in bulk",
            [
                Aim("the importer", median(imported.times(copied)), 0.15, 0.3, "times COPY"),
                Aim("`append_many`", median(appended.times(copied)), 0.15, 0.3, "times COPY"),
            ],
        ),
    ]


def measure_disk(server: str, workload: Workload) -> list[Table]:
    """Return what the histories take on disk, beside the bytes that they were given as."""
    given = sum(len(print_bytes(item)) for record in workload.records for item in record["traj"])
    with new_database(server) as url:
        with store_on(url), connected(url) as connection:
            empty = _database_size(connection)
        import_in_process(url, workload)
        with connected(url) as connection:
            log = _database_size(connection)
        fill_read_models(url, READ_MODELS.values())
        with connected(url) as connection:
            whole = _database_size(connection)
            parts = connection.execute(_PARTS).fetchall()
            bodies, stored = connection.execute(_BODIES).fetchone() or (0, 0)
    with new_database(server) as url:
        import_in_process(url, workload)
        rebuilt_log = _rebuilt_size(url)
        fill_read_models(url, READ_MODELS.values())
        rebuilt = _rebuilt_size(url)
    ours = sum(size for _, _, size in parts)
    lines = [
        ("the log, less an empty database", log - empty),
        ("with all read models and search", whole - empty),
        ("the log after `agentlog vacuum`", rebuilt_log - empty),
        ("with all read models and search, after it", rebuilt - empty),
        ("agentlog's tables and indexes", ours),
        *((f"{kind} `{name}`", size) for name, kind, size in parts),
        ("of it bodies, as bytes of JSON", bodies),
        ("of it bodies, as stored", stored),
    ]
    return [
        Table(
            "On disk",
            f"{workload.messages:,} messages, {given:,} bytes of JSON without a space as they were "
            f"given; an empty database of agentlog's takes {empty:,} bytes.",
            ["what", "bytes", "a message", "times given"],
            [
                [what, f"{n:,}", f"{n / workload.messages:,.0f}", f"{n / given:.2f}"]
                for what, n in lines
            ],
            [{"what": what, "bytes": n, "timesGiven": n / given} for what, n in lines],
        ),
        aims_table(
            "What is asked of it on disk",
            [
                Aim("the log", (log - empty) / given, 1.5, 1.0, "times given"),
                Aim("all of it", (whole - empty) / given, 3.5, 2.5, "times given"),
            ],
        ),
    ]


def _appended(threads: Threads, workload: Workload) -> Run:
    reader = chat.READER
    requests = [
        threads.request(f"airline-{number}", list(reader.read(items)))
        for number, items in enumerate(islice(workload.histories(), len(workload.records)))
    ]
    return Run(_append_all(threads, requests))


def _append_all(threads: Threads, requests: list[AppendRequest]) -> float:
    """Return how many messages a second were written."""
    began = time.perf_counter()
    for start in range(0, len(requests), _BATCH_THREADS):
        for outcome in threads.append_many(requests[start : start + _BATCH_THREADS]):
            if isinstance(outcome, AgentlogError):
                raise outcome
    taken = time.perf_counter() - began
    return sum(len(request.drafts) for request in requests) / taken


def _database_size(connection: psycopg.Connection) -> int:
    connection.execute("VACUUM")
    connection.execute("CHECKPOINT")
    row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return 0 if row is None else int(row[0])


def _rebuilt_size(url: str) -> int:
    """Return the database's size once its indexes are built anew."""
    run_agentlog(["vacuum"], url=url)
    with connected(url) as connection:
        return _database_size(connection)


_PARTS = """
SELECT relname, kind, bytes FROM (
    SELECT relname, 'table' AS kind, pg_table_size(oid)::bigint AS bytes
    FROM pg_class WHERE relnamespace::regnamespace::text ~ '^agentlog' AND relkind = 'r'
    UNION ALL
    SELECT relname, 'index', pg_relation_size(oid)::bigint
    FROM pg_class WHERE relnamespace::regnamespace::text ~ '^agentlog' AND relkind = 'i'
) AS parts WHERE bytes > 65536 ORDER BY bytes DESC
"""
_BODIES = """
SELECT sum(octet_length(agentlog.body_of(tenant, body, cuts)))::bigint,
       sum(pg_column_size(body) + coalesce(pg_column_size(cuts), 0))::bigint
       + (SELECT sum(pg_column_size(content)) FROM agentlog.blobs)::bigint
FROM agentlog.events
"""
