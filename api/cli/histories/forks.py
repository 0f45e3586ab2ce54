"""The commands fork and forks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from agentlog.api.cli.session import (
    AsJson,
    At,
    DataDir,
    Hidden,
    InvalidOption,
    ThreadArgument,
    pairs_of,
    print_line,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.shapes.forks import fork_json, tree_json, tree_lines
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.forks.edits import Edit

app = typer.Typer()

_FORM = "VERSION=FILE"


@app.command()
def fork(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: ThreadArgument,
    at: At = None,
    as_thread: Annotated[
        str | None, typer.Option("--as", metavar="NEW", help="Id of the fork; else a new one.")
    ] = None,
    goal: Annotated[str | None, typer.Option(help="What the fork is for.")] = None,
    drop: Annotated[
        list[int] | None, typer.Option(metavar="VERSION", help="Leave this message out.")
    ] = None,
    replace: Annotated[
        list[str] | None,
        typer.Option(metavar=_FORM, help="Put a message, as JSON in a file, in its place."),
    ] = None,
    insert: Annotated[
        list[str] | None,
        typer.Option(metavar=_FORM, help="Put a message after it; after 0 at the beginning."),
    ] = None,
    *,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Start a thread with a copy of another's messages up to a point."""
    edits = [
        *(Edit("drop", version) for version in drop or ()),
        *_edits("replace", replace),
        *_edits("insert", insert),
    ]
    facts: dict[str, JsonValue] = {} if goal is None else {"goal": goal}
    with service_in(data_dir) as service:
        made = service.own.forker.fork(
            thread,
            None if at is None else parse_moment(at),
            as_thread=as_thread,
            edits=edits,
            facts=facts,
        )
    if json:
        print_line(fork_json(made))
    else:
        origin = f"{made.origin.thread} at version {made.origin.version}"
        typer.echo(printable(f"{made.thread_id}: version {made.version}, forked from {origin}"))


@app.command()
def forks(
    thread: ThreadArgument,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show the tree of forks that a thread stands in."""
    with service_in(data_dir) as service:
        threads, truncated = service.own.forker.tree(thread, hidden=hidden)
    tree = tree_json(threads, truncated=truncated)
    if json:
        for node in tree["items"]:
            print_line(node)
        return
    for line in tree_lines(tree):
        typer.echo(printable(line))


def _edits(kind: Literal["replace", "insert"], texts: Sequence[str] | None) -> list[Edit]:
    """Return the edits of an option, each with the message in its file."""
    edits = []
    for number, name in pairs_of(f"--{kind}", texts, form=_FORM, named=True):
        if not number.isascii() or not number.isdigit():
            raise InvalidOption(f"--{kind} {number}={name}: give {_FORM}")
        try:
            content = Path(name).read_bytes()
        except OSError as error:
            raise InvalidOption(f"--{kind} {number}={name}: {error.strerror}") from error
        edits.append(Edit(kind, int(number), parse(content, place=name)))
    return edits
