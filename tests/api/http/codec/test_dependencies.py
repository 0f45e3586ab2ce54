"""Appends of one event loop go to the writer together, and each is told what came of it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

from agentlog.api.http.codec.bodies import append
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import parse
from agentlog.infrastructure.appending import masks
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following
from tests.api.refusals import problem_in
from tests.infrastructure.appending.holding import held, until_waited_for
from tests.infrastructure.appends import TENANT, Clock, Ids, check_log, last_position
from tests.waiting import WAIT_SECONDS

_FINE = [b'{"type": "reply", "text": "%d"}' % number for number in range(5)]
_OFF = b'{"type": "reply"}'
_LARGE = b'{"type": "reply", "text": "%s"}' % (b"large " * 20_000)


def _read(body: bytes) -> AppendRequest:
    return AppendRequest(TENANT, "t", [parse(body)])


@pytest.fixture(autouse=True)
def _known_mask(threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tenant's mask is known, and so appends are handed over at once, in their order."""
    monkeypatch.setattr(masks, "FRESH_SECONDS", 3600.0)
    assert threads.mask is None


def _append_at_once(threads: Threads, bodies: list[bytes]) -> list[Appended | BaseException]:
    async def go() -> list[Appended | BaseException]:
        asked = [append(threads, body, _read) for body in bodies]
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(go())


def test_each_append_of_a_round_gets_its_own_answer(threads: Threads, database: Database) -> None:
    outcomes = _append_at_once(threads, [*_FINE[:2], _OFF, _LARGE, *_FINE[2:]])
    refused = outcomes.pop(2)
    assert isinstance(refused, InvalidMessage)
    versions = [outcome.version for outcome in outcomes if isinstance(outcome, Appended)]
    assert sorted(versions) == [1, 2, 3, 4, 5, 6]
    small = versions[:2] + versions[3:]
    assert small == sorted(small)  # as they came
    assert last_position(database) == 6


def test_a_writer_that_takes_no_more_says_so(threads: Threads, database: Database) -> None:
    threads.writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=0)
    app = app_over(database, threads)
    with TestClient(app) as client:
        answer = client.post("/v1/threads/t/messages", content=_FINE[0])
    end_following(app)
    problem_in(answer, 503, "writer-overloaded", "0 appends are waiting already")
    assert "retry-after" in answer.headers
    assert last_position(database) == 0


def test_an_append_whose_client_has_gone_is_written_and_takes_no_other_along(
    threads: Threads, database: Database
) -> None:
    async def go() -> Appended:
        gone = asyncio.create_task(append(threads, _FINE[0], _read))
        await asyncio.sleep(0)  # it has been handed in
        gone.cancel()
        return await append(threads, _FINE[1], _read)

    assert asyncio.run(go()).version == 2
    assert last_position(database) == 2


def test_a_loop_that_has_ended_stops_no_other_append(threads: Threads, database: Database) -> None:
    async def leave() -> None:
        asyncio.create_task(append(threads, _FINE[0], _read))  # noqa: RUF006 - nobody waits for it
        await asyncio.sleep(0)

    with held(database):
        asyncio.run(leave())
        until_waited_for(database)
    assert threads.append("t", [{"type": "tick"}]).version == 2
    assert last_position(database) == 2


def test_threads_and_an_event_loop_append_through_one_writer(
    threads: Threads, database: Database
) -> None:
    rounds, callers = 25, 6

    async def go() -> int:
        count = 0
        for _ in range(rounds):
            asked = (append(threads, body, _read) for body in _FINE)
            count += len(await asyncio.gather(*asked))
        return count

    def wait() -> int:
        return sum(len(threads.append("t", [{"type": "tick"}]).messages) for _ in range(rounds))

    with ThreadPoolExecutor(callers) as pool:
        beside = [pool.submit(wait) for _ in range(callers)]
        assert asyncio.run(go()) == rounds * len(_FINE)
        assert [future.result(timeout=WAIT_SECONDS) for future in beside] == [rounds] * callers
    assert last_position(database) == rounds * (len(_FINE) + callers)
    check_log(database)
