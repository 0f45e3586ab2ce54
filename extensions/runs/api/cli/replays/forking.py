"""The command fork-run: an agent is answered from its tape up to a point, and goes on live."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    InvalidOption,
    pairs_of,
    print_line,
    print_listing,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.filters import metadata_value
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.api.cli.recording.commands import ToolsOption
from agentlog.extensions.runs.api.cli.replays.fork_run import ForkOrder, ForkRun, run_fork
from agentlog.extensions.runs.api.cli.replays.report import report_json, report_lines
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import RecordedThread
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.changes import Changes, check_pointer
from agentlog.extensions.runs.projections.tapes.hazards import hazards
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools
from agentlog.extensions.runs.projections.written.files import answer_in

app = typer.Typer()

_DIVERGES = 1
_COLUMNS = {"model": 0, "verdict": 7, "in": 2, "out": 3, "cost": 4, "time": 4, "fork": 0}


@app.command("fork-run")
def fork_run(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: Annotated[str, typer.Argument(help="Id of the thread.")],
    command: Annotated[
        list[str], typer.Argument(help="The agent that was recorded, unchanged; after --.")
    ],
    begin: Annotated[
        int | None,
        typer.Option(
            "--from",
            metavar="VERSION",
            min=1,
            help="The first answer that is live; default none is, and all is replayed.",
        ),
    ] = None,
    as_thread: Annotated[
        str | None, typer.Option("--as", metavar="NEW", help="Id of the fork; default a new one.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Another model.")] = None,
    models: Annotated[
        str | None, typer.Option(metavar="A,B", help="A fork for each model.")
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Passes a fork by exit code 0; runs in a shell, where $1 is the fork.",
        ),
    ] = None,
    system: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another system prompt.")
    ] = None,
    answer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the model says there first.")
    ] = None,
    result: Annotated[
        list[str] | None, typer.Option(metavar="CALL=FILE", help="What a tool gave back.")
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="POINTER=VALUE", help="A field of each request; null: none."),
    ] = None,
    drop_tool: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Offer it no longer.")
    ] = None,
    tools: ToolsOption = "live",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Run tools again without asking.")] = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run an agent again from the log up to a point, then live, and keep it as a fork.

    The provider is asked from that answer on, with the changes. Tools of the agent run again,
    unless --tools says otherwise. Exit code 0 says that all before was as recorded, that the run
    came to each change, and that the check passed; 1 that not. Where the command fails, the exit
    code is its own.
    """
    changes = Changes(
        model=model,
        system=None if system is None else content_of(system, "--system").decode(),
        without_tools=tuple(drop_tool or ()),
        fields={
            check_pointer(name): metadata_value(text)
            for name, text in pairs_of("--set", fields, form="POINTER=VALUE")
        },
        results={
            call: content_of(Path(name), f"--result {call}").decode()
            for call, name in pairs_of("--result", result, form="CALL=FILE", named=True)
        },
    )
    answers = {} if answer is None else {0: answer_in(content_of(answer, "--answer"))}
    several = [name for name in (models or "").split(",") if name]
    if begin is None and (changes or models or answers):
        raise InvalidOption("changes need --from VERSION: where the agent goes on live")
    if as_thread is not None and len(several) > 1:
        raise InvalidOption("--as names one fork: leave it out with --models")
    order = ForkOrder(thread, command, begin, changes, answers, as_thread, tools, check=check)
    raise typer.Exit(
        _fork_command(order, several or [model], yes=yes, data_dir=data_dir, as_json=json)
    )


def _fork_command(
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


def content_of(file: Path, option: str) -> bytes:
    """Return the UTF-8 text in the file of an option."""
    try:
        content = file.read_bytes()
        content.decode()
    except OSError as error:
        raise InvalidOption(f"{option} {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidOption(f"{option} {file}: not UTF-8") from error
    return content
