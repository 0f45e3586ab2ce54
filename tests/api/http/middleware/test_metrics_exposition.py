"""/metrics on a real server: it counts what happens, tells no ids, and needs no database."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client import openmetrics
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import parser as openmetrics_parser
from prometheus_client.parser import text_string_to_metric_families

from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.subscriptions.terms import terms_of
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.conftest import app_over, threads_over
from tests.api.servers import served
from tests.infrastructure.appends import TENANT, Clock, Ids, given
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS

WAITING = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE NOT granted AND datname = current_database()
"""
MESSAGES = "/v1/threads/{thread_id}/messages"


@pytest.fixture
def remote(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of the application on a server."""
    with served(app) as client:
        yield client


def families(client: httpx2.Client) -> dict[str, Metric]:
    """Return what a scrape says, by name."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    parsed = text_string_to_metric_families(answer.text)
    return {family.name: family for family in parsed}


def value(client: httpx2.Client, name: str, **labels: str) -> float | None:
    """Return one sample of a scrape, None where it is not there."""
    for family in families(client).values():
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    return None


def outcomes(client: httpx2.Client) -> dict[str, float]:
    """Return how many appends had each outcome, of those that any had."""
    samples = families(client)["agentlog_appends"].samples
    return {sample.labels["outcome"]: sample.value for sample in samples if sample.value}


def test_a_scrape_parses_and_names_what_there_is(remote: httpx2.Client) -> None:
    by_name = families(remote)
    assert {
        "agentlog_appends",
        "agentlog_append_seconds",
        "agentlog_writer_queue",
        "agentlog_messages_appended",
        "agentlog_commits",
        "agentlog_commit_seconds",
        "agentlog_batch_requests",
        "agentlog_batch_messages",
        "agentlog_http_requests",
        "agentlog_http_request_seconds",
        "agentlog_pool_size",
        "agentlog_pool_available",
        "agentlog_pool_waiting",
        "agentlog_recent_views_bytes",
        "agentlog_database_up",
        "agentlog_log_position",
        "process_resident_memory_bytes",
        "python_info",
        "python_gc_collections",
    } <= by_name.keys()
    assert all(family.documentation for family in by_name.values())


def test_a_histogram_has_its_bounds_and_no_time_of_its_making(remote: httpx2.Client) -> None:
    remote.post("/v1/threads/t/messages", json={"type": "tick"})
    by_name = families(remote)
    bounds = {
        name: " ".join(
            sample.labels["le"] for sample in by_name[name].samples if "le" in sample.labels
        )
        for name in ("agentlog_append_seconds", "agentlog_batch_messages")
    }
    assert bounds == {
        "agentlog_append_seconds": (
            "0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1.0 2.5 5.0 10.0 +Inf"
        ),
        "agentlog_batch_messages": " ".join([*(f"{2**power}.0" for power in range(11)), "+Inf"]),
    }
    assert not [name for name in by_name if name.endswith("_created")]


def test_scrapes_at_once_do_not_take_each_others_question(app: FastAPI) -> None:
    async def scrape() -> None:
        for _ in range(3):
            assert await app.state.metrics.inquiry.answer() is not None

    async def scrape_at_once() -> None:
        await asyncio.gather(*(scrape() for _ in range(3)))

    asyncio.run(scrape_at_once())


def test_open_metrics_are_told_to_who_accepts_them(remote: httpx2.Client) -> None:
    asked = {"Accept": "application/openmetrics-text; version=1.0.0"}
    remote.post("/v1/threads/t/messages", json={"type": "tick"})
    answer = remote.get("/metrics", headers=asked)
    assert answer.headers["content-type"].startswith(
        openmetrics.exposition.CONTENT_TYPE_LATEST.partition(";")[0]
    )
    parse = openmetrics_parser.text_string_to_metric_families
    parsed = parse(answer.text)  # type: ignore[no-untyped-call]
    assert "agentlog_append_seconds" in {family.name for family in parsed}


def test_appends_count_by_what_came_of_them(remote: httpx2.Client) -> None:
    path, tick = "/v1/threads/t/messages", {"type": "tick", "id": given(1)}
    assert outcomes(remote) == {}
    remote.post(path, json=[tick, {"type": "tick"}])
    assert outcomes(remote) == {"appended": 1}
    remote.post(path, json=tick)
    remote.post(path, json={"type": "reply"})
    remote.post("/v1/log", content=b'{"threadId":"u","messages":[{"type":"tick"}]}\n' * 3)
    assert outcomes(remote) == {"appended": 4, "replayed": 1, "refused": 1}
    assert value(remote, "agentlog_messages_appended_total") == 5
    assert value(remote, "agentlog_append_seconds_count") == 6
    assert value(remote, "agentlog_batch_messages_sum") == 5
    assert value(remote, "agentlog_log_position") == 5


def test_what_the_queue_has_no_room_for_counts_as_overload(database: Database) -> None:
    full = Threads(
        reader=LogReader(database, tenant=TENANT),
        writer=Writer(database, clock=Clock(), new_id=Ids(), capacity=0),
        blobs=Blobs(database, tenant=TENANT),
        tenant=TENANT,
    )
    with served(app_over(database, full)) as remote:
        assert remote.post("/v1/threads/t/messages", json={"type": "tick"}).status_code == 503
        assert outcomes(remote) == {"overloaded": 1}


def test_requests_count_by_the_template_of_their_route(remote: httpx2.Client) -> None:
    for thread in ("a", "b"):
        remote.post(f"/v1/threads/{thread}/messages", json={"type": "tick"})
        remote.get(f"/v1/threads/{thread}/messages")
    remote.post("/v1/threads/a/messages", content=b"nope")
    remote.get("/v1/threads/nobody")
    remote.delete("/v1/threads/a")
    remote.get("/nowhere/at/all")
    remote.get("/docs")
    counted = {
        (sample.labels["method"], sample.labels["route"], sample.labels["status"]): sample.value
        for sample in families(remote)["agentlog_http_requests"].samples
    }
    assert counted == {
        ("POST", MESSAGES, "201"): 2,
        ("GET", MESSAGES, "200"): 2,
        ("POST", MESSAGES, "400"): 1,
        ("GET", "/v1/threads/{thread_id}", "404"): 1,
        ("DELETE", "/v1/threads/{thread_id}", "405"): 1,
        ("GET", "none", "404"): 1,
        ("GET", "/docs", "200"): 1,
    }
    assert value(remote, "agentlog_http_request_seconds_count", route=MESSAGES, method="POST") == 3


def test_labels_carry_no_ids(remote: httpx2.Client) -> None:
    remote.post("/v1/threads", json={"threadId": "secret-1", "goal": "secret"})
    remote.post("/v1/threads/secret-1/messages", json={"type": "vendor.secret"})
    remote.get("/v1/threads/secret-1/views/secret?at=@secret")
    remote.get("/secret/2")
    remote.request("PROPFIND", "/v1/threads/secret-1")
    text = remote.get("/metrics").text
    assert "secret" not in text
    assert "PROPFIND" not in text


def test_who_follows_the_log_is_counted(remote: httpx2.Client) -> None:
    assert value(remote, "agentlog_followers") == 0
    remote.post("/v1/threads/t/messages", json={"type": "tick"})
    with remote.stream("GET", "/v1/log/events") as stream:
        pieces = stream.iter_bytes()  # held: the stream ends with it
        next(pieces)
        assert value(remote, "agentlog_followers") == 1


def test_each_projection_tells_how_far_it_is_behind(own_database: Database) -> None:
    (model, *_) = READ_MODELS.values()
    lag = partial(value, name="agentlog_projection_lag_events", projection=model.name)
    with served(app_over(own_database, threads_over(own_database))) as remote:
        assert lag(remote) is None
        remote.post("/v1/threads/t/messages", json=[{"type": "tick"}, {"type": "tick"}])
        with own_database.connection() as connection:
            (number,) = builds.at_work(connection, model)
            assert lag(remote) == 2
            Projection(model, number).step(connection)
        assert lag(remote) == 0


def test_lags_that_cannot_be_had_are_left_out(own_database: Database) -> None:
    with served(app_over(own_database, threads_over(own_database))) as remote:
        with own_database.connection() as connection:
            connection.execute("ALTER TABLE agentlog.projections RENAME TO elsewhere")
        assert value(remote, "agentlog_database_up") == 1
        assert families(remote)["agentlog_projection_lag_events"].samples == []


def test_without_its_database_a_service_tells_what_it_knows_itself(own_database: Database) -> None:
    with (
        Relay(own_database._conninfo) as relay,
        Database(relay.url, pool_size=2, wait_seconds=0.2) as cut_off,
        served(app_over(cut_off, threads_over(cut_off))) as remote,
    ):
        remote.post("/v1/threads/t/messages", json={"type": "tick"})
        assert value(remote, "agentlog_database_up") == 1
        relay.cut()
        assert remote.post("/v1/threads/t/messages", json={"type": "tick"}).status_code == 503
        by_name = families(remote)
        assert by_name["agentlog_database_up"].samples[0].value == 0
        assert "agentlog_log_position" not in by_name
        assert outcomes(remote) == {"appended": 1, "failed": 1}


def test_a_database_that_says_nothing_holds_up_neither_metrics_nor_others(
    own_database: Database,
) -> None:
    app = app_over(own_database, threads_over(own_database))
    with served(app) as remote, ThreadPoolExecutor(3) as pool:
        with own_database.connection() as holder, holder.transaction():
            holder.execute("LOCK TABLE agentlog.counter IN ACCESS EXCLUSIVE MODE")
            scrapes = [pool.submit(value, remote, "agentlog_database_up") for _ in range(3)]
            assert remote.get("/healthz").status_code == 200
            assert [scrape.result(timeout=WAIT_SECONDS) for scrape in scrapes] == [0, 0, 0]
            assert holder.execute(WAITING).fetchone() == (1,)  # one question, asked once
        assert value(remote, "agentlog_database_up") == 1


def test_webhooks_that_fail_and_deliveries_that_wait_are_counted(own_database: Database) -> None:
    threads, subscriptions = threads_over(own_database), Subscriptions(own_database, tenant=TENANT)
    for name in ("failing", "paused", "well"):
        webhook: JsonObject = {"url": "https://example.com/"}
        terms = terms_of({"name": name, "from": "start", "webhook": webhook})
        subscriptions.create(terms, secret=b"secret")
    subscriptions.note_failure("failing", patience_days=1)
    subscriptions.pause("paused", why="it answered 410")
    subscriptions.create(terms_of({"name": "pulled", "from": "start", "maxAttempts": 1}))
    threads.append("t", [{"type": "tick"}] * 3)
    queue = Queue(
        own_database, subscriptions, LogReader(own_database, tenant=TENANT), tenant=TENANT
    )
    lease = queue.pull("pulled", limit=1, seconds=60)
    assert lease is not None
    queue.refuse("pulled", lease.id, error="no", seconds=0)
    names = ("webhooks_failing", "webhooks_paused", "deliveries_pending", "deliveries_parked")
    with served(app_over(own_database, threads)) as remote:
        assert [value(remote, f"agentlog_{name}") for name in names] == [1, 1, 2, 1]
