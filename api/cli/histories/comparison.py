"""The command compare: threads one by one, or all runs of each task."""

from typing import Annotated

import typer

from agentlog.api.cli.session import (
    DataDir,
    IndexedFilter,
    InvalidOption,
    print_line,
    print_lines,
    service_in,
)
from agentlog.api.cli.view_options import OptionList, chosen_view
from agentlog.api.filters import failure_filter, indexed_filter, metadata_key
from agentlog.api.shapes.comparisons.comparison import compared_json
from agentlog.api.shapes.lines.comparison import compared_lines, run_sets_lines
from agentlog.api.shapes.shape import shape_of
from agentlog.infrastructure.comparison.comparer import parse_side
from agentlog.infrastructure.comparison.run_sets import SetsAsked
from agentlog.projections.comparison.steps import Which

app = typer.Typer()

_SIGNS = {"-": "red", "+": "green"}
_FEWEST_SIDES = 2


@app.command()
def compare(  # noqa: PLR0913, PLR0917 - one parameter a choice
    threads: Annotated[
        list[str] | None,
        typer.Argument(help="Two ids or more, each as it is or ID@MOMENT; the first is the base."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="metadata.KEY", help="Compare all threads of each value of the key."),
    ] = None,
    where: IndexedFilter = None,
    failed: Annotated[
        str,
        typer.Option(
            metavar="FILTER",
            help="--by: which runs failed, as 'metadata.reward:0 or exit:error'; by default as "
            "in lists.",
        ),
    ] = "",
    view: Annotated[str, typer.Option(help="A view that is a list.")] = "kernel",
    option: OptionList = None,
    steps: Annotated[
        Which | None,
        typer.Option(help="all items (default), or only calls of tools (default of --by)."),
    ] = None,
    context: Annotated[
        int | None, typer.Option(min=0, help="Equal items around each difference; default 1.")
    ] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP, all in one page.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Compare threads by what was said and called, or all runs of each task."""
    chosen = chosen_view(view, option)
    if by is None:
        for name, text in {"filter": where, "failed": failed}.items():
            if text:
                raise InvalidOption(f"--{name} goes with --by metadata.KEY")
        sides = [parse_side(thread) for thread in threads or ()]
        if len(sides) < _FEWEST_SIDES:
            raise InvalidOption("name two threads or more, or --by metadata.KEY")
        around = 1 if context is None else context
        with service_in(data_dir) as service:
            compared = service.own.comparer.compare(sides, chosen, which=steps or "all")
        if json:
            print_line(compared_json(compared, context=around))
        else:
            print_lines(compared_lines(compared, context=around), _SIGNS)
        return
    if threads or context is not None:
        raise InvalidOption("--by compares all threads: filter them; name none, nor --context")
    asked = SetsAsked(
        indexed_filter(where or ""),
        chosen,
        by=metadata_key(by),
        failed=failure_filter(failed),
        which=steps or "calls",
    )
    with service_in(data_dir) as service:
        runs = service.own.run_sets.compare(asked)
    if json:
        print_line(shape_of(runs))
    else:
        print_lines(run_sets_lines(runs), _SIGNS)
