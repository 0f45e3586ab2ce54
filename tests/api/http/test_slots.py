"""Queries of many tenants' analysts at once: nobody else waits for them."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import psycopg
import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following
from tests.api.keyholders import bearing, make_key
from tests.api.servers import served
from tests.infrastructure.appends import reply
from tests.waiting import until


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


SLEEPING = """
SELECT usename, count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event = 'PgSleep' GROUP BY 1
"""


@pytest.mark.parametrize("most_in_all", [16, 100])  # fewer, and more than threads that all share
def test_no_number_of_tenants_and_queries_makes_others_wait(
    database: Database, threads: Threads, most_in_all: int
) -> None:
    app = app_over(database, threads, analyst_queries_in_all=most_in_all)
    threads.append("t", [reply("hi")])
    tenants = [f"tenant-{number}" for number in range(11)]
    keys = [make_key(app, tenant=tenant) for tenant in tenants for _ in range(4)]
    ours = bearing(make_key(app))
    with (
        served(app) as remote,
        ThreadPoolExecutor(len(keys)) as pool,
        psycopg.connect(database._conninfo, autocommit=True) as owner,
    ):
        query = {"sql": "SELECT pg_sleep(:seconds)", "parameters": {"seconds": 5}}
        asking = [
            pool.submit(remote.post, "/v1/analytics/sql", json=query, headers=bearing(key))
            for key in keys
        ]
        until(lambda: len(owner.execute(SLEEPING).fetchall()) > 5)
        seconds = []
        for path in ("/readyz", "/v1/threads/t", "/v1/threads/t/views/kernel", "/v1/log") * 5:
            began = time.monotonic()
            assert remote.get(path, headers=ours).status_code == 200
            seconds.append(time.monotonic() - began)
        running: dict[str, int] = dict(owner.execute(SLEEPING).fetchall())
        statuses = Counter(future.result().status_code for future in asking)
    assert median(seconds) < 1  # a busy machine; a query takes five
    assert max(seconds) < 4
    assert sum(running.values()) <= most_in_all
    assert max(running.values()) <= 4
    assert set(statuses) <= {200, 429, 503}
    assert statuses[200] >= 8
    end_following(app)
