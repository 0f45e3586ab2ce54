"""Commands for reports and SQL."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from api.cli.options import DataDir

app = typer.Typer()


@app.command("report")
def report_(  # noqa: PLR0913, PLR0917 - one parameter an option
    name: Annotated[
        str,
        typer.Argument(
            help="usage, models, tools, slowest, failures, approvals, workers, threads or "
            "anomalies."
        ),
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
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only threads whose metadata is so."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Only what is so: tool, model, thread, parent and others, as the report takes it.",
        ),
    ] = None,
    order: Annotated[
        str | None, typer.Option(help="A column, with a minus for the largest first.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many rows.")] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="As over HTTP.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="File to draw it in, .svg or .png.", metavar="FILE")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Report on all threads: what failed, what it cost, how long it took."""
    from api.cli.reporting import pairs_of, run_report
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        options = {"from": begin, "to": end, "clock": clock, "order": order, "limit": limit}
        pairs = pairs_of(by=by, only=only or [], metadata=metadata or [], options=options)
        form: Literal["table", "csv", "json"] = "json" if json else "csv" if csv else "table"
        run_report(settings_with(data_dir=data_dir), name, pairs, form=form, picture=plot)


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
    from api.cli.querying import parameters_in, print_grants, print_tables, query_in, run_query
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        form: Literal["table", "csv", "json"] = "json" if json else "csv" if csv else "table"
        if grants:
            print_grants(settings)
        elif tables:
            print_tables(settings, form=form)
        else:
            asked, given = query_in(query, file), parameters_in(param or [])
            run_query(settings, asked, given, limit=limit, seconds=timeout, form=form)
