"""Counters of the writer; each writer has its own registry."""

from collections.abc import Callable, Sequence
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Histogram

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.appending.append_request import Outcome
from agentlog.infrastructure.appending.commit_plan import Commit, Way

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_OUTCOMES = ("appended", "replayed", "refused", "failed", "overloaded")


class WriterMeters:
    """Counts of appends and of commits.

    `on_commit` is called for each commit by the thread that holds the writer, before callers get
    their outcomes: it must be quick and must not raise.
    """

    def __init__(self, on_commit: Callable[[Commit], None] | None = None) -> None:
        self.registry = CollectorRegistry()
        self._on_commit = on_commit
        appends = Counter(
            "agentlog_appends",
            "Appends by what came of them.",
            ["outcome"],
            registry=self.registry,
        )
        self._outcomes = {name: appends.labels(name) for name in _OUTCOMES}
        self._append_seconds = self._histogram(
            "agentlog_append_seconds",
            "From an append's reaching the writer to its answer.",
            SECONDS,
        )
        self._events = Counter(
            "agentlog_messages_appended",
            "Events written: messages, and facts of threads.",
            registry=self.registry,
        )
        commits = Counter(
            "agentlog_commits",
            "Commits, by whether they went onward on what was remembered, or held the log to look.",
            ["way"],
            registry=self.registry,
        )
        self._commits = {way: commits.labels(way) for way in get_args(Way)}
        self._commit_seconds = self._histogram(
            "agentlog_commit_seconds", "What a commit took.", SECONDS
        )
        self._batch_requests = self._histogram(
            "agentlog_batch_requests", "Appends that shared a commit.", _SIZES
        )
        self._batch_events = self._histogram(
            "agentlog_batch_messages", "Events of a commit.", _SIZES
        )

    def _histogram(self, name: str, text: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(name, text, buckets=buckets, registry=self.registry)

    def committed(self, commit: Commit) -> None:
        """Count a commit."""
        self._commits[commit.way].inc()
        self._events.inc(commit.events)
        self._commit_seconds.observe(commit.seconds)
        self._batch_requests.observe(len(commit.requests))
        self._batch_events.observe(commit.events)
        if self._on_commit is not None:
            self._on_commit(commit)

    def answered(self, outcomes: Sequence[Outcome], seconds: float) -> None:
        """Count requests that were decided."""
        for outcome in outcomes:
            if isinstance(outcome, AgentlogError):
                self._outcomes["refused"].inc()
            elif all(receipt.replayed for receipt in outcome.messages):
                self._outcomes["replayed"].inc()
            else:
                self._outcomes["appended"].inc()
            self._append_seconds.observe(seconds)

    def failed(self, requests: int, seconds: float) -> None:
        """Count requests of which it is unknown whether they were written."""
        self._outcomes["failed"].inc(requests)
        for _ in range(requests):
            self._append_seconds.observe(seconds)

    def turned_away(self, requests: int) -> None:
        """Count requests refused because the queue was full; any thread may call it."""
        self._outcomes["overloaded"].inc(requests)
