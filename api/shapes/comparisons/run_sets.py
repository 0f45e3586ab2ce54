"""Comparisons of the runs of each task as JSON, for HTTP and the command line."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from agentlog.api.shapes.comparisons.comparison import Glimpse
from agentlog.api.shapes.shape import Shape
from agentlog.infrastructure.comparison import run_sets, runs
from agentlog.projections.outcomes.outcome import Verdict


class Run(Shape):
    """A thread; `end` is the reason of its exit, or closed or open."""

    thread_id: str
    version: int
    end: str
    verdict: Verdict


class Tally(TypedDict):
    """How many runs there are, and how many of each verdict."""

    runs: int
    failed: int
    succeeded: int
    unknown: int


class RunBranch(Tally):
    """Runs that did the same at a parting; `did` is null where they had ended."""

    threads: list[str]
    did: Glimpse | None


class RunParting(TypedDict):
    """Runs with `equal` equal items first, and the branches that they then take."""

    equal: int
    branches: list[RunBranch]


class RunSet(Tally):
    """The runs of one task; `partings` has the earliest of `partingCount`."""

    value: Any
    threads: list[Run]
    partings: list[RunParting]
    partingCount: int


class RunSets(TypedDict):
    """Tasks by value; `lacking` counts threads without the key, `cut`: older ones are left out."""

    view: str
    asOf: int
    by: str
    lacking: int
    cut: bool
    items: list[RunSet]
    next: str | None


def run_sets_json(compared: run_sets.ComparedSets) -> RunSets:
    """Return where the runs of each task part."""
    return {
        "view": compared.asked.view.name,
        "asOf": compared.as_of,
        "by": f"metadata.{compared.asked.by}",
        "lacking": compared.lacking,
        "cut": compared.is_cut,
        "items": [_set_json(run_set) for run_set in compared.sets],
        "next": compared.next,
    }


def _set_json(run_set: run_sets.RunSet) -> RunSet:
    return {
        "value": run_set.value,
        **tally(run_set.runs),
        "threads": [Run.of(run) for run in run_set.runs],
        "partings": [
            {"equal": fork.equal, "branches": [_branch_json(way) for way in fork.ways]}
            for fork in run_set.forks
        ],
        "partingCount": run_set.fork_count,
    }


def _branch_json(way: run_sets.Way) -> RunBranch:
    return {
        **tally(way.runs),
        "threads": [run.thread_id for run in way.runs],
        "did": None if way.did is None else Glimpse.of(way.did),
    }


def tally(members: Sequence[runs.Run]) -> Tally:
    """Count runs by their verdicts."""
    verdicts = [run.verdict for run in members]
    return {
        "runs": len(members),
        "failed": verdicts.count("failed"),
        "succeeded": verdicts.count("succeeded"),
        "unknown": verdicts.count("unknown"),
    }
