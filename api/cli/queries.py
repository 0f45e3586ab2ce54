"""The commands sql (queries, the catalogue of tables, grants for analysts) and find."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentlog.api.cli.session import (
    DataDir,
    Form,
    InvalidOption,
    bring_up_to_now,
    pairs_of,
    print_csv,
    print_line,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import open_service
from agentlog.api.filters import time_filter
from agentlog.api.shapes.shape import shape_of
from agentlog.api.shapes.tables import query_csv, query_json, rows_of_text
from agentlog.domain.json.answers import time_text
from agentlog.infrastructure.analysts.answers import CatalogueTable, QueryResult
from agentlog.infrastructure.analysts.login import grants as grants_for
from agentlog.infrastructure.analysts.parameters import MOST_CHARACTERS
from agentlog.infrastructure.embedded.cluster import DATABASE
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.reports.summaries import SummaryQuery, models_of
from agentlog.infrastructure.search.hits import Excerpt
from agentlog.infrastructure.search.index import MODEL
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Hits
from agentlog.projections.filters.expression import ALL
from agentlog.projections.filters.grammar import parse_filter

app = typer.Typer()

_PAGE = 100
_CELL_WIDTH = 200
_NUMBERS = ("smallint", "integer", "bigint", "numeric", "real", "double precision")

_REGULAR_EXPRESSION = re.compile(r"\.[*+?]|\\[wdsb]|\[[^\]]+\][*+?]?|\(.*\|.*\)|^\^|\$$")
"""What hardly stands in a text that is searched for."""


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
        name = _database_name(settings.database_url)
        print(grants_for(settings.tenant, database=name), end="")  # noqa: T201 - the output
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


def _database_name(url: str | None) -> str:
    """Return the name of the database at `url`, or of our own, which need not be there."""
    if url is None:
        return DATABASE
    with Database(url, pool_size=1) as database, database.connection() as connection:
        return connection.info.dbname


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


def _print_answer(answer: QueryResult, form: Form) -> None:
    match form:
        case "json":
            print_line(query_json(answer))
            return
        case "csv":
            print_csv(query_csv(answer))
        case "table":
            Console().print(_table(answer))
    if answer.truncated:
        Console(stderr=True).print("there are more rows: narrow the query, or raise --limit")


def _print_tables(tables: Sequence[CatalogueTable], *, as_json: bool) -> None:
    if as_json:
        print_line({"items": tables, "next": None})
        return
    console = Console()
    for table in tables:
        console.print(Text(table.name, style="bold"), Text(table.comment or ""))
        shown = Table("column", "type", "meaning")
        for column in table.columns:
            shown.add_row(Text(column.name), Text(column.type), Text(column.comment or ""))
        console.print(shown)


def _table(answer: QueryResult) -> Table:
    table = Table()
    for column in answer.columns:
        right = column.type.startswith(_NUMBERS) and not column.type.endswith("[]")
        table.add_column(Text(printable(column.name)), justify="right" if right else "left")
    for row in rows_of_text(answer):
        table.add_row(*(Text(_short(printable(cell))) for cell in row))
    return table


def _short(text: str) -> str:
    return text if len(text) <= _CELL_WIDTH else f"{text[:_CELL_WIDTH]} …"


@app.command()
def find(  # noqa: PLR0913, PLR0917 - one parameter an option
    text: Annotated[
        str, typer.Argument(help='Words, "phrases" in double quotes, beginnings*.')
    ] = "",
    where: Annotated[
        str,
        typer.Option(
            metavar="FILTER",
            help="Terms of messages, as 'role:user or tool:book* $.args.amount>50'.",
        ),
    ] = "",
    listed: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="FILTER",
            help="Terms of their threads, as 'failed metadata.team:red' or 'thread:refund'.",
        ),
    ] = "",
    begin: Annotated[
        str | None, typer.Option("--from", help="A date, or an RFC 3339 time with its zone.")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", help="The same; not in it any more.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 20,
    after: Annotated[
        str | None, typer.Option(help="Go on there, as the search before said.")
    ] = None,
    *,
    wait: Annotated[
        bool, typer.Option(help="Until what is in the log now can be found, or as it is.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Find messages by text, and by filters of them and of their threads: phrases first."""
    begun, ended = time_filter("from", begin), time_filter("to", end)
    messages = parse_filter(where, "message", parameter="where")
    query, rest = Query(text, messages, begin=begun, end=ended).among(parse_filter(listed, "list"))
    threads, is_any = SummaryQuery(rest), rest == ALL
    with service_in(data_dir) as service:
        if wait:
            bring_up_to_now(service, [MODEL.name, *(() if is_any else models_of(threads))])
        kept = None if is_any else partial(service.own.summaries.matching, threads)
        search = partial(service.own.search.find, query, kept=kept)
        matches = _found(search, after=after, limit=limit)
    if json:
        print_line(shape_of(matches))
    else:
        _print_hits(matches)
        if not matches.items:
            _say_why_not(text)
    if matches.next is not None:
        reason = "there are more" if len(matches.items) == limit else "the search takes long"
        print(f"{reason}: go on with --after {matches.next}", file=sys.stderr)  # noqa: T201 - to scripts too


def _found(search: Callable[..., Hits], *, after: str | None, limit: int) -> Hits:
    """Return the hits of as many pages as `limit` needs, or up to one that took too long."""
    first = page = search(after=after, limit=min(_PAGE, limit))
    items = list(page.items)
    while page.next is not None and len(page.items) == _PAGE and len(items) < limit:
        page = search(after=page.next, limit=min(_PAGE, limit - len(items)))
        items += page.items
    return replace(first, items=items, next=page.next)


def _print_hits(matches: Hits) -> None:
    console = Console(soft_wrap=True, highlight=False)
    for hit in matches.items:
        place = f"version {hit.version}  @{hit.position}  {time_text(hit.recorded_at)}"
        console.print(Text(printable(f"{hit.thread_id}  {place}  {hit.type}"), style="dim"))
        for excerpt in hit.excerpts:
            console.print(Text(f"        {printable(excerpt.place)}: ").append(_marked(excerpt)))
    console.print(Text(f"as of position {matches.as_of:,} of the log", style="dim"))
    if matches.searched_after is not None:
        left_out = f"up to {time_text(matches.searched_after)} are not searched"
        console.print(Text(f"messages {left_out}: AGENTLOG_SEARCH_DAYS", style="dim"))


def _say_why_not(text: str) -> None:
    """Say that nothing matched, and what may have been meant otherwise."""
    reason = "no message matches"
    if _REGULAR_EXPRESSION.search(text):
        reason += ": the text is searched for as it stands, it is no regular expression"
    typer.echo(reason, err=True)


def _marked(excerpt: Excerpt) -> Text:
    """Return the excerpt on one line, with its matches in bold."""
    marked, done = Text(), 0
    for begin, end in excerpt.ranges:
        marked.append(_on_one_line(excerpt.text[done:begin]))
        marked.append(_on_one_line(excerpt.text[begin:end]), style="bold")
        done = end
    return marked.append(_on_one_line(excerpt.text[done:]))


def _on_one_line(text: str) -> str:
    return printable(text.replace("\n", " ").replace("\t", " "))
