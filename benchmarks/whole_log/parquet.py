"""Exporting a big log as Parquet: all of it, what has come since, and nothing."""

import time
from collections.abc import Sequence
from pathlib import Path

from agentlog.extensions.dataset.export import TABLES, export_dataset
from agentlog.extensions.dataset.schema import EVENTS
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels.catch_up import bring_up
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.projections.readmodels.registry import READ_MODELS
from benchmarks.harness.big_log import make_big_log
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload

_LEAST_PER_SECOND = 20_000
_AIM_PER_SECOND = 100_000
_TENANT = "default"
_NEW_EVENTS = 1000


def measure_parquet(server: str, workload: Workload, scratch: Path, *, events: int) -> Table:
    """Export a big log that read models have been made of, then what is new."""
    folder = scratch / "dataset"
    with (
        new_database(server) as url,
        Database(url, pool_size=4) as database,
        Listener(database) as listener,
    ):
        count = make_big_log(url, workload, events=events, measured=True)
        projection_status = ProjectionStatus(database, listener)
        names = list(READ_MODELS)
        bring_up(database, projection_status, names, position=count, progress=lambda *_: None)

        def seconds(tables: Sequence[str]) -> float:
            began = time.perf_counter()
            export_dataset(database, projection_status, str(folder), tenant=_TENANT, tables=tables)
            return time.perf_counter() - began

        floor = _copied(url)
        of_events = seconds([EVENTS])
        of_tables = seconds(names)
        of_nothing = seconds(TABLES)
        _append(url)
        bring_up(
            database, projection_status, names, position=_position(url), progress=lambda *_: None
        )
        of_little = seconds(TABLES)
        size = sum(path.stat().st_size for path in folder.glob("*/*/*.parquet"))
        body_bytes = _body_bytes(url)
    rate = count / of_events
    all_rate = count / (of_events + of_tables)
    rows = [
        ("COPY of the events, thrown away (floor)", f"{count / floor:,.0f} events/s", ""),
        ("events", f"{rate:,.0f} events/s", _verdict(rate)),
        ("events and all read models", f"{all_rate:,.0f} events/s", _verdict(all_rate)),
        (f"{_NEW_EVENTS:,} events more, and the days they changed", f"{of_little:.2f} s", ""),
        ("nothing new", f"{of_nothing:.2f} s", ""),
        ("bytes of all files, an event", f"{size / count:,.0f}", ""),
    ]
    return Table(
        title=f"Parquet export of {count:,} events",
        about=f"{body_bytes / count:,.0f} bytes an event as appended; one run, read models up to "
        f"date before it. At least {_LEAST_PER_SECOND:,} events a second, aim {_AIM_PER_SECOND:,}.",
        headings=("what", "measured", ""),
        rows=rows,
        figures={
            "events": count,
            "bytes": size,
            "floorPerSecond": count / floor,
            "eventsPerSecond": rate,
            "allPerSecond": all_rate,
            "incrementalSeconds": of_little,
            "nothingSeconds": of_nothing,
        },
    )


def _copied(url: str) -> float:
    began = time.perf_counter()
    with connected(url) as connection, connection.cursor() as cursor:
        statement = (
            "COPY (SELECT * FROM agentlog.events ORDER BY position) TO STDOUT (FORMAT binary)"
        )
        with cursor.copy(statement) as copy:
            for _ in copy:
                pass
    return time.perf_counter() - began


def _append(url: str) -> None:
    with store_on(url) as service:
        replies = [{"type": "reply", "text": str(number)} for number in range(_NEW_EVENTS)]
        service.threads.append("new", replies)


def _position(url: str) -> int:
    return _number(url, b"SELECT position FROM agentlog.counter")


def _body_bytes(url: str) -> int:
    cut = b"(SELECT sum(length(content)) FROM agentlog.blobs WHERE blobs.sha256 = cut.sha256)"
    return _number(
        url,
        b"WITH cut AS (SELECT substr(cuts, place * 36 + 5, 32) AS sha256, count(*) AS times "
        b"FROM agentlog.events, generate_series(0, length(cuts) / 36 - 1) AS place GROUP BY 1) "
        b"SELECT (SELECT sum(length(body)) FROM agentlog.events)::bigint "
        b"+ coalesce(sum(times * " + cut + b"), 0)::bigint FROM cut",
    )


def _number(url: str, query: bytes) -> int:
    with connected(url) as connection:
        row = connection.execute(query).fetchone()
    return 0 if row is None else int(row[0])


def _verdict(rate: float) -> str:
    return (
        "aim met" if rate >= _AIM_PER_SECOND else "met" if rate >= _LEAST_PER_SECOND else "missed"
    )
