"""Replays that are kept: an agent is answered from its tape up to a cursor, and goes on live."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from agentlog.api.cli.session import (
    InvalidOption,
    print_line,
    print_listing,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.api.cli.replays.agents import report_json, report_lines
from agentlog.extensions.runs.api.cli.replays.fork_run import ForkOrder, ForkRun, run_fork
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import RecordedThread
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.hazards import hazards
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools

_DIVERGES = 1
_COLUMNS = {"model": 0, "verdict": 7, "in": 2, "out": 3, "cost": 4, "time": 4, "fork": 0}


def fork_command(
    order: ForkOrder,
    models: Sequence[str | None],
    *,
    yes: bool,
    data_dir: Path | None,
    as_json: bool,
) -> int:
    """Run a command once for each model, into a fork of its own, and return the exit code.

    None is the model that the agent asks.
    """
    runs = []
    with service_in(data_dir) as service:
        check_command(order.command)
        cursor = RecordedThread(service.threads, order.thread_id).cursor(order.begin)
        if cursor.asked is not None:
            allow(cursor.whole, order.tools, yes=yes)
        try:
            for model in models:
                own = replace(order, changes=replace(order.changes, model=model))
                run = run_fork(service, settings_with(data_dir=data_dir).spool_dir, own, cursor)
                runs.append(run)
                if as_json:
                    print_line(_json(run, order.thread_id))
                else:
                    _print(run, order)
                if run.is_interrupted and len(models) > 1:
                    raise KeyboardInterrupt
        finally:
            if len(models) > 1 and runs and not as_json:
                print_listing(_COLUMNS, [_cells(run) for run in runs])
    if len(runs) > 1:
        return 0 if all(run.is_good for run in runs) else _DIVERGES
    return runs[0].code or (0 if runs[0].is_good else _DIVERGES)


def check_command(command: Sequence[str]) -> None:
    """Raise `InvalidOption` if there is no such command, before anything is written."""
    if shutil.which(command[0]) is None:
        raise InvalidOption(f"{command[0]}: there is no such command")


def allow(run: RecordedRun, tools: Tools, *, yes: bool, cost: str | None = None) -> None:
    """Say which calls of a run may be made again, and what it costs, and ask whether it may."""
    calls = hazards(run, tools)
    names = ", ".join(f"{name} ({count})" for name, count in calls.most_common())
    wrapped = "" if tools == "live" else " but those behind mcp-proxy and recorded_tool"
    effects = f"tools of the agent{wrapped} run again, and may have effects: {names}"
    parts = (effects if calls else None, cost)
    text = printable("; ".join(part for part in parts if part is not None))
    if yes or not text:
        return
    if not sys.stdin.isatty():
        raise InvalidOption(f"{text}; --yes goes on")
    typer.confirm(f"{text}. Go on?", abort=True, err=True)


def _print(run: ForkRun, order: ForkOrder) -> None:
    for line in _lines(run, order):
        typer.echo(printable(line), err=True)


def _lines(run: ForkRun, order: ForkOrder) -> Iterator[str]:
    yield f"{run.thread_id}: forked from {order.thread_id} at version {run.version}"
    yield from report_lines(run.thread_id, run.report, run.tools)
    for change in run.unmet:
        yield f"never came to: {change}"
    if run.passed is not None:
        yield f"check: {'passed' if run.passed else 'failed'}"


def _cells(run: ForkRun) -> list[str | None]:
    verdict = "passed" if run.is_good else "failed"
    tokens = [None if count is None else str(count) for count in run.tokens]
    cost = None if run.cost_usd is None else f"${run.cost_usd:.6f}"
    return [run.model, verdict, *tokens, cost, f"{run.seconds:.1f} s", run.thread_id]


def _json(run: ForkRun, origin: str) -> JsonObject:
    return {
        "threadId": run.thread_id,
        "forkedFrom": {"thread": origin, "version": run.version},
        "model": run.model,
        **report_json(run.report, run.tools),
        "unmet": [*run.unmet],
        "commandExitCode": run.code,
        "check": None if run.passed is None else "passed" if run.passed else "failed",
        "inputTokens": run.tokens[0],
        "outputTokens": run.tokens[1],
        "costUsd": run.cost_usd,
        "seconds": round(run.seconds, 3),
    }
