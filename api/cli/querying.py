"""Implements the command sql: queries, the catalogue of tables, and grants for analysts."""

import sys
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.reading import print_line
from api.cli.session import InvalidOption, printable
from api.composition import open_service
from api.shapes.tables import answer_csv, answer_json, rows_of_text
from infrastructure.analysts.answers import Answer
from infrastructure.analysts.login import grants
from infrastructure.analysts.parameters import MOST_CHARACTERS
from infrastructure.settings import Settings

Form = Literal["table", "csv", "json"]

_CELL_WIDTH = 200
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")


def query_in(query: str | None, file: str | None) -> str:
    """Return the query from the argument or from a file (`-` is standard input)."""
    if (query is None) == (file is None):
        raise InvalidOption("give the query, or --file with a file that holds it, or - for stdin")
    if query is not None:
        return query
    try:
        if file == "-":
            return sys.stdin.buffer.read(4 * MOST_CHARACTERS + 1).decode()
        with Path(str(file)).open("rb") as opened:
            return opened.read(4 * MOST_CHARACTERS + 1).decode()
    except OSError as error:
        raise InvalidOption(f"--file {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidOption(f"--file {file}: not UTF-8 at byte {error.start}") from error


def parameters_in(options: list[str]) -> dict[str, str]:
    """Return the parameters given as NAME=VALUE."""
    pairs = [option.partition("=") for option in options]
    for text, (name, equals, _) in zip(options, pairs, strict=True):
        if not (name and equals):
            raise InvalidOption(f"--param {text}: give NAME=VALUE")
    return {name: value for name, _, value in pairs}


def run_query(  # noqa: PLR0913 - one parameter an option
    settings: Settings,
    query: str,
    parameters: dict[str, str],
    *,
    limit: int,
    seconds: float | None,
    form: Form,
) -> None:
    """Run a query and print its answer."""
    with open_service(settings) as service:
        answer = service.own.analyst.query(query, parameters, limit=limit, seconds=seconds)
    match form:
        case "json":
            print_line(answer_json(answer))
            return
        case "csv":
            text = answer_csv(answer)
            shown = printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text
            sys.stdout.write(shown)
        case "table":
            Console().print(_table(answer))
    if answer.truncated:
        Console(stderr=True).print("there are more rows: narrow the query, or raise --limit")


def print_tables(settings: Settings, *, form: Form) -> None:
    """Print the catalogue of the tables for queries."""
    with open_service(settings) as service:
        tables = service.own.analyst.tables()
    if form == "json":
        print_line({"items": tables, "next": None})
        return
    console = Console()
    for each in tables:
        console.print(Text(each.name, style="bold"), Text(each.comment or ""))
        shown = Table("column", "type", "meaning")
        for column in each.columns:
            shown.add_row(Text(column.name), Text(column.type), Text(column.comment or ""))
        console.print(shown)


def print_grants(settings: Settings) -> None:
    """Print the SQL that creates a login for analysts."""
    with open_service(settings) as service:
        print(grants(service.database, settings.tenant), end="")  # noqa: T201 - the output


def _table(answer: Answer) -> Table:
    table = Table()
    for each in answer.columns:
        right = each.type.startswith(_NUMBERS) and not each.type.endswith("[]")
        table.add_column(Text(printable(each.name)), justify="right" if right else "left")
    for row in rows_of_text(answer):
        table.add_row(*(Text(_short(printable(cell))) for cell in row))
    return table


def _short(text: str) -> str:
    return text if len(text) <= _CELL_WIDTH else f"{text[:_CELL_WIDTH]} …"
