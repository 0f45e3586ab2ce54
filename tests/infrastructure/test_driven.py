"""A writer that an event loop drives: step by step, or by its own thread where that does not do."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from domain.errors import AgentlogError, InvalidMessage
from infrastructure.database import Database
from infrastructure.requests import AppendRequest, Outcomes
from infrastructure.writer import Writer
from tests.infrastructure.appends import (
    calls,
    check_log,
    given,
    last_position,
    reply,
    request,
    results,
)
from tests.infrastructure.driving import WAIT_SECONDS, Told, drive, hand_in
from tests.infrastructure.holding import held, until_waited_for
from tests.waiting import until


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its connections are ended, and its log held."""
    return own_database


def _free(writer: Writer) -> bool:
    """Tell whether the writer can be driven: nobody has it."""
    told = hand_in(writer, request("free", reply("?")))
    drive(writer, writer.set_out())
    return told.is_there


def test_who_drives_commits_and_tells(begun: Writer, database: Database) -> None:
    told = [hand_in(begun, request("t", reply(f"{number}"))) for number in range(3)]
    assert not any(each.is_there for each in told)
    drive(begun, begun.set_out())
    assert [each.versions for each in told] == [[4], [5], [6]]
    assert {each.by for each in told} == {threading.current_thread().name}
    check_log(database)


@pytest.mark.parametrize(
    "asked",
    [
        [request("t", reply("alone"))],
        [request("new", reply("the first of its thread"))],
        [request("new", reply("one")), request("newer", reply("one")), request("t", reply("4"))],
        [request("t", calls("a"), results("a")), request("t", calls("b"))],
    ],
)
def test_what_is_usual_is_told_by_who_drives(begun: Writer, asked: list[AppendRequest]) -> None:
    told = [hand_in(begun, each) for each in asked]
    drive(begun, begun.set_out())
    assert {each.by for each in told} == {threading.current_thread().name}
    assert all(each.versions for each in told)


def test_nothing_sets_out_where_nothing_waits(begun: Writer) -> None:
    assert begun.set_out() is None
    assert begun.proceed() is None
    begun.leave()
    assert begun.append(request("t", reply("after"))).version == 4


def test_the_first_batch_of_all_is_left_to_the_writers_thread(writer: Writer) -> None:
    told = hand_in(writer, request("t", reply("one")))
    assert writer.set_out() is None  # it has to connect
    assert (told.versions, told.by) == ([1], "writer")


@pytest.mark.parametrize(
    ("odd", "refused"),
    [
        (request("t", {"type": "nope"}), True),
        (request("t", reply("late"), expected_version=1), True),
        (request("t", results("never called")), True),
        (request("t", reply("before", id=given(7))), False),  # which is there already
        (request("t", reply("large" * 60_000)), False),
        (request("t", *[reply("many")] * 300), False),
    ],
)
def test_what_is_unusual_takes_no_other_along(
    begun: Writer, database: Database, *, odd: AppendRequest, refused: bool
) -> None:
    begun.append(request("t", reply("before", id=given(7))))
    before = last_position(database)
    usual, told = hand_in(begun, request("u", reply("one"))), hand_in(begun, odd)
    also = hand_in(begun, request("t", reply("last")))
    drive(begun, begun.set_out())
    assert usual.versions == [1]
    assert isinstance(told.outcomes[0], AgentlogError) is refused
    assert len(also.versions) == 1
    assert last_position(database) >= before + 2
    until(lambda: _free(begun))
    check_log(database)


def test_what_is_refused_before_it_is_written_needs_no_database(
    begun: Writer, database: Database
) -> None:
    told = hand_in(begun, request("t", {"type": "nope"}))
    with held(database):
        drive(begun, begun.set_out())
        assert isinstance(told.outcomes[0], InvalidMessage)


def test_what_comes_meanwhile_sets_out_after_it(begun: Writer, database: Database) -> None:
    told = [hand_in(begun, request(f"t{number}", reply("one"))) for number in range(64)]
    fileno = begun.set_out()
    assert begun.waiting == 0
    more = [hand_in(begun, request(f"t{number}", reply("two"))) for number in range(64)]
    drive(begun, fileno)
    assert [each.versions for each in told] == [[1]] * 64
    assert [each.versions for each in more] == [[2]] * 64
    assert begun.waiting == 0
    check_log(database)


def test_nobody_else_commits_what_has_set_out_or_meanwhile(
    begun: Writer, database: Database
) -> None:
    woken = threading.Event()
    with begun.driven(woken.set), ThreadPoolExecutor(2) as pool:
        with held(database):
            told = hand_in(begun, request("t", reply("driven")), request("u", reply("driven")))
            fileno = begun.set_out()
            assert begun.set_out() is None
            beside = pool.submit(begun.append, request("t", reply("beside")))
            until(lambda: begun.waiting)
            begun.submit([request("t", reply("submitted"))], Told().deliver)
            assert woken.wait(WAIT_SECONDS)
            assert not told.is_there
        drive(begun, fileno)
        assert told.versions == [4, 1]
        assert beside.result(WAIT_SECONDS).version == 5
    assert last_position(database) == 7


def test_who_drives_is_woken_after_others_have_committed(begun: Writer, database: Database) -> None:
    woken = threading.Event()
    with begun.driven(woken.set), ThreadPoolExecutor(2) as pool:
        with held(database):
            beside = pool.submit(begun.append, request("t", reply("beside")))
            until_waited_for(database)
            told = hand_in(begun, request("t", reply("driven")))
            assert begun.set_out() is None
            assert not woken.is_set()
        assert beside.result(WAIT_SECONDS).version == 4
        assert woken.wait(WAIT_SECONDS)
        drive(begun, begun.set_out())
        assert (told.versions, told.by) == ([5], threading.current_thread().name)


def test_what_waits_when_nobody_drives_any_more_is_committed_all_the_same(
    begun: Writer, database: Database
) -> None:
    with held(database):
        with begun.driven(lambda: None):
            told = hand_in(begun, request("t", reply("one")), request("u", reply("one")))
            assert begun.set_out() is not None
            later = hand_in(begun, request("t", reply("two")))
            begun.leave()
        assert not told.is_there
    assert (told.versions, told.by) == ([4, 1], "writer")
    assert (later.versions, later.by) == ([5], "writer")
    check_log(database)


def test_who_drives_cannot_wait_for_itself(begun: Writer, database: Database) -> None:
    with begun.driven(lambda: None):
        with pytest.raises(RuntimeError, match="hand appends in"):
            begun.append(request("t", reply("one")))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(begun.append, request("t", reply("one"))).result(20).version == 4
    assert begun.append(request("t", reply("one"))).version == 5
    assert last_position(database) == 5


def test_threads_and_an_event_loop_append_through_one_writer(
    begun: Writer, database: Database
) -> None:
    rounds, callers = 25, 6

    async def drive(is_over: threading.Event) -> int:
        loop = asyncio.get_running_loop()
        asked: set[asyncio.Future[Outcomes]] = set()

        def proceed(fileno: int) -> None:
            loop.remove_reader(fileno)
            wait_at(begun.proceed())

        def wait_at(fileno: int | None) -> None:
            if fileno is not None:
                loop.add_reader(fileno, proceed, fileno)

        def settle(future: asyncio.Future[Outcomes], outcomes: Outcomes) -> None:
            future.set_result(outcomes)

        def deliver(future: asyncio.Future[Outcomes], outcomes: Outcomes) -> None:
            loop.call_soon_threadsafe(settle, future, outcomes)

        with begun.driven(lambda: loop.call_soon_threadsafe(lambda: wait_at(begun.set_out()))):
            for number in range(rounds):
                for caller in range(callers):
                    future: asyncio.Future[Outcomes] = loop.create_future()
                    # now and then one that does not go step by step
                    odd = number % 5 == caller
                    asking = request(f"t{caller}", reply("x", id=given(1)) if odd else reply("x"))
                    begun.hand_in([asking], partial(deliver, future))
                    asked.add(future)
                wait_at(begun.set_out())
                await asyncio.sleep(0.002)
            outcomes = await asyncio.wait_for(asyncio.gather(*asked), WAIT_SECONDS)
            await asyncio.to_thread(is_over.wait, WAIT_SECONDS)
            await asyncio.sleep(0)
        return sum(not isinstance(each, BaseException) for each in outcomes)

    is_over = threading.Event()
    with ThreadPoolExecutor(callers + 1) as pool:
        driven = pool.submit(lambda: asyncio.run(drive(is_over)))
        beside = [
            pool.submit(
                lambda caller: [
                    begun.append(request(f"t{caller}", reply("y"))) for _ in range(rounds)
                ],
                number,
            )
            for number in range(callers)
        ]
        try:
            for each in beside:
                assert len(each.result(WAIT_SECONDS)) == rounds
        finally:
            is_over.set()
        assert driven.result(2 * WAIT_SECONDS) == rounds * callers
    # of those with an id of their own each thread keeps the first alone
    kept = sum(number % 5 == caller for number in range(rounds) for caller in range(callers))
    assert last_position(database) == 3 + 2 * rounds * callers - kept + 5
    check_log(database)
