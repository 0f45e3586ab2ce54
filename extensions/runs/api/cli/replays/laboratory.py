"""Experiments on a run that failed: its agent runs with some steps put in, and without."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer

from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service
from agentlog.extensions.runs.api.cli.replays.fork_run import ForkOrder, run_fork
from agentlog.extensions.runs.infrastructure.candidates import Candidate
from agentlog.extensions.runs.projections.attribution.verdicts import (
    Arm,
    Verdict,
    minimal_set,
    verdict,
)
from agentlog.extensions.runs.projections.tapes.changes import Changes
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools

_STANDARD_ERROR = 2
"""Where the agent prints: what is shown is alone on standard output."""


class BudgetSpent(Exception):
    """No more runs are allowed."""


@dataclass
class Trial:
    """The runs of one arm: which forks passed, failed, and do not count."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    uncounted: list[str] = field(default_factory=list)

    @property
    def arm(self) -> Arm:
        """The runs that count."""
        return Arm(len(self.passed), len(self.passed) + len(self.failed))


@dataclass
class Experiment:
    """Steps put into a fork of the bad run, and the same fork without them.

    It is undecided as long as its runs are not done.
    """

    steps: Sequence[Candidate]
    control: Trial
    changed: Trial = field(default_factory=Trial)
    verdict: Verdict = "undecided"

    @property
    def line(self) -> str:
        """What it showed, in a line."""
        steps = ", ".join(f"{step.kind} at {step.version}" for step in self.steps)
        lost = len(self.changed.uncounted) + len(self.control.uncounted)
        uncounted = f"; {lost} runs do not count" if lost else ""
        arms = f"with {self.changed.arm}, without {self.control.arm}"
        return f"{self.verdict}: {steps}: {arms}{uncounted}"


@dataclass(frozen=True, slots=True)
class Budget:
    """How many runs an arm has, and all together, and what they may cost in US dollars.

    `usd_a_run` is what a run costs by what was recorded; None where that is not known.
    """

    runs: int
    most_runs: int
    usd_a_run: float | None
    most_usd: float | None

    @property
    def text(self) -> str:
        """What it says, for who allows it."""
        runs = f"{min(2 * self.runs, self.most_runs)} runs at least, {self.most_runs} at most"
        cost = "what they cost is not known"
        if self.usd_a_run is not None:
            cost = f"about ${self.usd_a_run:.6f} each, by what was recorded"
        most = "" if self.most_usd is None else f", ${self.most_usd:.6f} at most in all"
        return f"{runs}; {cost}{most}"


@dataclass
class Laboratory:
    """Runs experiments on one run, as long as there is a budget."""

    service: Service
    spool_dir: Path
    bad: str
    command: Sequence[str]
    check: str
    tools: Tools
    budget: Budget
    costs: list[float | None] = field(default_factory=list)
    """What each run cost in US dollars; None where that is not known."""
    is_spent: bool = False
    experiments: list[Experiment] = field(default_factory=list)
    _controls: dict[int, Trial] = field(default_factory=dict)

    def search(self, steps: Sequence[Candidate]) -> tuple[Sequence[Candidate], Candidate | None]:
        """Return the smallest set of steps that is a cause, and the latest step that is one alone.

        None where that is not shown of all, or of no step alone.
        """
        try:
            left: Sequence[Candidate] = (
                minimal_set(steps, self._is_cause) if self._is_cause(steps) else ()
            )
            alone = ([step] for step in reversed(steps) if left)
            return left, next((step for (step,) in alone if self._is_cause([step])), None)
        except BudgetSpent:
            self.is_spent = True
        shown = [trial.steps for trial in self.experiments if trial.verdict == "caused"]
        return min(shown, key=len, default=()), None

    def _is_cause(self, steps: Sequence[Candidate]) -> bool:
        known = (trial.verdict for trial in self.experiments if [*trial.steps] == [*steps])
        shown = next(known, None) or self._try(steps)
        return shown == "caused"

    def _try(self, steps: Sequence[Candidate]) -> Verdict:
        """Return what putting these steps in shows."""
        first = min(steps, key=lambda step: step.number)
        is_new = first.number not in self._controls
        control = self._controls.setdefault(first.number, Trial())
        experiment = Experiment(steps, control)
        self.experiments.append(experiment)
        try:
            if is_new:
                self._run(control, first, ())
            self._run(experiment.changed, first, steps)
            arms = experiment.changed.arm, control.arm
            experiment.verdict = verdict(*arms, wanted=self.budget.runs)
        finally:
            typer.echo(printable(experiment.line), err=True)
        return experiment.verdict

    def _run(self, trial: Trial, first: Candidate, steps: Sequence[Candidate]) -> None:
        answers = {
            step.number - first.number: step.answer for step in steps if step.answer is not None
        }
        given = {step.number for step in steps if step.answer is not None}
        results = {
            step.good_call_id if step.number - 1 in given and step.good_call_id else step.call_id: (
                step.result
            )
            for step in steps
            if step.kind == "result"
        }
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
        for _ in range(self.budget.runs):
            self._check_budget()
            run = run_fork(self.service, self.spool_dir, order, first.cursor)
            self.costs.append(run.cost_usd)
            if run.is_interrupted:
                raise KeyboardInterrupt
            counts = run.counts and not run.failures
            forks = trial.passed if run.passed else trial.failed
            (forks if counts else trial.uncounted).append(run.thread_id)

    def _check_budget(self) -> None:
        """Raise `BudgetSpent` if one more run would be too much; an unknown cost is the usual."""
        usual, most_usd = self.budget.usd_a_run or 0.0, self.budget.most_usd
        spent = sum(usual if cost is None else cost for cost in self.costs)
        is_too_dear = most_usd is not None and spent + usual > most_usd
        if is_too_dear or len(self.costs) >= self.budget.most_runs:
            raise BudgetSpent
