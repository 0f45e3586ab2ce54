"""How callers who wait are told what came of their requests: a few at a time.

Woken all at once, hundreds of threads stand at the interpreter's lock, and each looks every few
milliseconds whether it is free: most of what they take is the switching from one to the next.
"""

import threading
from collections import deque
from collections.abc import Sequence

from infrastructure.requests import Outcome, Outcomes

_AT_ONCE = 8
"""So many are woken before one of them is awake: where another thread keeps the interpreter busy,
each that is woken waits milliseconds for its lock, and all after it.
"""


class Line:
    """Those whose answers are there and who are not awake yet; each who wakes wakes the next."""

    def __init__(self) -> None:
        self._asleep: deque[Answer] = deque()
        self._free = deque([True] * _AT_ONCE)  # one is taken from waking somebody to that waking

    def join(self, answer: "Answer") -> None:
        """Have one woken, in its turn."""
        self._asleep.append(answer)
        self._wake_first()

    def go_on(self) -> None:
        """Wake the next, for one who was woken is awake."""
        self._free.append(True)
        self._wake_first()

    def _wake_first(self) -> None:
        # who finds none free leaves it to those who have them, who look again when they are
        while self._asleep:
            try:
                self._free.pop()
            except IndexError:
                return
            try:
                first = self._asleep.popleft()
            except IndexError:
                self._free.append(True)
            else:
                first.wake()
                return


class Answer:
    """What came of requests, for the one thread that waits for it."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._there = threading.Lock()  # held until it is
        self._there.acquire()
        self._told: Outcomes | None = None
        self._woken = self._awake = False
        self._turn = [True]  # to have the line go on: taken once

    def deliver(self, outcomes: Outcomes) -> None:
        """Have it told."""
        self._told = outcomes
        self._line.join(self)

    def wait(self) -> Sequence[Outcome]:
        """Return what came of each request, in order; raises what kept them from being tried."""
        try:
            self._there.acquire()
        finally:  # also on Ctrl-C: others stand in line behind it
            self.stay_awake()
        if self._told is None:
            raise RuntimeError("somebody was woken before there was an answer")
        return raised(self._told)

    def stay_awake(self) -> None:
        """Let the line go on without the one who would wait here: it is not asleep."""
        self._awake = True
        if self._woken:
            self._go_on()

    def wake(self) -> None:
        """Wake who waits, if that one is not awake."""
        self._woken = True
        self._there.release()
        if self._awake:
            self._go_on()

    def _go_on(self) -> None:
        try:
            self._turn.pop()
        except IndexError:
            return
        self._line.go_on()


def raised(outcomes: Outcomes) -> Sequence[Outcome]:
    """Return what came of each request; raises what kept them from being tried."""
    if isinstance(outcomes, BaseException):
        raise outcomes
    return outcomes
