"""Runs that are compared: which threads, what they came to, and their steps."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agentlog.domain.json.answers import answer
from agentlog.domain.points_in_time import AtPosition, AtVersion
from agentlog.infrastructure.comparison.comparer import MOST_EVENTS
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.views.endings import Endings
from agentlog.infrastructure.views.results import Page
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.steps import ItemDigest, Stepping, Which
from agentlog.projections.filters.expression import Expression, Not
from agentlog.projections.filters.success import verdict_of
from agentlog.projections.outcomes.outcome import Verdict
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Printed

_CHUNK = 2000


@answer
@dataclass(frozen=True, slots=True)
class Run:
    """A thread; `end` is the reason of its exit, or closed or open."""

    thread_id: str
    version: int
    end: str
    verdict: Verdict


@answer
@dataclass(frozen=True, slots=True)
class Tally:
    """How many runs there are, and how many of each verdict."""

    runs: int
    failed: int
    succeeded: int
    unknown: int


def tally(runs: Sequence[Run]) -> tuple[int, int, int, int]:
    """Count runs by their verdicts: the values of a `Tally`."""
    counts = Counter(run.verdict for run in runs)
    return len(runs), counts["failed"], counts["succeeded"], counts["unknown"]


def runs_at(
    reader: LogReader, heads: Sequence[Head], as_of: int, *, most: int
) -> tuple[list[tuple[Head, int]], bool]:
    """Return the threads to read, each with its version at a position, and whether not all.

    At most `most` threads, and `MOST_EVENTS` together; those without events then are left out.
    """
    chosen: list[tuple[Head, int]] = []
    events = 0
    for head in heads[:most]:
        version = head.version
        if head.position > as_of:
            version = reader.version_at(head, AtPosition(as_of))
        events += version
        if events > MOST_EVENTS:
            return chosen, True
        if version:
            chosen.append((head, version))
    return chosen, len(heads) > most


def run_of(head: Head, version: int, endings: Endings, failed: Expression | None) -> Run:
    """Return what a thread came to: by the tenant's rule, or by the filter of failed runs."""
    outcome = endings.at(head.thread_id, version).outcome
    verdict = outcome.verdict
    if failed is not None:
        verdict = verdict_of(Not(failed), head.metadata, outcome.end)
    return Run(head.thread_id, version, outcome.end or "open", verdict)


def steps_of(
    views: Views, run: Run, view: AnyView, which: Which
) -> Iterator[tuple[Printed, ItemDigest]]:
    """Yield the items of a run and their steps, read a page at a time."""
    stepping = Stepping(view, which)
    at, after = AtVersion(run.version), None
    while True:
        page = views.view(run.thread_id, view, at=at, after=after, limit=_CHUNK)
        if not isinstance(page, Page):
            return
        yield from stepping.steps(page.items)
        if page.next is None:
            return
        after = page.next
