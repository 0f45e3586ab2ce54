"""The command cause: which steps of a run that failed are its cause."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    InvalidOption,
    pairs_of,
    print_line,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.cli.view_options import chosen_view
from agentlog.api.composition import Service
from agentlog.domain.errors import Refused
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.extensions.runs.api.cli.recording.commands import ToolsOption
from agentlog.extensions.runs.api.cli.replays.fork_run import figures_of, sum_of
from agentlog.extensions.runs.api.cli.replays.forking import allow, check_command, content_of
from agentlog.extensions.runs.api.cli.replays.laboratory import Budget, Laboratory, Trial
from agentlog.extensions.runs.infrastructure.candidates import (
    Candidate,
    candidates,
    given_candidates,
)
from agentlog.extensions.runs.projections.attribution.verdicts import FEWEST_RUNS
from agentlog.extensions.runs.projections.written.files import answer_in

app = typer.Typer()

CAUSE_TYPE = "agentlog.cause"
_NOT_CAUSED = 1


@app.command()
def cause(  # noqa: PLR0913, PLR0917 - one parameter an option
    bad: Annotated[str, typer.Argument(help="The thread of a run that failed.")],
    command: Annotated[list[str], typer.Argument(help="The agent that was recorded; after --.")],
    check: Annotated[
        str,
        typer.Option(
            metavar="COMMAND", help="Passes a run by exit code 0; in a shell, where $1 is its fork."
        ),
    ],
    good: Annotated[
        str | None, typer.Option(help="The thread of a run of the same task that passed.")
    ] = None,
    at: Annotated[
        list[int] | None,
        typer.Option(metavar="VERSION", help="A step of --good to try; default all that differ."),
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(metavar="VERSION=FILE", help="Without --good: what the model says there."),
    ] = None,
    result: Annotated[
        list[str] | None,
        typer.Option(metavar="CALL=FILE", help="Without --good: what a tool gives back."),
    ] = None,
    runs: Annotated[int, typer.Option(min=FEWEST_RUNS, help="Runs of each arm.")] = 5,
    most_runs: Annotated[int, typer.Option(min=1, help="Runs in all.")] = 100,
    budget: Annotated[
        float | None, typer.Option(metavar="USD", min=0, help="What all runs may cost.")
    ] = None,
    tools: ToolsOption = "live",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Run without asking.")] = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Find the steps that caused that a run failed, by runs with and without a good run's.

    Each step that both runs have and that differs is a candidate; without a good run, what files
    have. The bad run is forked there, with the good answer or result in its place, and as often
    without: only what passes more often beyond chance is named a cause. Runs go live and cost what
    they cost. Exit code 0 says that a cause was shown, 1 that none was.
    """
    with service_in(data_dir) as service:
        check_command(command)
        steps = _steps(service, bad, good, at=at or (), answers=answer or (), results=result or ())
        tried = ", ".join(f"{step.kind} at {step.version}" for step in steps)
        typer.echo(printable(f"candidates: {tried}"), err=True)
        first = min(steps, key=lambda step: step.number)
        usd_a_run = figures_of(service.threads, bad, first.cursor.version).cost_usd
        if budget is not None and usd_a_run is None:
            raise InvalidOption(f"--budget: what {bad} cost is not known; --most-runs limits runs")
        allowed = Budget(runs, most_runs, usd_a_run, budget)
        allow(first.cursor.whole, tools, yes=yes, cost=allowed.text)
        spool_dir = settings_with(data_dir=data_dir).spool_dir
        laboratory = Laboratory(service, spool_dir, bad, command, check, tools, allowed)
        left, latest = laboratory.search(steps)
        payload = _result(laboratory, good, steps, left, latest)
        try:
            service.threads.append(bad, [{"type": CAUSE_TYPE, "payload": payload}])
        except Refused as error:
            typer.echo(printable(f"not kept in {bad}: {error}"), err=True)
    if json:
        print_line({"threadId": bad, **payload})
    else:
        for line in _lines(laboratory, left, latest):
            typer.echo(printable(line))
    raise typer.Exit(0 if left else _NOT_CAUSED)


def _steps(  # noqa: PLR0913 - one parameter an option
    service: Service,
    bad: str,
    good: str | None,
    *,
    at: Sequence[int],
    answers: Sequence[str],
    results: Sequence[str],
) -> list[Candidate]:
    """Return the steps to try: those of a good run, or those that files have."""
    if good is not None and not (answers or results):
        view = chosen_view("openai", None)
        return candidates(
            service.threads, service.own.comparer, view, bad=bad, good=good, versions=at
        )
    if good is not None or at or not (answers or results):
        raise InvalidOption(
            "name what may be put in: --good THREAD, with --at VERSION if not all of it, or "
            "--answer VERSION=FILE and --result CALL=FILE"
        )
    form = "VERSION=FILE"
    given = pairs_of("--answer", answers, form=form, named=True)
    if wrong := next((version for version, _ in given if not version.isdecimal()), None):
        raise InvalidOption(f"--answer {wrong}: give {form}")
    return given_candidates(
        service.threads,
        bad,
        {
            int(version): answer_in(content_of(Path(name), f"--answer {version}"))
            for version, name in given
        },
        {
            call: content_of(Path(name), f"--result {call}").decode()
            for call, name in pairs_of("--result", results, form="CALL=FILE", named=True)
        },
    )


def _result(
    laboratory: Laboratory,
    good: str | None,
    steps: Sequence[Candidate],
    left: Sequence[Candidate],
    latest: Candidate | None,
) -> JsonObject:
    experiments: list[JsonValue] = [
        {
            "steps": [step.version for step in experiment.steps],
            "changed": _arm_json(experiment.changed),
            "control": _arm_json(experiment.control),
            "verdict": experiment.verdict,
        }
        for experiment in laboratory.experiments
    ]
    return {
        "good": good,
        "check": laboratory.check,
        "candidates": [
            {"kind": step.kind, "version": step.version, "goodVersion": step.good_version}
            for step in steps
        ],
        "cause": [step.version for step in left],
        "latest": None if latest is None else latest.version,
        "runs": len(laboratory.costs),
        "costUsd": sum_of(laboratory.costs),
        "expectedUsdPerRun": laboratory.budget.usd_a_run,
        "budgetSpent": laboratory.is_spent,
        "experiments": experiments,
    }


def _arm_json(trial: Trial) -> JsonObject:
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


def _lines(
    laboratory: Laboratory, left: Sequence[Candidate], latest: Candidate | None
) -> Iterator[str]:
    bad = laboratory.bad
    if left:
        steps = ", ".join(f"the {step.kind} at version {step.version}" for step in left)
        yield f"{bad}: caused by {steps}"
    else:
        verdicts = [experiment.verdict for experiment in laboratory.experiments]
        none = "no candidate is shown to be a cause"
        yield f"{bad}: {none if verdicts == ['not_shown'] else 'more runs may decide it'}"
    if latest is not None:
        yield f"latest step that still rescues it: the {latest.kind} at version {latest.version}"
    cost = sum_of(laboratory.costs)
    spent = "; the budget is spent" if laboratory.is_spent else ""
    yield f"{len(laboratory.costs)} runs" + (f", ${cost:.6f}" if cost is not None else "") + spent
