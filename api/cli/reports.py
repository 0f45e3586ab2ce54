"""The command report: updates its read models, queries them and prints the answer."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agentlog.api.cli.session import (
    DataDir,
    Form,
    bring_up_to_now,
    note_nothing,
    print_csv,
    print_line,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.questions import question_of
from agentlog.api.shapes.reports import report_csv, report_json
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.reports.catalogue import report as report_named
from agentlog.infrastructure.reports.query import read_models_of
from agentlog.infrastructure.reports.report import METADATA, ReportColumn
from agentlog.infrastructure.reports.reports import ReportResult

app = typer.Typer()

_ONLY_FOR_MACHINES = frozenset({"link", "position", "answered_version", "first_at"})
_CELL_WIDTH = 60
_NAME_WIDTH = 24
_PIPED_WIDTH = 200


@app.command("report")
def report_(  # noqa: PLR0913, PLR0917 - one parameter an option
    name: Annotated[
        str,
        typer.Argument(help=f"One of {', '.join(REPORTS)}."),
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
    zone: Annotated[
        str | None,
        typer.Option(help="Where days and hours begin, as Europe/Berlin (default UTC)."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            "--filter",
            help="Which rows count, as 'tool:book -outcome:failed metadata.team:red'.",
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option(help="A column, with a minus for the largest first.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many rows.")] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Report on all threads: what failed, what it cost, how long it took."""
    report = report_named(name)
    options = {
        "filter": where,
        "from": begin,
        "to": end,
        "clock": clock,
        "zone": zone,
        "order": order,
        "limit": limit,
    }
    question = question_of(
        report,
        [
            *(("by", breakdown) for breakdown in by or ()),
            *((option, str(value)) for option, value in options.items() if value is not None),
        ],
    )
    with service_in(data_dir) as service:
        bring_up_to_now(service, read_models_of(report, question))
        answer = service.own.reports.ask(name, question)
    if not answer.rows:
        note_nothing("row", service)
    _print(answer, "json" if json else "csv" if csv else "table")


def _print(answer: ReportResult, form: Form) -> None:
    match form:
        case "json":
            print_line(report_json(answer))
            return
        case "csv":
            print_csv(report_csv(answer))
        case "table":
            console = Console(highlight=False)
            if not console.is_terminal:
                console.width = _PIPED_WIDTH
            console.print(_table(answer))
            console.print(Text(f"as of position {answer.as_of:,} of the log", style="dim"))
    if answer.untimed:
        lack = f"{answer.untimed:,} of these have no time by this clock: no day, and no range"
        Console(stderr=True).print(lack)
    if answer.truncated:
        Console(stderr=True).print("there are more rows: narrow it, or raise --limit")


def _table(answer: ReportResult) -> Table:
    table = Table()
    shown = [column for column in answer.columns if column.name not in _ONLY_FOR_MACHINES]
    names = [column.name for column in answer.columns]
    figures = [dict(zip(names, row, strict=True)) for row in answer.rows]
    rows = [[_cell(column, row) for column in shown] for row in figures]
    for place, column in enumerate(shown):
        widest = max((cell_len(row[place]) for row in rows), default=0)
        # headings wrap, figures do not
        table.add_column(
            Text(_heading(column)),
            justify="left" if column.unit is None else "right",
            overflow="fold",
            min_width=widest if column.unit else min(widest, _NAME_WIDTH),
        )
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _heading(column: ReportColumn) -> str:
    """Return a column's heading, with its unit where that is not obvious."""
    name = printable(column.name)
    words = name if name.startswith(METADATA) else name.replace("_", " ")
    match column.unit:
        case "ms":
            return f"{words} (ms)"
        case "USD":
            return f"{words.removesuffix(' usd')} (USD)"
        case "share":
            return f"{words} (%)"
        case _:
            return words


def _cell(column: ReportColumn, row: Mapping[str, JsonValue]) -> str:
    """Return a row's value as text: thousands separated, shares as percentages, `~` if computed."""
    value: Any = row[column.name]
    if value is None:
        return "-"
    match column.unit:
        case None:
            text = printable(value if isinstance(value, str) else print_text(value))
            return text if len(text) <= _CELL_WIDTH else f"{text[:_CELL_WIDTH]} …"
        case "share":
            return f"{100 * value:.1f}"
        case "ms":
            return f"{value:,.0f}" if value >= 10 else f"{value:,.1f}"  # noqa: PLR2004 - two digits
        case "USD":
            return f"{'~' if column.computed and row[column.computed] else ''}{value:,.4f}"
        case _:
            return f"{value:,}"
