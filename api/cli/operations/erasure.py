"""The commands redact, retention and vacuum."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agentlog.api.cli.session import (
    DataDir,
    InvalidOption,
    json_line,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service, open_as_owner, open_service
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.json.answers import time_text
from agentlog.domain.retention import Rules
from agentlog.infrastructure.definitions.definitions import UnknownDefinition, tenants_defining
from agentlog.infrastructure.definitions.rules import RETENTION
from agentlog.infrastructure.erasure.retention import (
    Due,
    Kept,
    Retention,
    read_rules,
    rules_set_in,
)
from agentlog.infrastructure.erasure.vacuum import vacuum as vacuum_tables
from agentlog.infrastructure.keys.accesses import forget_accesses
from agentlog.infrastructure.runtime.secret_redaction import without_secrets
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.tenants import Tenant

app = typer.Typer()

_FAILED = 2


@app.command()
def redact(  # noqa: PLR0913 - one parameter an option
    thread: Annotated[
        str | None, typer.Argument(help="Id of the thread; all of it without --message.")
    ] = None,
    *,
    reason: Annotated[str, typer.Option(help="Why: it stays on record.")],
    message: Annotated[
        list[str] | None, typer.Option(help="Id of a message of the thread; may be repeated.")
    ] = None,
    file: Annotated[
        str | None, typer.Option(help="SHA-256 of a file, to go from all messages that hold it.")
    ] = None,
    import_id: Annotated[
        str | None,
        typer.Option("--import", metavar="ID", help="Id of an import whose threads are hidden."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Erase contents for ever; their place, type, ids and hash stay, and the act is on record."""
    opening = service_in(data_dir)
    if [thread, file, import_id].count(None) != 2 or (thread is None and message):  # noqa: PLR2004
        raise InvalidOption("name a thread, or --file or --import and no thread")
    with opening as service:
        redactor = service.own.redactor
        if file is not None:
            _ask(f"erase file {file} from all messages for ever?", sure=yes)
            typer.echo(json_line(shape_of(redactor.redact_file(file, reason))))
        elif import_id is not None:
            pages = service.own.imports.made_by(import_id, hidden=True)
            hidden = [thread_id for page in pages for thread_id in page]
            _ask(
                f"erase the contents of hidden threads ({len(hidden):,} in all) for ever?", sure=yes
            )
            for thread_id in hidden:
                typer.echo(json_line(shape_of(redactor.redact(thread_id, None, reason))))
        else:
            head = service.threads.head(str(thread), hidden=True)
            count = f"{len(message)} of the" if message else "all"
            what = f"{count} {head.version} events of thread {thread!r}"
            _ask(f"erase the contents of {what} for ever?", sure=yes)
            done = redactor.redact(head.thread_id, message or None, reason)
            typer.echo(json_line(shape_of(done)))
            if done.exchanges or done.others:
                also = f"{done.exchanges} exchanges and {done.others} other messages"
                typer.echo(f"{also} of its run and its forks held it and are erased too", err=True)


@app.command()
def retention(
    rules: Annotated[
        Path | None,
        typer.Argument(
            help="File of rules, TOML or JSON, for one tenant. Without it each tenant's own go, "
            "set by `agentlog rules set retention`."
        ),
    ] = None,
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Erase what is listed.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List the threads whose contents are due to go by the rules; with --apply erase those.

    --apply also removes records of accesses older than AGENTLOG_ACCESS_DAYS, as the owner.
    What is erased already is passed over, so it may be broken off, and run again every day. Where
    a thread or tenant fails, the others go on, and the exit code is 2.
    """
    settings, given = settings_with(data_dir=data_dir), None if rules is None else read_rules(rules)
    gone, kept = list[Due](), list[Kept]()
    with open_service(settings) as service:
        for tenant, thread in _expired(service, given, apply=apply):
            if isinstance(thread, Due):
                gone.append(thread)
                typer.echo(_line(tenant, thread))
            else:
                kept.append(thread)
                what = "failed" if thread.failed else "kept"
                why = without_secrets(f"{tenant}\t{thread.thread_id}\t{what}: {thread.why}")
                typer.echo(printable(why), err=True)
        if apply and settings.access_days is not None:
            _forget_accesses(settings, days=settings.access_days)
    events, size = sum(due.events for due in gone), sum(due.bytes for due in gone)
    failed = sum(thread.failed for thread in kept)
    counted = f"{len(gone)} threads, {events} events, {size} bytes"
    counted += f"; kept: {len(kept) - failed}" if len(kept) > failed else ""
    counted += f"; failed: {failed}" if failed else ""
    typer.echo(
        f"erased: {counted}" if apply else f"would erase: {counted}; nothing was: add --apply",
        err=True,
    )
    if failed:
        raise typer.Exit(_FAILED)


@app.command()
def vacuum(
    *,
    full: Annotated[
        bool,
        typer.Option("--full", help="Rewrite the tables: locks out all other clients meanwhile."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Take what was erased out of all tables now, as their owner: PostgreSQL does it in time."""
    settings = settings_with(data_dir=data_dir)
    with open_as_owner(settings, writes=False) as (database, _):
        warnings = list(vacuum_tables(database, full=full))
    for warning in warnings:
        typer.echo(printable(f"not done: {warning}"), err=True)
    typer.echo("rewritten" if full else "vacuumed")
    if warnings:
        raise typer.Exit(1)


def _forget_accesses(settings: Settings, *, days: int) -> None:
    with open_as_owner(settings, writes=True) as (database, _):
        count = forget_accesses(database, before=datetime.now(UTC) - timedelta(days=days))
    typer.echo(f"removed: {count} records of accesses older than {days} days", err=True)


def _expired(
    service: Service, given: Rules | None, *, apply: bool
) -> Iterator[tuple[str, Due | Kept]]:
    """Yield expired threads with the names of their tenants; with `apply` erase each before."""
    for tenant, rules in _rules(service, given):
        database = service.database.confined(tenant.name)
        retention = Retention(database, tenant.redactor, rules, tenant=tenant.name)
        try:
            for thread in retention.expired(apply=apply):
                yield tenant.name, thread
        except UnknownDefinition:
            yield tenant.name, Kept("*", "the rules were taken away meanwhile")
        except Exception as error:  # noqa: BLE001 - the other tenants go on
            yield tenant.name, Kept("*", str(error) or repr(error), failed=True)


def _rules(service: Service, given: Rules | None) -> Iterator[tuple[Tenant, Callable[[], Rules]]]:
    """Yield tenants with what reads their rules: the service's own, or all that set some."""
    if given is not None:
        yield service.own, lambda: given
        return
    for name in tenants_defining(service.database, "rule", RETENTION):
        tenant = service.tenants[name]
        yield tenant, partial(rules_set_in, tenant.definitions)


def _line(tenant: str, due: Due) -> str:
    figures = f"{due.events} events\t{due.bytes} bytes"
    return printable(f"{tenant}\t{due.thread_id}\t{time_text(due.last)}\t{figures}\t{due.reason}")


def _ask(question: str, *, sure: bool) -> None:
    if sure:
        return
    try:
        agreed = typer.confirm(printable(question), err=True)
    except typer.Abort as error:
        raise InvalidOption("no terminal to confirm at, nothing was erased: add --yes") from error
    if not agreed:
        raise InvalidOption("nothing was erased")
