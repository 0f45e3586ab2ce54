"""Appends of one event loop go to the writer together, and each is told what came of it."""

import asyncio
import threading
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from api.http.appending import append
from api.http.exchange import Exchange
from domain.errors import InvalidMessage
from domain.json_text import parse
from infrastructure.database import Database
from infrastructure.entries import WriterOverloaded
from infrastructure.requests import Appended, AppendRequest, Outcomes
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.api.conftest import app_over, end_following
from tests.api.refusals import problem_in
from tests.infrastructure.appends import TENANT, Clock, Ids, last_position
from tests.waiting import soon

_FINE = [b'{"type": "reply", "text": "%d"}' % number for number in range(5)]
_OFF = b'{"type": "reply"}'
_LARGE = b'{"type": "reply", "text": "%s"}' % (b"large " * 20_000)


def _append_at_once(store: Store, bodies: list[bytes]) -> list[Appended | BaseException]:
    def read(body: bytes) -> AppendRequest:
        return AppendRequest(TENANT, "t", [parse(body)])

    async def go() -> list[Appended | BaseException]:
        asked = [append(store, body, read) for body in bodies]
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(go())


def test_each_append_of_a_round_gets_its_own_answer(store: Store, database: Database) -> None:
    outcomes = _append_at_once(store, [*_FINE[:2], _OFF, _LARGE, *_FINE[2:]])
    refused = outcomes.pop(2)
    assert isinstance(refused, InvalidMessage)
    versions = [each.version for each in outcomes if isinstance(each, Appended)]
    assert sorted(versions) == [1, 2, 3, 4, 5, 6]
    small = versions[:2] + versions[3:]
    assert small == sorted(small)  # as they came
    assert last_position(database) == 6


def test_a_writer_that_takes_no_more_says_so(store: Store, database: Database) -> None:
    store.writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=0)
    app = app_over(database, store)
    with TestClient(app) as client:
        answer = client.post("/v1/threads/t/messages", content=_FINE[0])
    end_following(app)
    problem_in(answer, 503, "writer-overloaded", "0 appends are waiting already")
    assert "retry-after" in answer.headers
    assert last_position(database) == 0


@pytest.mark.parametrize("capacity", [8, 0])
def test_one_that_cannot_be_told_takes_no_other_along(
    database: Database, caplog: pytest.LogCaptureFixture, capacity: int
) -> None:
    writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=capacity)
    told: list[Outcomes] = []

    def failing(_: Outcomes) -> None:
        raise ZeroDivisionError

    async def go() -> None:
        exchange = Exchange()
        for number, settle in enumerate((failing, told.append, failing, told.append)):
            exchange.ask(writer, AppendRequest(TENANT, f"t{number}", [parse(_FINE[0])]), settle)
        await soon(lambda: len(told) == 2)

    asyncio.run(go())
    assert len([each for each in caplog.records if each.exc_info]) == 2
    assert [isinstance(each, WriterOverloaded) for each in told] == [capacity == 0] * 2


def test_who_comes_upon_a_loop_that_has_ended_is_not_stopped_by_it(
    store: Store, database: Database
) -> None:
    woken: list[Callable[[], object]] = []

    async def go() -> None:
        with Exchange().driving(store.writer):
            assert store.writer._driver is not None
            woken.append(store.writer._driver.wake)

    asyncio.run(go())
    woken[0]()  # as one whom the interpreter was taken away from meanwhile
    assert store.append("t", [{"type": "tick"}]).version == 1
    assert last_position(database) == 1


def test_a_loop_that_drives_the_writer_commits_by_itself(store: Store, database: Database) -> None:
    for number in range(2):
        store.append("t", [{"type": "tick"}] * (number + 1))
    told: list[tuple[Outcomes, str]] = []

    def settle(outcomes: Outcomes) -> None:
        told.append((outcomes, threading.current_thread().name))

    async def go() -> None:
        exchange = Exchange()
        with exchange.driving(store.writer):
            for number in range(1, 6):
                for body in _FINE:
                    exchange.ask(store.writer, AppendRequest(TENANT, "t", [parse(body)]), settle)
                await soon(lambda: len(told) == number * 5)  # noqa: B023 - it is over by then
            beside = asyncio.to_thread(store.append, "t", [{"type": "tick"}])
            assert (await beside).version == 29
        exchange.ask(store.writer, AppendRequest(TENANT, "t", [parse(_FINE[0])]), settle)
        await soon(lambda: len(told) == 26)

    asyncio.run(go())
    assert not [outcomes for outcomes, _ in told if isinstance(outcomes, BaseException)]
    assert {by for _, by in told} == {threading.current_thread().name}
    assert last_position(database) == 30
