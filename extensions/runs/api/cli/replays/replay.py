"""The command replay: the same agent before its tape."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand
from typing_extensions import override

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    InvalidOption,
    print_line,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.api.cli.recording.commands import ToolsOption, run_command
from agentlog.extensions.runs.api.cli.replays.report import report_json, report_lines
from agentlog.extensions.runs.api.gateway.replayer import replaying
from agentlog.extensions.runs.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import tapes_of
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.extensions.runs.projections.tapes.cassette import read_cassette
from agentlog.extensions.runs.projections.tapes.tape import Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools, ToolTape
from agentlog.infrastructure.settings import ProviderSettings

app = typer.Typer()

_DIVERGES = 1
_OF_ENGINES = frozenset({"--engine", "--only", "--state", "--jobs"})
_OF_FORKS = frozenset(
    "--from --as --model --models --check --system --answer --result --set --drop-tool".split()
)


class _Replay(TyperCommand):
    """Names the commands that `replay` was too, in 0.25."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = args[: args.index("--")] if "--" in args else args
        options = {arg.partition("=")[0] for arg in own}
        if options & _OF_ENGINES:
            raise InvalidOption(
                "an engine is run by another command: agentlog replay-engine MODULE:NAME [THREAD]"
            )
        if options & _OF_FORKS:
            raise InvalidOption(f"that is another command: agentlog fork-run {shlex.join(args)}")
        return super().parse_args(ctx, args)


@app.command(cls=_Replay)
def replay(  # noqa: PLR0913 - one parameter an option
    thread: Annotated[str, typer.Argument(help="Id of the thread; or the file of a cassette.")],
    command: Annotated[
        list[str], typer.Argument(help="The agent that was recorded, unchanged; after --.")
    ],
    tools: ToolsOption = "live",
    on_divergence: Annotated[
        Literal["fail", "nearest"],
        typer.Option(help="Refuse what is not on the tape, or give the next answer there."),
    ] = "fail",
    *,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run an agent again, answered from the log: exit code 0 says as recorded, 1 diverges.

    It is answered from the exchanges that `record` put into the thread, and no provider is asked.
    Its tools run again, unless --tools says otherwise. Where the command fails, the exit code is
    its own.
    """
    by_place = on_divergence == "nearest"
    tape, tool_tape = _tapes(thread, tools, data_dir, by_place=by_place)
    upstreams = upstreams_of(ProviderSettings())
    names = {upstream.name for upstream in upstreams}
    with replaying(tape, tool_tape, values_here(), names=names) as replay:
        urls = base_urls(replay.url, upstreams)
        code = run_command(command, environment_with({**urls, VARIABLE: replay.tools})).code
    report = tape.finish()
    if json:
        counts: JsonObject = report_json(report, tool_tape)
        print_line({"threadId": thread, **counts, "commandExitCode": code})
    else:
        for line in report_lines(thread, report, tool_tape):
            typer.echo(printable(line), err=True)
    raise typer.Exit(code or (0 if report.is_equal and tool_tape.is_equal else _DIVERGES))


def _tapes(
    thread_id: str, tools: Tools, data_dir: Path | None, *, by_place: bool
) -> tuple[Tape, ToolTape]:
    """Return the tapes of a cassette, if there is a file of this name, else of a thread."""
    try:
        with Path(thread_id).open("rb") as file:
            recorded = read_cassette(file)
    except (OSError, ValueError):
        with service_in(data_dir) as service:
            return tapes_of(service.threads, thread_id, tools, by_place=by_place)
    return Tape(recorded, by_place=by_place), ToolTape.of_run(recorded, tools)
