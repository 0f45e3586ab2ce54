"""The commands. Each imports what it needs when it runs, so that `--help` stays quick."""

from pathlib import Path
from typing import Annotated

import typer

DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the embedded PostgreSQL [env: AGENTLOG_DATA_DIR]. "
        "With AGENTLOG_DATABASE_URL set, that database is used instead."
    ),
]
At = Annotated[
    str | None,
    typer.Option(help="As it was just after: a version, @position, message id or RFC 3339 time."),
]
ThreadArgument = Annotated[str, typer.Argument(help="Id of the thread.")]
ViewArgument = Annotated[
    str,
    typer.Argument(help="kernel, openai, maria, letta, openletta, agent-state or anomalies."),
]
OptionList = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the view."),
]

app = typer.Typer(
    name="agentlog",
    help="An event-sourced message store for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 for any free one.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve HTTP, on a PostgreSQL of its own unless AGENTLOG_DATABASE_URL names one."""
    from api.cli.serving import serve as run_service
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        run_service(settings_with(data_dir=data_dir, host=host, port=port), examples=False)


@app.command()
def demo(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 for any free one.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve with example threads, in a data folder of their own, and say what to open."""
    from api.cli.serving import serve as run_service
    from api.cli.session import demo_settings, failing_clearly

    with failing_clearly():
        run_service(demo_settings(data_dir=data_dir, host=host, port=port), examples=True)


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database's schema up to date (serve does it too)."""
    from api.cli.reading import migrate as run_migrations
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        run_migrations(settings_with(data_dir=data_dir))


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Annotated[
        list[Path],
        typer.Argument(help="JSON or JSON lines files, folders of them, or - for standard input."),
    ],
    wire: Annotated[
        str, typer.Option("--format", help="kernel, openai, letta, openletta or maria.")
    ] = "kernel",
    messages: Annotated[
        str | None,
        typer.Option(help="JSONPath to the messages in each record, as in '$.traj'."),
    ] = None,
    thread_id: Annotated[
        str | None,
        typer.Option(help="Template of the thread id, as in 'airline-{task_id}-{trial}'."),
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Template of the thread's goal.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=TEMPLATE", help="Metadata of the thread, as in reward={reward}."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="record keeps everything and lists anomalies (default), strict refuses."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Import histories; running it again writes nothing twice."""
    from api.cli.session import failing_clearly, settings_with
    from api.cli.transferring import import_files, plan_of

    with failing_clearly():
        plan = plan_of(
            wire,
            messages=messages,
            thread_id=thread_id,
            goal=goal,
            metadata=metadata or [],
            policy=policy,
        )
        raise typer.Exit(import_files(settings_with(data_dir=data_dir), plan, paths))


@app.command()
def export(  # noqa: PLR0913, PLR0917 - one parameter an option
    threads: Annotated[
        list[str] | None, typer.Argument(help="Ids of threads; all where none is given.")
    ] = None,
    wire: Annotated[
        str, typer.Option("--format", help="Any view; kernel keeps everything.")
    ] = "kernel",
    output: Annotated[
        Path | None, typer.Option("--output", "-O", help="File; default standard output.")
    ] = None,
    at: At = None,
    option: OptionList = None,
    data_dir: DataDir = None,
) -> None:
    """Export threads as JSON lines that import reads."""
    from api.cli.session import failing_clearly, settings_with
    from api.cli.transferring import export_lines

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        export_lines(settings, threads or [], wire, option or [], at=at, output=output)


@app.command("threads")
def threads_(  # noqa: PLR0913 - one parameter a filter
    status: Annotated[str | None, typer.Option(help="open, exited or closed.")] = None,
    q: Annotated[str | None, typer.Option(help="Words in goal or id, or how they begin.")] = None,
    parent: Annotated[str | None, typer.Option(help="Id of the parent thread.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="What metadata must be, as in team=support or reward=0.0."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 50,
    *,
    json: Annotated[bool, typer.Option("--json", help="A JSON line each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List threads, those that moved last first."""
    from api.cli.reading import filter_of, list_threads
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        which = filter_of(status=status, q=q, parent=parent, metadata=metadata or [])
        list_threads(settings_with(data_dir=data_dir), which, limit=limit, as_json=json)


@app.command()
def show(
    thread: ThreadArgument,
    at: At = None,
    *,
    full: Annotated[bool, typer.Option("--full", help="All of each message.")] = False,
    json: Annotated[bool, typer.Option("--json", help="A JSON line each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Show a thread and its messages as the log has them."""
    from api.cli.reading import show_thread
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        show_thread(settings_with(data_dir=data_dir), thread, at=at, as_json=json, full=full)


@app.command()
def view(
    thread: ThreadArgument,
    name: ViewArgument = "openai",
    at: At = None,
    option: OptionList = None,
    data_dir: DataDir = None,
) -> None:
    """Print a view of a thread as JSON, an item a line."""
    from api.cli.reading import print_view
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        print_view(settings_with(data_dir=data_dir), thread, name, option or [], at=at)


@app.command()
def diff(  # noqa: PLR0913, PLR0917 - one parameter a choice
    thread: ThreadArgument,
    name: ViewArgument = "agent-state",
    begin: Annotated[
        str | None, typer.Option("--from", help="A moment, as --at; default the beginning.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", help="A moment, as --at; default the present.")
    ] = None,
    option: OptionList = None,
    data_dir: DataDir = None,
) -> None:
    """Print what changed in a view between two moments, as JSON."""
    from api.cli.reading import print_difference
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        print_difference(settings, thread, name, option or [], begin=begin, end=end)


def run() -> None:
    """Run the command line."""
    app()
