"""The commands. Each imports what it needs when it runs, so that `--help` stays quick."""

from pathlib import Path
from typing import Annotated, Literal

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
        str,
        typer.Option(
            "--format",
            help="Any view, a thread a line; kernel keeps everything. jsonl: the log, an event a "
            "line. finetune: OpenAI's fine-tuning lines of finished threads. parquet: a dataset.",
        ),
    ] = "kernel",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-O", help="File, default standard output; for parquet the folder."
        ),
    ] = None,
    at: At = None,
    option: OptionList = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="jsonl: only events beyond this position.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="parquet: events, or the name of a read model.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="finetune: open, exited or closed; default the last two.")
    ] = None,
    q: Annotated[str | None, typer.Option(help="finetune: words in goal or id.")] = None,
    parent: Annotated[str | None, typer.Option(help="finetune: id of the parent thread.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="finetune: what metadata must be, as reward=1.0."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Export threads as lines that import reads, the log, training data, or a Parquet dataset."""
    from api.cli.exporting import Asked, export_lines, needing
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        asked = Asked(
            format=wire,
            threads=threads or [],
            output=output,
            at=at,
            option=option or [],
            after=after,
            only=only or [],
            status=status,
            q=q,
            parent=parent,
            metadata=metadata or [],
        )
        settings = settings_with(data_dir=data_dir)
        if wire != "parquet":
            export_lines(settings, asked)
            return
        with needing("parquet", "pyarrow"):
            from api.cli.dataset import export_parquet
        export_parquet(settings, asked)


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


@app.command("report")
def report_(  # noqa: PLR0913, PLR0917 - one parameter an option
    name: Annotated[
        str,
        typer.Argument(
            help="usage, models, tools, slowest, failures, approvals, workers, threads or "
            "anomalies."
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option(help="What rows are about, as in day,tool or metadata.team; '' for all."),
    ] = None,
    begin: Annotated[
        str | None, typer.Option("--from", help="A date, or an RFC 3339 time with its zone.")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", help="The same; not in it any more.")] = None,
    clock: Annotated[str | None, typer.Option(help="recorded (default) or sent.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only threads whose metadata is so."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Only what is so: tool, model, thread, parent and others, as the report takes it.",
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option(help="A column, with a minus for the largest first.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many rows.")] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="File to draw it in, .svg or .png.", metavar="FILE")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Report on all threads: what failed, what it cost, how long it took."""
    from api.cli.reporting import pairs_of, run_report
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        options = {"from": begin, "to": end, "clock": clock, "order": order, "limit": limit}
        pairs = pairs_of(by=by, only=only or [], metadata=metadata or [], options=options)
        form: Literal["table", "csv", "json"] = "json" if json else "csv" if csv else "table"
        run_report(settings_with(data_dir=data_dir), name, pairs, form=form, picture=plot)


@app.command()
def sql(  # noqa: PLR0913 - one parameter an option
    query: Annotated[
        str | None, typer.Argument(help="One SELECT, VALUES, TABLE or WITH … SELECT.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="A value for :NAME in it."),
    ] = None,
    file: Annotated[str | None, typer.Option(help="File with the query, - for stdin.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many rows.")] = 1000,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds; default and at most AGENTLOG_ANALYST_SECONDS (30)."),
    ] = None,
    *,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP.")] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="List the tables and what their columns mean.")
    ] = False,
    grants: Annotated[
        bool, typer.Option("--grants", help="Print the SQL that makes a login for analysts.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Ask the tables of analysts in SQL; nothing can be changed by it."""
    from api.cli.querying import parameters_in, print_grants, print_tables, query_in, run_query
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        form: Literal["table", "csv", "json"] = "json" if json else "csv" if csv else "table"
        if grants:
            print_grants(settings)
        elif tables:
            print_tables(settings, form=form)
        else:
            asked, given = query_in(query, file), parameters_in(param or [])
            run_query(settings, asked, given, limit=limit, seconds=timeout, form=form)


projections_app = typer.Typer(
    invoke_without_command=True, help="Read models: where they stand; rebuild, pause, resume, run."
)
app.add_typer(projections_app, name="projections")
Names = Annotated[list[str] | None, typer.Argument(help="Which; all where none is named.")]


@projections_app.callback()
def projections_(
    context: typer.Context,
    *,
    json: Annotated[bool, typer.Option("--json", help="A JSON line each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Say where every projection stands."""
    from api.cli.session import failing_clearly, settings_with

    if context.invoked_subcommand is not None:
        return
    with failing_clearly():
        from api.cli.projecting import list_projections

        list_projections(settings_with(data_dir=data_dir), as_json=json)


@projections_app.command("rebuild")
def rebuild_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Build anew beside what is live, and switch once it has caught up."""
    from api.cli.projecting import rebuild
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        rebuild(settings_with(data_dir=data_dir), names or [])


@projections_app.command("pause")
def pause_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections stand still."""
    from api.cli.projecting import pause
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        pause(settings_with(data_dir=data_dir), names or [])


@projections_app.command("resume")
def resume_projections(names: Names = None, data_dir: DataDir = None) -> None:
    """Have projections go on, also those that stopped at an event."""
    from api.cli.projecting import resume
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        resume(settings_with(data_dir=data_dir), names or [])


@projections_app.command("run")
def run_projections(
    data_dir: DataDir = None,
    *,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Keep projections up; `serve` does it too, unless AGENTLOG_PROJECTIONS=off."""
    from api.cli.projecting import run as run_projector
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        run_projector(settings_with(data_dir=data_dir), with_parent=with_parent)


@app.command()
def tail(  # noqa: PLR0913, PLR0917 - one parameter a choice
    thread: Annotated[
        str | None, typer.Argument(help="Id of the thread; the whole log where none is given.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--view", help="Follow the thread in this view, an item a line.")
    ] = None,
    option: OptionList = None,
    after: Annotated[
        str | None,
        typer.Option(
            help="Go on after this version, or place of a view; of the log a position, or latest "
            "(default: a thread's beginning, the log's last ten)."
        ),
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", help="Only events of this type; may be repeated.")
    ] = None,
    thread_prefix: Annotated[
        str, typer.Option(help="Only threads whose id begins like this.")
    ] = "",
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only messages with this in their metadata."),
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(min=0.001, help="Replay with the pauses that there were, divided by this."),
    ] = None,
    *,
    follow: Annotated[bool, typer.Option(help="Go on beyond the present.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Plain JSON lines, for programs.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Follow a thread, or the whole log, as it grows."""
    from api.cli.session import failing_clearly, settings_with
    from api.cli.tailing import Tailing, filter_from, tail_log, tail_thread, view_from

    with failing_clearly():
        how = Tailing(after, follow=follow, speed=speed, as_json=json)
        which = filter_from(types or [], thread_prefix, metadata or [])
        view = view_from(name, option or [])
        settings = settings_with(data_dir=data_dir)
        if thread is not None:
            tail_thread(settings, thread, view, which, how)
        else:
            tail_log(settings, which, how)


def run() -> None:
    """Run the command line."""
    app()
