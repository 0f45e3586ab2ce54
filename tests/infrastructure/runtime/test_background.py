"""Work that nobody waits for: all of it, in its order, and never too much at a time."""

import logging
import threading
from functools import partial

import pytest

from agentlog.infrastructure.runtime.background import Background

SECONDS = 20


def test_tasks_are_done_in_the_order_in_which_they_came() -> None:
    done: list[int] = []
    with Background() as background:
        for number in range(100):
            background.add(partial(done.append, number), 1)
    assert done == list(range(100))


def test_all_are_done_before_it_is_closed() -> None:
    done: list[bool] = []
    held = threading.Event()
    background = Background()
    background.add(lambda: done.append(held.wait(SECONDS)), 1)
    background.add(lambda: done.append(held.is_set()), 1)
    assert not done
    held.set()
    background.close()
    background.close()
    assert done == [True, True]
    for _ in range(3):
        background.add(lambda: done.append(False), 10**9)
    assert done == [True, True]


def test_who_adds_too_much_waits_until_there_is_room() -> None:
    begun, held = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        held.wait(SECONDS)

    done: list[int] = []
    with Background(most_bytes=10) as background:
        background.add(hold, 1_000)  # one alone is taken however large it is
        assert begun.wait(SECONDS)
        adder = threading.Thread(target=background.add, args=(lambda: done.append(1), 1))
        adder.start()
        adder.join(0.05)
        assert adder.is_alive()
        held.set()
        adder.join(SECONDS)
    assert done == [1]


def test_one_that_fails_leaves_the_others_be(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no such thing")

    done: list[int] = []
    with caplog.at_level(logging.ERROR), Background(most_bytes=1) as background:
        background.add(fail, 1)
        background.add(lambda: done.append(1), 1)
    assert done == [1]
    assert "no such thing" in caplog.text
