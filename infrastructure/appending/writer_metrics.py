"""Counters of the writer: plain numbers, read when metrics are requested.

One thread at a time holds the writer and changes them, so no lock is needed; only overload is
counted by callers' threads. A reader may see a commit half counted, never a wrong total.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from domain.errors import AgentlogError
from infrastructure.appending.append_request import Outcome, Ready

Way = Literal["onward", "holding"]
"""onward: written from cached heads. holding: read and written with the log locked."""

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Tally:
    """A histogram: counts of values by upper bound and above all bounds, and their sum."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total: float = 0

    def note(self, value: float, times: int = 1) -> None:
        """Count a value `times` times."""
        self.counts[bisect_left(self.bounds, value)] += times
        self.total += value * times


class Commit(NamedTuple):
    """A committed batch: its requests, how many events it wrote, in which way."""

    requests: Sequence[Ready]
    events: int
    way: Way
    seconds: float


class WriterMeters:
    """Counts of appends and of commits.

    `on_commit` is called for each commit by the thread that holds the writer, before callers get
    their outcomes: it must be quick and must not raise.
    """

    def __init__(self, on_commit: Callable[[Commit], None] | None = None) -> None:
        self.outcomes = dict.fromkeys(("appended", "replayed", "refused", "failed"), 0)
        self.overloaded = 0
        self.append_seconds = Tally(SECONDS)
        """From being handed in to being answered, whatever the answer."""
        self.commits: dict[Way, int] = {"onward": 0, "holding": 0}
        self.commit_seconds = Tally(SECONDS)
        self.batch_requests = Tally(_SIZES)
        self.batch_events = Tally(_SIZES)
        self._on_commit = on_commit
        self._counting = threading.Lock()

    def committed(self, commit: Commit) -> None:
        """Count a commit."""
        self.commits[commit.way] += 1
        self.commit_seconds.note(commit.seconds)
        self.batch_requests.note(len(commit.requests))
        self.batch_events.note(commit.events)
        if self._on_commit is not None:
            self._on_commit(commit)

    def answered(self, outcomes: Sequence[Outcome], seconds: float) -> None:
        """Count requests that were decided."""
        for outcome in outcomes:
            if isinstance(outcome, AgentlogError):
                self.outcomes["refused"] += 1
            elif all(receipt.replayed for receipt in outcome.messages):
                self.outcomes["replayed"] += 1
            else:
                self.outcomes["appended"] += 1
        self.append_seconds.note(seconds, len(outcomes))

    def failed(self, requests: int, seconds: float) -> None:
        """Count requests of which it is unknown whether they were written."""
        self.outcomes["failed"] += requests
        self.append_seconds.note(seconds, requests)

    def turned_away(self, requests: int) -> None:
        """Count requests refused because the queue was full; any thread may call it."""
        with self._counting:
            self.overloaded += requests
