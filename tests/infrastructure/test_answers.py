"""Callers are woken one after the other, and nobody is forgotten."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.errors import RuleBroken
from infrastructure.answers import Answer, Line
from infrastructure.requests import Outcome


def _in_threads(count: int, act: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(act, range(count), timeout=30))


def test_everybody_is_told_their_own() -> None:
    line = Line()
    answers = [Answer(line) for _ in range(64)]
    told = [[RuleBroken("t", [], rule=str(number))] for number in range(64)]
    found: dict[int, Sequence[Outcome]] = {}

    def wait(number: int) -> None:
        found[number] = answers[number].wait()

    def tell() -> None:
        for number, answer in enumerate(answers):
            answer.deliver(told[number])

    teller = threading.Thread(target=tell)
    teller.start()
    _in_threads(64, wait)
    teller.join()
    assert [found[number] for number in range(64)] == told


def test_hundreds_of_deliveries_by_many_threads_reach_everybody() -> None:
    line = Line()

    def ask(_: int) -> None:
        for _ in range(200):
            answer = Answer(line)
            threading.Thread(target=answer.deliver, args=((),)).start()
            assert answer.wait() == ()

    _in_threads(16, ask)


def test_the_next_is_woken_by_the_one_before() -> None:
    line = Line()
    before, last = [Answer(line) for _ in range(8)], Answer(line)
    for each in (*before, last):
        each.deliver(())
    with ThreadPoolExecutor(1) as threads:
        late = threads.submit(last.wait)
        time.sleep(0.05)
        assert not late.done()
        assert before[5].wait() == ()
        assert late.result(timeout=5) == ()


def test_whoever_stays_awake_holds_up_nobody() -> None:
    line = Line()
    busy, gone, last = (
        [Answer(line) for _ in range(8)],
        [Answer(line) for _ in range(8)],
        Answer(line),
    )
    for each in busy:
        each.deliver(())
        each.stay_awake()
    for each in gone:
        each.stay_awake()
        each.deliver(())
    last.deliver(())
    assert last.wait() == ()
    assert busy[0].wait() == ()


def test_a_wait_that_is_broken_off_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    broken, last = [Answer(line) for _ in range(8)], Answer(line)

    class Interrupted:
        def acquire(self) -> None:
            raise KeyboardInterrupt

        def release(self) -> None:
            pass

    for each in broken:
        monkeypatch.setattr(each, "_there", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            each.wait()
        each.deliver(())
    last.deliver(())
    assert last.wait() == ()


def test_what_kept_requests_from_being_tried_is_raised() -> None:
    answer = Answer(Line())
    answer.deliver(ZeroDivisionError("a defect"))
    with pytest.raises(ZeroDivisionError, match="a defect"):
        answer.wait()
