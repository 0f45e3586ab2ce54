"""The command line: every command under one name."""

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


def run() -> None:
    """Run the command line."""
    app()
