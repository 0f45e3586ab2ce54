"""The command sql: queries, the catalogue of tables, and grants for analysts."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.session import (
    DataDir,
    Form,
    InvalidOption,
    pairs_of,
    print_csv,
    print_line,
    printable,
    settings_with,
)
from api.composition import open_service
from api.shapes.tables import answer_csv, answer_json, rows_of_text
from infrastructure.analysts.answers import Answer, CatalogueTable
from infrastructure.analysts.login import grants as grants_for
from infrastructure.analysts.parameters import MOST_CHARACTERS

app = typer.Typer()

_CELL_WIDTH = 200
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")


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
    settings = settings_with(data_dir=data_dir)
    if grants:
        with open_service(settings) as service:
            print(grants_for(service.database, settings.tenant), end="")  # noqa: T201 - the output
        return
    if tables:
        with open_service(settings) as service:
            _print_tables(service.own.analyst.tables(), as_json=json)
        return
    asked = _query_in(query, file)
    parameters = dict(pairs_of("--param", param, named=True))
    with open_service(settings) as service:
        answer = service.own.analyst.query(asked, parameters, limit=limit, seconds=timeout)
    _print_answer(answer, "json" if json else "csv" if csv else "table")


def _query_in(query: str | None, file: str | None) -> str:
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


def _print_answer(answer: Answer, form: Form) -> None:
    match form:
        case "json":
            print_line(answer_json(answer))
            return
        case "csv":
            print_csv(answer_csv(answer))
        case "table":
            Console().print(_table(answer))
    if answer.truncated:
        Console(stderr=True).print("there are more rows: narrow the query, or raise --limit")


def _print_tables(tables: Sequence[CatalogueTable], *, as_json: bool) -> None:
    if as_json:
        print_line({"items": tables, "next": None})
        return
    console = Console()
    for each in tables:
        console.print(Text(each.name, style="bold"), Text(each.comment or ""))
        shown = Table("column", "type", "meaning")
        for column in each.columns:
            shown.add_row(Text(column.name), Text(column.type), Text(column.comment or ""))
        console.print(shown)


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
