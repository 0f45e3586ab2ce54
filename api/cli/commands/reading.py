"""Commands that read and follow threads, messages and views."""

from typing import Annotated

import typer

from api.cli.options import At, DataDir, OptionList, ThreadArgument, ViewArgument

app = typer.Typer()


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
