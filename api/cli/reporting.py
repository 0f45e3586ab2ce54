"""Implements the command report: updates its read model, queries it and prints the answer."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.progress import shown
from api.cli.reading import print_line
from api.cli.session import InvalidOption, printable
from api.composition import Service, open_service
from api.plots import plot
from api.questions import question_of
from api.shapes.reports import answer_csv, answer_json
from domain.json.text import JsonValue, print_text
from infrastructure.postgres.log_position import log_position
from infrastructure.readmodels.catch_up import bring_up
from infrastructure.readmodels.projection_status import ProjectionBehind
from infrastructure.reports.catalogue import report as report_named
from infrastructure.reports.query import read_models_of
from infrastructure.reports.report import METADATA, Column
from infrastructure.reports.reports import Answer
from infrastructure.settings import Settings

Form = Literal["table", "csv", "json"]

_ONLY_FOR_MACHINES = frozenset({"link", "position", "answered_version", "first_at"})
_CELL_WIDTH = 60
_NAME_WIDTH = 24
_PIPED_WIDTH = 200


def pairs_of(
    *,
    by: Sequence[str] | None,
    only: Sequence[str],
    metadata: Sequence[str],
    options: Mapping[str, object],
) -> list[tuple[str, str]]:
    """Return the names and values of a question from the command's options."""
    return [
        *(("by", each) for each in by or ()),
        *_pairs("--only", only),
        *((f"{METADATA}{key}", value) for key, value in _pairs("--metadata", metadata)),
        *((name, str(value)) for name, value in options.items() if value is not None),
    ]


def _pairs(option: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidOption(f"{option} {text}: give NAME=VALUE")
        yield name, value


def run_report(
    settings: Settings,
    name: str,
    pairs: Sequence[tuple[str, str]],
    *,
    form: Form,
    picture: Path | None,
) -> None:
    """Print a report, and plot it where a file is given."""
    report = report_named(name)
    question = question_of(report, pairs)
    if picture is not None and picture.suffix not in {".svg", ".png"}:
        raise InvalidOption(f"--plot {picture}: name a file that ends in .svg or .png")
    with open_service(settings) as service:
        _bring_up(service, read_models_of(report, question))
        answer = service.own.reports.ask(name, question)
    if picture is not None:
        drawn = plot(answer, "svg" if picture.suffix == ".svg" else "png")
        try:
            picture.write_bytes(drawn)
        except OSError as error:
            raise InvalidOption(f"--plot {picture}: {error.strerror}") from error
    _print(answer, form)


def _bring_up(service: Service, names: Sequence[str]) -> None:
    """Update read models to the log's current position; a stopped one is read as it is."""
    database, standings = service.database, service.standings
    position = log_position(database)
    for name in names:
        try:
            with shown() as show:
                bring_up(database, standings, [name], position=position, progress=show)
        except ProjectionBehind as behind:
            text = printable(f"the report counts up to there: {behind}")
            Console(stderr=True).print(Text(text))


def _print(answer: Answer, form: Form) -> None:
    match form:
        case "json":
            print_line(answer_json(answer))
            return
        case "csv":
            text = answer_csv(answer)
            shown = printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text
            sys.stdout.write(shown)
        case "table":
            console = Console(highlight=False)
            if not console.is_terminal:
                console.width = _PIPED_WIDTH
            console.print(_table(answer))
            console.print(Text(f"as of position {answer.as_of:,} of the log", style="dim"))
    if answer.truncated:
        Console(stderr=True).print("there are more rows: narrow it, or raise --limit")


def _table(answer: Answer) -> Table:
    table = Table()
    shown = [
        (number, column)
        for number, column in enumerate(answer.columns)
        if column.name not in _ONLY_FOR_MACHINES
    ]
    rows = [[_cell(column, row[number]) for number, column in shown] for row in answer.rows]
    for place, (_, column) in enumerate(shown):
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


def _heading(column: Column) -> str:
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


def _cell(column: Column, value: JsonValue) -> str:
    """Return a formatted value: thousands separated, shares as percentages."""
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
            return f"{value:,.4f}"
        case _:
            return f"{value:,}"
