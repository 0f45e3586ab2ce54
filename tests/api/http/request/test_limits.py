"""Limits over HTTP: what is refused says by which setting, others go on, and it ends."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.middleware.rate_limit import Limiter
from agentlog.api.http.request.limits import RequestLimits, TooManyRequests
from agentlog.domain.access import Principal
from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.conninfo import Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.listeners import followed, listening
from tests.api.refusals import problem_in
from tests.clients import TLS
from tests.infrastructure.appends import last_position

MESSAGES = "/v1/threads/t/messages"
TICK = {"type": "tick"}


@pytest.fixture
def app_with(database: Database, threads: Threads) -> Iterator[Callable[..., FastAPI]]:
    """Makes an application with limits of its own."""
    made: list[FastAPI] = []

    def make(**limits: Any) -> FastAPI:
        made.append(app_over(database, threads, limits=RequestLimits(**limits)))
        return made[-1]

    yield make
    for app in made:
        end_following(app)
    empty_keys(database)


AppWith = Callable[..., FastAPI]


def test_an_append_has_no_more_messages_than_it_may(app_with: AppWith, database: Database) -> None:
    with TestClient(app_with(max_batch_messages=3)) as client:
        for body in ([TICK] * 4, {"messages": [TICK] * 4}):
            response = client.post(MESSAGES, json=body)
            problem_in(
                response, 413, "too-many-messages", "the 3 messages", "AGENTLOG_MAX_BATCH_MESSAGES"
            )
        assert last_position(database) == 0
        assert client.post(MESSAGES, json=[TICK] * 3).status_code == 201


def test_too_many_messages_are_refused_before_they_are_parsed(app_with: AppWith) -> None:
    with TestClient(app_with(max_batch_messages=3)) as client:
        for body in ('[{"type": "tick"},1,2,3 no JSON', '{"messages": [[4,5,6,7],1,2,3 no JSON'):
            problem_in(client.post(MESSAGES, content=body), 413, "too-many-messages")
        body = '[{"type": "tick"},1,2 no JSON, , ,'
        problem_in(client.post(MESSAGES, content=body), 413, "too-many-messages")
        body = '{"type": "tick", "a": [1,2,3,4 no JSON'  # these are no messages
        problem_in(client.post(MESSAGES, content=body), 400, "invalid-json")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (MESSAGES, {"type": "vendor.wide", "payload": {"x": [1] * 50}}),
        (MESSAGES, [{"type": "tick", "metadata": {"x": ["", {}]}}] * 5),
        ("/v1/threads", {"threadId": "t", "metadata": {"x": [[]] * 20}}),
        (f"{MESSAGES.removesuffix('/messages')}/annotate", {"metadata": {"x": [{}] * 20}}),
        ("/v1/analytics/sql", {"sql": "SELECT 1", "parameters": [1] * 60}),
    ],
)
def test_a_body_has_no_more_parts_than_it_may(
    app_with: AppWith, database: Database, path: str, body: Any
) -> None:
    with TestClient(app_with(max_json_parts=50)) as client:
        response = client.post(path, json=body)
        problem_in(response, 413, "too-many-parts", "the 50 brackets")
        assert last_position(database) == 0
        text = {"type": "reply", "text": 'one, {"two": [' * 100}
        assert client.post(MESSAGES, json=text).status_code == 201


def test_a_line_has_no_more_parts_than_it_may(app_with: AppWith) -> None:
    messages = ({"type": "vendor.wide", "payload": {"x": [1] * count}} for count in (1, 50))
    lines = [json.dumps({"threadId": "a", "messages": [message]}) for message in messages]
    with TestClient(app_with(max_json_parts=50)) as client:
        answers = client.post("/v1/log", content="\n".join(lines)).text.splitlines()
    first, second = map(parse, answers)
    assert first["appended"]["position"] == 1
    assert second["problem"]["type"] == "urn:agentlog:problem:too-many-parts"


def test_of_very_many_flaws_some_are_told(app_with: AppWith) -> None:
    odd: list[tuple[Any, str]] = [
        ({"type": "input", "files": [{"data": 1}] * 200}, "messages[0]: 200 flaws"),
        ({"type": "tool_calls", "calls": [{}] * 200}, "messages[0]: 400 flaws"),
        ({"type": "tool_calls", "calls": [{}] * 10_001}, "calls: more than 10000 items"),
        ([{"type": "reply"}] * 200, "messages[99].text"),
    ]
    with TestClient(app_with()) as client:
        for body, said in odd:
            response = client.post(MESSAGES, json=body)
            problem_in(response, 422, "invalid-message", said)
            assert len(response.json()["errors"]) <= 100


def test_of_many_lines_only_the_one_that_is_too_long_is_refused(app_with: AppWith) -> None:
    lines = [
        '{"threadId": "a", "messages": [' + ", ".join(['{"type": "tick"}'] * count) + "]}"
        for count in (1, 3, 2)
    ]
    with TestClient(app_with(max_batch_messages=2)) as client:
        answers = client.post("/v1/log", content="\n".join(lines)).text.splitlines()
    first, second, third = map(parse, answers)
    assert second["problem"]["type"] == "urn:agentlog:problem:too-many-messages"
    assert [receipt["appended"]["position"] for receipt in (first, third)] == [1, 3]


def test_who_asks_too_often_is_told_when_to_ask_again(
    app_with: AppWith, database: Database
) -> None:
    with TestClient(app_with(rate_per_second=0.01)) as client:
        assert client.post(MESSAGES, json=TICK).status_code == 201
        for method, path in (("POST", MESSAGES), ("GET", "/v1/threads"), ("GET", "/nowhere")):
            response = client.request(method, path, json=TICK)
            problem_in(response, 429, "too-many-requests", "AGENTLOG_RATE_PER_SECOND")
            assert 90 < int(response.headers["retry-after"]) <= 100
        assert last_position(database) == 1
        for path in ("/healthz", "/readyz", "/metrics"):  # whoever watches is never refused
            assert client.get(path).status_code == 200
        assert 'status="429"' in client.get("/metrics").text


def test_a_key_has_a_rate_of_its_own(app_with: AppWith) -> None:
    app = app_with(rate_per_second=0.01)
    with TestClient(app) as client:
        one, other = (make_key(app, "read", "append") for _ in range(2))
        ask = partial(client.get, "/v1/threads")
        assert ask(headers=bearing(one)).status_code == 200
        problem_in(ask(headers=bearing(one)), 429, "too-many-requests")
        assert ask(headers=bearing(other)).status_code == 200


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("10.0.0.1", "10.0.0.1", False),
        ("10.0.0.1", "10.0.0.2", True),
        ("2001:db8::1", "2001:db8::ffff:2", False),  # one customer's network
        ("2001:db8:0:1::1", "2001:db8:0:2::1", True),
        ("fe80::1%eth0", "fe80::1%eth0", False),
        ("unix", "unix", False),
    ],
)
def test_without_keys_a_network_is_one_caller(first: str, second: str, *, apart: bool) -> None:
    answers = [_scope(client=(host, 1)) for host in (first, second)]
    limiter = _limiter()
    assert [_ask(limiter, answer) for answer in answers] == [200, 200 if apart else 429]


def test_a_key_is_the_caller_wherever_it_is_used() -> None:
    limiter = _limiter()
    key = Principal("a", frozenset(), "k")
    asked = [("10.0.0.1", key), ("10.0.0.2", key), ("10.0.0.1", None)]
    statuses = [
        _ask(limiter, _scope(client=(host, 1), principal=principal)) for host, principal in asked
    ]
    assert statuses == [200, 429, 200]


def test_once_the_time_is_over_there_is_another_request() -> None:
    now = [100.0]
    limiter = _limiter(clock=lambda: now[0])
    asked = _scope(client=("a", 1))
    assert [_ask(limiter, asked), _ask(limiter, asked)] == [200, 429]
    now[0] += 2
    assert _ask(limiter, asked) == 200


@contextmanager
def _opened(address: str, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        streams = [stack.enter_context(listening(address, "/v1/log/events")) for _ in range(count)]
        assert [stream.next().event for stream in streams] == ["event"] * count
        yield


@pytest.mark.parametrize(
    ("limits", "status", "name", "setting"),
    [
        ({"max_streams": 2}, 503, "streams-exhausted", "2 streams"),
        ({"max_streams_per_key": 2}, 429, "too-many-streams", "AGENTLOG_MAX_STREAMS_PER_KEY"),
    ],
)
def test_streams_are_no_more_than_they_may_be_until_one_ends(
    app_with: AppWith, limits: dict[str, int], status: int, name: str, setting: str
) -> None:
    app = app_with(**limits)
    with (
        followed(app) as address,
        httpx2.Client(base_url=address, trust_env=False, timeout=60, verify=TLS) as client,
    ):
        client.post(MESSAGES, json=TICK)
        with _opened(address, 2):
            for path in ("/v1/log/events", "/v1/threads/t/events"):
                response = client.get(path)
                problem_in(response, status, name, setting)
                assert int(response.headers["retry-after"]) > 0
            assert client.get("/v1/threads/t").status_code == 200  # reads go on
            assert client.post(MESSAGES, json=TICK).status_code == 201
        for _ in range(500):  # who has gone is noticed soon
            answer = client.get("/v1/log/events?follow=false")
            if answer.status_code == 200:
                break
        assert answer.status_code == 200
        for _ in range(3):  # what ends by itself leaves its place
            assert client.get("/v1/log/events?follow=false").status_code == 200
            assert client.get("/v1/threads/nobody/events").status_code == 404


def test_streams_of_one_key_leave_room_for_those_of_another(app_with: AppWith) -> None:
    app = app_with(max_streams_per_key=1)
    with (
        followed(app) as address,
        httpx2.Client(base_url=address, trust_env=False, verify=TLS) as client,
    ):
        client.post(MESSAGES, json=TICK)
        one, other = (make_key(app, "read") for _ in range(2))
        with listening(address, "/v1/log/events", headers=bearing(one)) as stream:
            stream.any()
            refused = client.get("/v1/log/events", headers=bearing(one))
            problem_in(refused, 429, "too-many-streams")
            with listening(address, "/v1/log/events", headers=bearing(other)) as neighbour:
                assert neighbour.next().event == "event"


@pytest.mark.parametrize(
    ("timeouts", "name", "setting"),
    [
        (Timeouts(statement_seconds=0.1), "statement-too-long", "AGENTLOG_STATEMENT_SECONDS"),
        (Timeouts(lock_seconds=0.1), "lock-not-granted", "lock_timeout"),
    ],
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/v1/threads"), ("POST", MESSAGES)])
def test_a_statement_that_takes_too_long_is_broken_off_and_says_so(  # noqa: PLR0913, PLR0917 - a table
    database: Database,
    shared_database_url: str,
    timeouts: Timeouts,
    name: str,
    setting: str,
    method: str,
    path: str,
) -> None:
    with Database(shared_database_url, pool_size=4, timeouts=timeouts) as hasty:
        app = app_over(hasty, threads_over(hasty))
        with TestClient(app) as client:
            with database.connection() as connection, connection.transaction():
                connection.execute("LOCK TABLE agentlog.threads, agentlog.counter")
                response = client.request(method, path, json=TICK)
                problem_in(response, 503, name, "due to", setting)
                assert response.headers["retry-after"] == "1"
                assert client.get("/readyz").status_code == 200
            assert client.request(method, path, json=TICK).status_code in {200, 201}
        end_following(app)


def test_the_document_tells_of_them(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path, item in paths.items():
        for operation in item.values():
            answers = operation["responses"]
            assert ("429" in answers) is (path not in {"/healthz", "/readyz", "/metrics"})
            assert ("408" in answers) is ("413" in answers)


def _limiter(**given: Any) -> Limiter:
    return Limiter(RequestLimits(rate_per_second=0.5), **given)


def _scope(*, client: tuple[str, int], principal: Principal | None = None) -> dict[str, Any]:
    return {"path": "/v1/threads", "client": client, "agentlog.principal": principal}


def _ask(limiter: Limiter, scope: dict[str, Any]) -> int:
    try:
        limiter.admit(scope, stream=False)
    except TooManyRequests:
        return 429
    return 200
