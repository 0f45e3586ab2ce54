"""The command replay."""

import os
from typing import Annotated

import typer

from agentlog.api.cli.runs.agents import replay_command
from agentlog.api.cli.runs.engines import exit_code, print_replays, replay_by_engine, threads_of
from agentlog.api.cli.session import AsJson, DataDir, InvalidOption, service_in
from agentlog.infrastructure.engine_replay import EngineReplay, load_engine
from agentlog.projections.cognition.replay import StateSource

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
        int, typer.Option("--from", metavar="VERSION", min=1, help="First step at or after it.")
    ] = 1,
    state: Annotated[
        StateSource,
        typer.Option(
            help="What each step begins with: the recorded state, or the engine's own, carried on."
        ),
    ] = "recorded",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; default one a processor.")
    ] = None,
    *,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run an agent or an engine again from the log: exit code 0 says as recorded, 1 diverges.

    An agent is answered from the exchanges that `record` put into the thread; no provider is asked.
    Its tools run again. An engine, `--engine`, is given the recorded inputs, and 2 says that a
    replay failed.
    """
    if command:
        if engine is not None or thread is None or only:
            raise InvalidOption("an agent is replayed from one thread, without --engine and --only")
        raise typer.Exit(replay_command(thread, command, data_dir=data_dir, as_json=json))
    if engine is None:
        raise InvalidOption("name what to run: -- COMMAND, or --engine package.module:Engine")
    load_engine(engine)
    with service_in(data_dir) as service:
        asked = EngineReplay(
            engine, url=service.url, tenant=service.own.name, begin=begin, states=state
        )
        ids = threads_of(service, thread, only or ())
        replays = replay_by_engine(asked, ids, jobs=jobs or os.cpu_count() or 1)
    print_replays(asked, replays, as_json=json)
    raise typer.Exit(exit_code(replays))
