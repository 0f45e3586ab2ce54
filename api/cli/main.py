"""Entry point of the command line, with all commands."""

from importlib.metadata import version
from typing import Annotated

import typer

from api.cli.commands import (
    analytics,
    backups,
    erasure,
    keys,
    projections,
    proof,
    reading,
    running,
    transfer,
)

app = typer.Typer(
    name="agentlog",
    help="An event-sourced message store for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for commands in (running, transfer, reading, analytics, proof, backups, erasure):
    app.add_typer(commands.app)
app.add_typer(keys.beside)
app.add_typer(keys.app, name="keys")
app.add_typer(projections.app, name="projections")


def _print_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"agentlog {version('agentlog')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    asked: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    del asked


def run() -> None:
    """Run the command line."""
    app()
