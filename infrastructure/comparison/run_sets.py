"""Compares all runs of each task: where they part, and which way the failing ones went."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agentlog.domain.errors import InvalidCursor
from agentlog.domain.json.answers import answer
from agentlog.domain.json.canonical import canonical_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.comparison.runs import Run, Tally, run_of, runs_at, steps_of, tally
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.views.endings import Endings
from agentlog.infrastructure.views.view_fold import place_of
from agentlog.infrastructure.views.views import Views
from agentlog.projections.comparison.alignment import Parting, partings
from agentlog.projections.comparison.comparison import ComparedHistory
from agentlog.projections.comparison.rows import Glimpse, glimpse
from agentlog.projections.comparison.steps import Stepping, Which
from agentlog.projections.filters.expression import Expression
from agentlog.projections.registry import AnyView

MOST_THREADS = 1000
"""Threads of one request, the most recently changed."""

MOST_PARTINGS = 20
"""Partings that are shown of each task, the earliest."""


@dataclass(frozen=True, slots=True)
class SetsAsked:
    """Which threads to compare, by which key of their metadata.

    Without `failed`, what runs came to goes by the tenant's rule, as in lists; with it, those have
    failed that it matches, and runs that lack what it asks for are unknown.
    """

    threads: ThreadFilter
    view: AnyView
    by: str
    failed: Expression | None = None
    which: Which = "calls"


@answer
@dataclass(frozen=True, slots=True)
class RunBranch(Tally):
    """Runs that did the same at a parting; `did` is null where they had ended."""

    threads: Sequence[str]
    did: Glimpse | None


@answer
@dataclass(frozen=True, slots=True)
class RunParting:
    """Runs with `equal` equal items first, and the branches that they then take."""

    equal: int
    branches: Sequence[RunBranch]


@answer
@dataclass(frozen=True, slots=True)
class RunSet(Tally):
    """The runs of one task; `partings` has the earliest of `partingCount`."""

    value: Any
    threads: Sequence[Run]
    partings: Sequence[RunParting]
    parting_count: int


@answer
@dataclass(frozen=True, slots=True)
class RunSets:
    """Tasks by value; `lacking` counts threads without the key, `cut`: older ones are left out."""

    view: str
    as_of: int
    by: str
    lacking: int
    cut: bool
    items: Sequence[RunSet]
    next: str | None


class TaskComparer:
    """Comparisons of the runs of one tenant's tasks."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._reader = views.reader

    def compare(
        self, asked: SetsAsked, *, after: str | None = None, limit: int | None = None
    ) -> RunSets:
        """Compare the threads that have each value of the key: all tasks, or pages of them.

        All pages are as of the position of the first.

        Raises:
            StateNotComparable: the view is one state.
            InvalidCursor: `after` is no cursor.
        """
        Stepping(asked.view)  # refuses a state, even where there are no threads
        position = self._reader.position()
        as_of, begin = (position, 0) if after is None else place_of(after)
        if after is not None and as_of > position:
            raise InvalidCursor(after)
        heads = self._reader.heads(asked.threads, before=None, limit=MOST_THREADS + 1)
        chosen, is_cut = runs_at(self._reader, heads, as_of, most=MOST_THREADS)
        tasks: dict[bytes, list[tuple[Head, int]]] = {}
        lacking = 0
        for head, version in reversed(chosen):  # the oldest first
            value = head.metadata.get(asked.by)
            if value is None:
                lacking += 1
            else:
                tasks.setdefault(canonical_bytes(value), []).append((head, version))
        endings = self._views.endings()
        ordered = sorted(tasks.values(), key=lambda task: _order(task[0][0].metadata[asked.by]))
        end = len(ordered) if limit is None else begin + limit
        sets = [self._set(task, asked, endings) for task in ordered[begin:end]]
        following = f"{as_of}.{end}" if end < len(ordered) else None
        by = f"metadata.{asked.by}"
        return RunSets(asked.view.name, as_of, by, lacking, is_cut, sets, following)

    def _set(self, task: Sequence[tuple[Head, int]], asked: SetsAsked, endings: Endings) -> RunSet:
        runs = [run_of(head, version, endings, asked.failed) for head, version in task]
        parted = partings([self._digests(run, asked) for run in runs])
        shown = [self._parting(parting, runs, asked) for parting in parted[:MOST_PARTINGS]]
        value = task[0][0].metadata[asked.by]
        return RunSet(*tally(runs), value, runs, shown, len(parted))

    def _parting(self, parting: Parting, runs: Sequence[Run], asked: SetsAsked) -> RunParting:
        branches: list[RunBranch] = []
        for branch in parting.branches:
            own = [runs[member] for member in branch.members]
            did = None if branch.ended else self._glimpse(own[0], parting.equal, asked)
            branches.append(RunBranch(*tally(own), [run.thread_id for run in own], did))
        return RunParting(parting.equal, branches)

    def _digests(self, run: Run, asked: SetsAsked) -> list[bytes]:
        return [step.digest for _, step in steps_of(self._views, run, asked.view, asked.which)]

    def _glimpse(self, run: Run, index: int, asked: SetsAsked) -> Glimpse | None:
        steps = steps_of(self._views, run, asked.view, asked.which)
        for item, step in islice(steps, index, None):
            return glimpse(asked.view, ComparedHistory([item], [step]), 0)
        return None  # erased since it was read


def _order(value: JsonValue) -> tuple[bool, float, str]:
    """Return where a task is listed: numbers first, by size."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return False, value, ""
    return True, 0, canonical_bytes(value).decode()
