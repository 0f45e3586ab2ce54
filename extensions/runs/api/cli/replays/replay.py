"""The command replay."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from agentlog.api.cli.session import AsJson, DataDir, InvalidOption, pairs_of, service_in
from agentlog.api.filters import metadata_value
from agentlog.extensions.runs.api.cli.replays.agents import replay_command
from agentlog.extensions.runs.api.cli.replays.engines import (
    exit_code,
    print_replays,
    replay_by_engine,
    threads_of,
)
from agentlog.extensions.runs.api.cli.replays.files import content_of
from agentlog.extensions.runs.api.cli.replays.fork_run import ForkOrder
from agentlog.extensions.runs.api.cli.replays.forking import fork_command
from agentlog.extensions.runs.infrastructure.engine_replay import EngineReplay, load_engine
from agentlog.extensions.runs.projections.cognition.replay import StateSource
from agentlog.extensions.runs.projections.tapes.changes import Changes, check_pointer
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools
from agentlog.extensions.runs.projections.written.files import answer_in

app = typer.Typer()


@app.command()
def replay(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: Annotated[
        str | None,
        typer.Argument(metavar="[THREAD]", help="Id of the thread; or the file of a cassette."),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Argument(help="The agent that was recorded, unchanged; after --."),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME",
            help="A cognitive engine: a class or function in a module of the current directory.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="All threads that are so: metadata.KEY, status, parent or q.",
        ),
    ] = None,
    begin: Annotated[
        int | None,
        typer.Option(
            "--from",
            metavar="VERSION",
            min=1,
            help="First step at or after it; of an agent the first answer that is live.",
        ),
    ] = None,
    state: Annotated[
        StateSource,
        typer.Option(
            help="What each step begins with: the recorded state, or the engine's own, carried on."
        ),
    ] = "recorded",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; default one a processor.")
    ] = None,
    as_thread: Annotated[
        str | None,
        typer.Option("--as", metavar="NEW", help="Keep an agent's replay as this fork."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="With --from: another model.")] = None,
    models: Annotated[
        str | None, typer.Option(metavar="A,B", help="With --from: a fork for each model.")
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="Passes a fork by exit code 0; runs in a shell, where $1 is the fork.",
        ),
    ] = None,
    system: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --from: another system prompt.")
    ] = None,
    answer: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --from: what the model says there first."),
    ] = None,
    result: Annotated[
        list[str] | None,
        typer.Option(metavar="CALL=FILE", help="With --from: what a tool gave back."),
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="POINTER=VALUE",
            help="With --from: a field of each request; null: none.",
        ),
    ] = None,
    drop_tool: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="With --from: offer it no longer.")
    ] = None,
    tools: Annotated[
        Tools,
        typer.Option(
            help="Of tools behind mcp-proxy or recorded_tool: run them, answer from the record, or "
            "refuse. All others run."
        ),
    ] = "live",
    on_divergence: Annotated[
        Literal["fail", "nearest"] | None,
        typer.Option(
            help="What is not on the tape is refused, by default, or given the next answer there."
        ),
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Run tools again without asking.")] = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run an agent or an engine again from the log: exit code 0 says as recorded, 1 diverges.

    An agent is answered from the exchanges that `record` put into the thread, and no provider is
    asked; with --from one is, from that answer on, and a fork keeps what came of it. Tools of the
    agent run again, unless --tools says otherwise. An engine, `--engine`, is given the recorded
    inputs, and 2 says that a replay failed.
    """
    if command:
        if engine is not None or thread is None or only:
            raise InvalidOption("an agent is replayed from one thread, without --engine and --only")
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
        given = None if answer is None else answer_in(content_of(answer, "--answer"))
        several = [name for name in (models or "").split(",") if name]
        if begin is None and (changes or models or given is not None):
            raise InvalidOption("changes need --from VERSION: where the agent goes on live")
        if begin is None and as_thread is None and check is None:
            raise typer.Exit(
                replay_command(
                    thread,
                    command,
                    tools=tools,
                    by_place=on_divergence == "nearest",
                    data_dir=data_dir,
                    as_json=json,
                )
            )
        if on_divergence == "nearest":
            raise InvalidOption("--on-divergence nearest is for replays that are not kept")
        answers = {} if given is None else {0: given}
        order = ForkOrder(thread, command, begin, changes, answers, as_thread, tools, check=check)
        if as_thread is not None and len(several) > 1:
            raise InvalidOption("--as names one fork: leave it out with --models")
        raise typer.Exit(
            fork_command(order, several or [model], yes=yes, data_dir=data_dir, as_json=json)
        )
    of_agents = (as_thread, model, models, check, system, answer, result, fields, drop_tool)
    if tools != "live" or any(value is not None for value in (*of_agents, on_divergence)):
        raise InvalidOption("these options are for an agent: name its command after --")
    if engine is None:
        raise InvalidOption("name what to run: -- COMMAND, or --engine package.module:Engine")
    load_engine(engine)
    with service_in(data_dir) as service:
        asked = EngineReplay(
            engine, url=service.url, tenant=service.own.name, begin=begin or 1, states=state
        )
        ids = threads_of(service, thread, only or ())
        replays = replay_by_engine(asked, ids, jobs=jobs or os.cpu_count() or 1)
    print_replays(asked, replays, as_json=json)
    raise typer.Exit(exit_code(replays))
