"""Implements the commands redact, retention and vacuum."""

from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.cli.session import InvalidOption, json_line, printable
from api.composition import open_as_owner, open_service
from api.shapes.shape import time_text
from api.shapes.threads import FileRedaction, Redaction
from infrastructure.erasure.retention import Due, Retention, read_rules
from infrastructure.erasure.vacuum import vacuum
from infrastructure.settings import Settings


def redact_thread(
    settings: Settings, thread_id: str, message_ids: list[str], reason: str, *, sure: bool
) -> None:
    """Erase messages of a thread, or all where none is named; print what was erased."""
    with open_service(settings) as service:
        head = service.store.thread(thread_id)
        what = (
            f"{len(message_ids)} of the {head.version} events"
            if message_ids
            else f"all {head.version} events"
        )
        _ask(f"erase the contents of {what} of thread {thread_id!r} for ever?", sure=sure)
        done = service.own.redactor.redact(thread_id, message_ids or None, reason)
    typer.echo(json_line(Redaction.of(done)))


def redact_file(settings: Settings, sha256: str, reason: str, *, sure: bool) -> None:
    """Erase a file from all messages; print from which."""
    with open_service(settings) as service:
        _ask(f"erase file {sha256} from all messages for ever?", sure=sure)
        done = service.own.redactor.redact_file(sha256, reason)
    typer.echo(json_line(FileRedaction.of(done)))


def vacuum_tables(settings: Settings, *, full: bool) -> None:
    """Vacuum all tables; print those that could not be."""
    with open_as_owner(settings) as (database, _):
        warnings = list(vacuum(database, full=full))
    for each in warnings:
        typer.echo(printable(f"not done: {each}"), err=True)
    typer.echo("rewritten" if full else "vacuumed")
    if warnings:
        raise typer.Exit(1)


def apply_retention(settings: Settings, path: Path, *, apply: bool) -> None:
    """List threads due by the rules in a file, one per line; with `apply` erase their contents."""
    rules = read_rules(path)
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with open_service(settings) as service:
        tenant = service.own
        retention = Retention(
            service.database.confined(tenant.name), tenant.store, tenant=tenant.name
        )
        due = list(retention.due(rules))
        with Progress(
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not (apply and console.is_terminal),
        ) as bar:
            task = bar.add_task("erasing", total=len(due))
            for each in due:
                if apply:
                    tenant.redactor.redact(each.thread_id, None, each.reason)
                    bar.advance(task)
                typer.echo(_line(each))
    events, size = sum(each.events for each in due), sum(each.bytes for each in due)
    counted = f"{len(due)} threads, {events} events, {size} bytes"
    typer.echo(
        f"erased: {counted}" if apply else f"would erase: {counted}; nothing was: add --apply",
        err=True,
    )


def _line(due: Due) -> str:
    figures = f"{due.events} events\t{due.bytes} bytes"
    return printable(f"{due.thread_id}\t{time_text(due.last)}\t{figures}\t{due.reason}")


def _ask(question: str, *, sure: bool) -> None:
    if sure:
        return
    try:
        agreed = typer.confirm(printable(question), err=True)
    except typer.Abort as error:
        raise InvalidOption("nobody is there to confirm: nothing was erased; add --yes") from error
    if not agreed:
        raise InvalidOption("nothing was erased")
