"""The commands of `agentlog imports`."""

from typing import Annotated

import typer

from agentlog.api.cli.remote import Key, To, by_service
from agentlog.api.cli.session import AsJson, DataDir, json_line, service_in
from agentlog.api.cli.terminal import printable
from agentlog.api.shapes.imports import Import
from agentlog.domain.json.answers import time_text

app = typer.Typer()
imports_ = typer.Typer(help="Imports, the latest first; undo hides the threads that one made.")
app.add_typer(imports_, name="imports")

ImportId = Annotated[str, typer.Argument(metavar="ID", help="Id of the import, as listed.")]


@imports_.callback(invoke_without_command=True)
def list_(
    context: typer.Context,
    *,
    as_json: AsJson = False,
    to: To = None,
    key: Key = None,
    data_dir: DataDir = None,
) -> None:
    """List imports, the latest first."""
    if context.invoked_subcommand is not None:
        return
    if to is not None:
        from agentlog_client.transfer import record  # noqa: PLC0415 - only for services

        with by_service():
            record.list_imports(url=to, key=key, as_json=as_json)
        return
    with service_in(data_dir) as service:
        imports = service.own.imports.page()
    for made in imports:
        if as_json:
            typer.echo(json_line(Import.of(made)))
            continue
        counted = f"{made.threads:>7,} threads {made.events:>9,} events"
        ended = "" if made.ended_at is not None else " (not ended)"
        paths = printable(" ".join(made.paths))
        typer.echo(f"{made.id}  {time_text(made.at)} {counted}  {paths}{ended}")


@imports_.command()
def undo(import_id: ImportId, to: To = None, key: Key = None, data_dir: DataDir = None) -> None:
    """Hide the threads that an import made from lists, reads, reports and searches.

    What it appended to threads that were there before stays; these are named.
    """
    if to is not None:
        from agentlog_client.transfer import record  # noqa: PLC0415 - only for services

        with by_service():
            record.undo(import_id, url=to, key=key)
        return
    with service_in(data_dir) as service:
        imports = service.own.imports
        hidden, grown = imports.undo(import_id), imports.one(import_id).grown
    typer.echo(f"threads hidden: {hidden:,}; `agentlog imports redo {import_id}` shows them again")
    for thread_id in grown:
        typer.echo(f"{thread_id} was there before, and keeps what was added")


@imports_.command()
def redo(import_id: ImportId, to: To = None, key: Key = None, data_dir: DataDir = None) -> None:
    """Show the threads again that were hidden by undo."""
    if to is not None:
        from agentlog_client.transfer import record  # noqa: PLC0415 - only for services

        with by_service():
            record.redo(import_id, url=to, key=key)
        return
    with service_in(data_dir) as service:
        shown = service.own.imports.redo(import_id)
    typer.echo(f"threads shown again: {shown:,}")
