"""The command cause: which steps of a run that failed are its cause."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from agentlog.api.cli.runs.fork_run import ForkOrder, run_fork
from agentlog.api.cli.runs.forking import allow, check_command
from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    chosen_view,
    print_line,
    printable,
    service_in,
    settings_with,
)
from agentlog.api.composition import Service
from agentlog.domain.errors import Refused
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.attribution.candidates import Candidate, candidates
from agentlog.projections.attribution.minimal_set import minimal_set
from agentlog.projections.attribution.verdicts import FEWEST_RUNS, Arm, Verdict, verdict
from agentlog.projections.exchanges.tapes.changes import Changes
from agentlog.projections.exchanges.tapes.tool_tape import Tools

app = typer.Typer()

CAUSE_TYPE = "agentlog.cause"
_NOT_CAUSED = 1
_STANDARD_ERROR = 2
"""Where the agent prints: what is found is alone on standard output."""


class _Trial(NamedTuple):
    """The runs of one arm: which forks passed, failed, and do not count."""

    passed: Sequence[str]
    failed: Sequence[str]
    uncounted: Sequence[str]

    @property
    def arm(self) -> Arm:
        return Arm(len(self.passed), len(self.passed) + len(self.failed))


class _Experiment(NamedTuple):
    """Steps of the good run in a fork of the bad one, and the same fork without them."""

    steps: Sequence[Candidate]
    changed: _Trial
    control: _Trial
    verdict: Verdict


class BudgetSpent(Exception):
    """No more runs are allowed."""


@app.command()
def cause(  # noqa: PLR0913, PLR0917 - one parameter an option
    bad: Annotated[str, typer.Argument(help="The thread of a run that failed.")],
    command: Annotated[list[str], typer.Argument(help="The agent that was recorded; after --.")],
    good: Annotated[str, typer.Option(help="The thread of a run of the same task that passed.")],
    check: Annotated[
        str,
        typer.Option(
            metavar="COMMAND", help="Passes a run by exit code 0; in a shell, where $1 is its fork."
        ),
    ],
    at: Annotated[
        list[int] | None,
        typer.Option(metavar="VERSION", help="A step to try; default all that differ."),
    ] = None,
    runs: Annotated[int, typer.Option(min=FEWEST_RUNS, help="Runs of each arm.")] = 5,
    most_runs: Annotated[int, typer.Option(min=1, help="Runs in all.")] = 100,
    tools: Annotated[
        Tools,
        typer.Option(
            help="Of tools behind mcp-proxy or recorded_tool: run them, answer from the record, or "
            "refuse. All others run."
        ),
    ] = "live",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Run without asking.")] = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Find the steps that caused that a run failed, by runs with and without a good run's.

    Each step that both runs have and that differs is a candidate. The bad run is forked there, with
    the good answer or result in its place, and as often without: only what passes more often beyond
    chance is named a cause. Runs go live and cost what they cost. Exit code 0 says that a cause was
    shown, 1 that none was.
    """
    with service_in(data_dir) as service:
        check_command(command)
        steps = candidates(
            service.threads,
            service.own.comparer,
            chosen_view("openai", None),
            bad=bad,
            good=good,
            versions=at or (),
        )
        tried = ", ".join(f"{step.kind} at {step.version}" for step in steps)
        typer.echo(printable(f"candidates: {tried}"), err=True)
        cost = f"{min(2 * runs, most_runs)} runs at least, {most_runs} at most"
        allow(steps[0].cursor.whole, tools, yes=yes, cost=cost)
        spool_dir = settings_with(data_dir=data_dir).spool_dir
        lab = _Lab(service, spool_dir, bad, command, check, tools, runs, most_runs)
        left = _search(lab, steps)
        payload = _result(lab, good, steps, left)
        try:
            service.threads.append(bad, [{"type": CAUSE_TYPE, "payload": payload}])
        except Refused as error:
            typer.echo(printable(f"not kept in {bad}: {error}"), err=True)
    if json:
        print_line({"threadId": bad, **payload})
    else:
        for line in _lines(lab, left):
            typer.echo(printable(line))
    raise typer.Exit(0 if left else _NOT_CAUSED)


@dataclass
class _Lab:
    """Runs experiments on one run, as long as there is a budget."""

    service: Service
    spool_dir: Path
    bad: str
    command: Sequence[str]
    check: str
    tools: Tools
    runs: int
    most_runs: int
    done: int = 0
    is_spent: bool = False
    experiments: list[_Experiment] = field(default_factory=list)
    _controls: dict[int, _Trial] = field(default_factory=dict)

    def try_steps(self, steps: Sequence[Candidate]) -> Verdict:
        """Return what putting these steps in shows."""
        first = min(steps, key=lambda step: step.number)
        if first.number not in self._controls:
            self._controls[first.number] = self._trial(first, ())
        control = self._controls[first.number]
        changed = self._trial(first, steps)
        shown = verdict(changed.arm, control.arm, wanted=self.runs)
        experiment = _Experiment(steps, changed, control, shown)
        self.experiments.append(experiment)
        typer.echo(printable(_line(experiment)), err=True)
        return shown

    def _trial(self, first: Candidate, steps: Sequence[Candidate]) -> _Trial:
        answers = {
            step.number - first.number: step.answer for step in steps if step.answer is not None
        }
        results = {step.call_id: step.result for step in steps if step.kind == "result"}
        order = ForkOrder(
            self.bad,
            self.command,
            first.version,
            Changes(results=results),
            answers,
            tools=self.tools,
            output=_STANDARD_ERROR,
            check=self.check,
        )
        passed: list[str] = []
        failed: list[str] = []
        uncounted: list[str] = []
        for _ in range(self.runs):
            if self.done >= self.most_runs:
                raise BudgetSpent
            self.done += 1
            run = run_fork(self.service, self.spool_dir, order, first.cursor)
            if run.is_interrupted:
                raise KeyboardInterrupt
            counts = run.counts and not run.failures
            (passed if run.passed and counts else failed if counts else uncounted).append(
                run.thread_id
            )
        return _Trial(passed, failed, uncounted)


def _search(lab: _Lab, steps: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the smallest set of steps that is a cause; none where it is not shown of all."""
    best: list[Sequence[Candidate]] = []

    def is_cause(some: Sequence[Candidate]) -> bool:
        shown = lab.try_steps(some) == "caused"
        if shown:
            best.append(some)
        return shown

    try:
        return minimal_set(steps, is_cause) if is_cause(steps) else ()
    except BudgetSpent:
        lab.is_spent = True
        return min(best, key=len, default=())


def _result(
    lab: _Lab, good: str, steps: Sequence[Candidate], left: Sequence[Candidate]
) -> JsonObject:
    experiments: list[JsonValue] = [
        {
            "steps": [step.version for step in experiment.steps],
            "changed": _arm_json(experiment.changed),
            "control": _arm_json(experiment.control),
            "verdict": experiment.verdict,
        }
        for experiment in lab.experiments
    ]
    return {
        "good": good,
        "check": lab.check,
        "candidates": [
            {"kind": step.kind, "version": step.version, "goodVersion": step.good_version}
            for step in steps
        ],
        "cause": [step.version for step in left],
        "runs": lab.done,
        "budgetSpent": lab.is_spent,
        "experiments": experiments,
    }


def _arm_json(trial: _Trial) -> JsonObject:
    low, high = trial.arm.interval
    return {
        "passed": len(trial.passed),
        "runs": trial.arm.runs,
        "low": round(low, 4),
        "high": round(high, 4),
        "passedForks": [*trial.passed],
        "failedForks": [*trial.failed],
        "uncountedForks": [*trial.uncounted],
    }


def _line(experiment: _Experiment) -> str:
    steps = ", ".join(f"{step.kind} at {step.version}" for step in experiment.steps)
    lost = len(experiment.changed.uncounted) + len(experiment.control.uncounted)
    uncounted = f"; {lost} runs do not count" if lost else ""
    changed, control = experiment.changed.arm, experiment.control.arm
    return f"{experiment.verdict}: {steps}: with {changed}, without {control}{uncounted}"


def _lines(lab: _Lab, left: Sequence[Candidate]) -> Iterator[str]:
    if left:
        steps = ", ".join(f"the {step.kind} at version {step.version}" for step in left)
        yield f"{lab.bad}: caused by {steps}"
    else:
        is_shown = [experiment.verdict for experiment in lab.experiments] == ["not_shown"]
        what = "no candidate is shown to be a cause" if is_shown else "more runs may decide it"
        yield f"{lab.bad}: {what}"
    spent = "; the budget is spent" if lab.is_spent else ""
    yield f"{lab.done} runs{spent}"
