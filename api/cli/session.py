"""Shared by all commands: options, settings, output, error messages and exit codes."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service, open_service
from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_text
from agentlog.infrastructure.settings import Settings
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.api.cli import progress
    from agentlog.infrastructure.postgres import log_position
    from agentlog.infrastructure.readmodels import catch_up, counted_rows, projection_status


def _folder(text: str) -> Path:
    """Return the folder of an option; raises where a shell's variable was empty."""
    if not text.strip():
        raise typer.BadParameter("name a folder")
    return Path(text)


DataDir = Annotated[
    Path | None,
    typer.Option(
        parser=_folder,
        metavar="PATH",
        help="Folder of the embedded PostgreSQL (AGENTLOG_DATA_DIR). "
        "With AGENTLOG_DATABASE_URL set, that database is used instead.",
    ),
]
At = Annotated[
    str | None,
    typer.Option(help="As it was just after: a version, @position, message id or RFC 3339 time."),
]
Hidden = Annotated[bool, typer.Option("--hidden", help="Hidden threads too.")]
AsJson = Annotated[bool, typer.Option("--json", help="A JSON line each.")]
IndexedFilter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        metavar="FILTER",
        help="Terms that must all hold, as 'refund status:exited metadata.team:red'.",
    ),
]
ThreadArgument = Annotated[str, typer.Argument(help="Id of the thread.")]
Form = Literal["table", "csv", "json"]
"""How a table of answers is printed."""

_PIPED_WIDTH = 200
_BORDER = 3
"""Characters between two columns of a table."""

_DRIVES_TERMINAL = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control and bidirectional characters that JSON need not escape but a terminal interprets."""


class MissingExtra(AgentlogError):
    """A package that only some need is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"this needs more packages: pip install 'agentlog[{extra}]'")


class InvalidOption(AgentlogError):
    """An option on the command line is off."""


def settings_with(
    *,
    data_dir: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    anonymous: str | None = None,
) -> Settings:
    """Return the settings; options of the command line override the environment."""
    given = {"data_dir": data_dir, "host": host, "port": port, "anonymous": anonymous}
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type] # validated by the model
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        reason = first["msg"].removeprefix("Value error, ")
        reason = f"{reason[:1].lower()}{reason[1:]}"
        if given.get(field) is not None:
            raise InvalidOption(f"--{field.replace('_', '-')}: {reason}") from error
        reason = f"AGENTLOG_{field.upper()}: {reason}; unset it for its default"
        raise InvalidOption(reason) from error


def service_in(data_dir: Path | None, *, new: bool = False) -> AbstractContextManager[Service]:
    """Open the service of the environment's settings, with its data in the folder if given.

    `new`: whether a folder without data becomes one; commands that only read make none.
    """
    return open_service(settings_with(data_dir=data_dir), new=new)


def pairs_of(
    option: str, texts: Iterable[str] | None, *, form: str = "NAME=VALUE", named: bool = False
) -> list[tuple[str, str]]:
    """Return the names and values given as `form` to an option; `named`: no name is empty."""
    pairs = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or (named and not name):
            raise InvalidOption(f"{option} {text}: give {form}")
        pairs.append((name, value))
    return pairs


def json_line(value: object) -> str:
    """Return JSON on one line, safe for a terminal: control characters are escaped."""
    return _DRIVES_TERMINAL.sub(lambda code: f"\\u{ord(code[0]):04x}", print_text(value))


def print_line(value: object) -> None:
    """Print JSON on one line."""
    print(json_line(value))  # noqa: T201 - the command's output


def print_listing(
    columns: Mapping[str, int],
    rows: Sequence[Sequence[str | None]],
    *,
    answers: Iterable[object] | None = None,
) -> None:
    """Print a table whose ids are whole, to be copied and passed on; or `answers`, a line each.

    `columns` gives each name's least width in characters; 0 is of ids, which are never wrapped.
    """
    if answers is not None:
        for answer in answers:
            print_line(answer)
        return
    table, console = Table(), Console()
    width = _PIPED_WIDTH if not console.is_terminal else console.width
    needed = len(columns) * _BORDER
    for at, (name, least) in enumerate(columns.items()):
        longest = least or max((len(row[at] or "") for row in rows), default=0)
        table.add_column(name, no_wrap=not least, min_width=longest)
        needed += max(longest, len(name))
    for row in rows:
        table.add_row(*(Text(printable(cell or "")) for cell in row))
    console.width = max(width, needed + 1)
    console.print(table)


def print_lines(lines: Iterable[str], styles: Mapping[str, str] | None = None) -> None:
    """Print lines whole; `styles` has those of lines by how they begin."""
    console = Console(soft_wrap=True, highlight=False)
    for line in lines:
        console.print(Text(line, style=(styles or {}).get(line[:1], "")))


def print_csv(text: str) -> None:
    """Print comma-separated values, on a terminal with control characters made visible."""
    shown = printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text
    sys.stdout.write(shown)


def note_nothing(what: str, service: Service) -> None:
    """Say on standard error that a list is empty, and of which tenant it is."""
    tenant = printable(repr(service.own.name))
    typer.echo(f"no {what} of the tenant {tenant}, which AGENTLOG_TENANT names", err=True)


def bring_up_to_now(service: Service, names: Iterable[str]) -> None:
    """Update read models to the log's current position; a stopped one is read as it is."""
    database, status = service.database, service.projection_status
    position = log_position.log_position(database)
    for name in counted_rows.with_beside(names):
        try:
            with progress.progress_shown() as show:
                catch_up.bring_up(database, status, [name], position=position, progress=show)
        except projection_status.ProjectionBehind as behind:
            Console(stderr=True).print(Text(printable(f"the answer is up to there: {behind}")))
