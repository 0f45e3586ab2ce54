"""The commands outline, why, model-call, view and diff."""

from typing import Annotated

import typer
from rich.console import Console

from agentlog.api.cli.session import (
    AsJson,
    At,
    DataDir,
    Hidden,
    ThreadArgument,
    print_line,
    print_lines,
    service_in,
)
from agentlog.api.cli.view_options import OptionList, ViewArgument, chosen_view
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.views.results import State
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.api.shapes import model_calls, threads
    from agentlog.api.shapes import outline as outline_shapes
    from agentlog.api.shapes.lines import model_call as model_call_texts
    from agentlog.api.shapes.lines import outline as outline_texts
    from agentlog.api.shapes.lines import why as why_texts

app = typer.Typer()


@app.command()
def outline(
    thread: ThreadArgument,
    at: At = None,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show what a thread did, a line a step, and where it went wrong."""
    moment = None if at is None else parse_moment(at)
    with service_in(data_dir) as service:
        result = service.views.outline(thread, at=moment, hidden=hidden)
    if not result.steps:
        typer.echo("no step was taken by then: versions begin at 1", err=True)
    if json:
        print_line(outline_shapes.outline_json(result))
    else:
        console = Console()
        width = console.width if console.is_terminal else None
        print_lines(outline_texts.outline_lines(result.steps, result.groups, width=width))


@app.command()
def why(
    thread: ThreadArgument,
    at: At = None,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show why a run went as it went: outcome, first failure, loops, cost."""
    moment = None if at is None else parse_moment(at)
    with service_in(data_dir) as service:
        result = service.views.why(thread, at=moment, hidden=hidden)
    if json:
        print_line(shape_of(result))
    else:
        print_lines(why_texts.why_lines(result))


@app.command("model-call")
def model_call(
    thread: ThreadArgument,
    version: Annotated[
        int | None,
        typer.Argument(min=1, help="That of a message of the answer; default the last."),
    ] = None,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show the request that produced a message, with its answer and the request before it.

    Of a message that no model made, it is the call that comes next, or else the last.
    """
    with service_in(data_dir) as service:
        call = service.views.model_call(thread, version, hidden=hidden)
    if json:
        print_line(model_calls.model_call_json(thread, call))
    else:
        print_lines(model_call_texts.model_call_lines(call))


@app.command()
def view(  # noqa: PLR0913 - one parameter an option
    thread: ThreadArgument,
    name: ViewArgument = "openai",
    at: At = None,
    option: OptionList = None,
    *,
    hidden: Hidden = False,
    data_dir: DataDir = None,
) -> None:
    """Print a view of a thread as JSON, an item a line."""
    chosen = chosen_view(name, option)
    moment = None if at is None else parse_moment(at)
    with service_in(data_dir) as service:
        result = service.views.view(thread, chosen, at=moment, hidden=hidden)
    if isinstance(result, State):
        print_line(result.printable)
        return
    for item in result.items:
        print_line(item.item)


@app.command()
def diff(  # noqa: PLR0913 - one parameter a choice
    thread: ThreadArgument,
    name: ViewArgument = "agent-state",
    begin: Annotated[
        str | None, typer.Option("--from", help="A moment, as --at; default the beginning.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", help="A moment, as --at; default the present.")
    ] = None,
    option: OptionList = None,
    *,
    hidden: Hidden = False,
    data_dir: DataDir = None,
) -> None:
    """Print what changed in a view between two moments, as JSON."""
    chosen = chosen_view(name, option)
    with service_in(data_dir) as service:
        difference = service.views.difference(
            thread,
            chosen,
            begin=None if begin is None else parse_moment(begin),
            end=None if end is None else parse_moment(end),
            hidden=hidden,
        )
    print_line(threads.difference_json(difference))
