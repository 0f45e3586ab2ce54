"""The commands of `agentlog tenant`: a tenant's log moves to another database."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from pydantic.alias_generators import to_camel
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from agentlog.api.cli.proofs.audit import EXIT_CODES
from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    InvalidOption,
    print_listing,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import open_as_owner
from agentlog.domain.identifiers import Ulids
from agentlog.domain.integrity.chain_audit import verdict_of
from agentlog.domain.json.answers import time_text
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.cells.arrival import Progress
from agentlog.extensions.cells.mover import Mover
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.audit.moves import Move, moves_of
from agentlog.infrastructure.audit.signing import signing_key
from agentlog.infrastructure.postgres.conninfo import WHOLE_LOG_TIMEOUTS
from agentlog.infrastructure.postgres.database import Database

app = typer.Typer()
tenant_ = typer.Typer(
    help="Tenants: move one to another database, whole and provable.", no_args_is_help=True
)
app.add_typer(tenant_, name="tenant")

_MOST_FINDINGS = 100

Name = Annotated[str, typer.Argument(metavar="NAME", help="The tenant.")]
To = Annotated[
    str,
    typer.Option(
        metavar="URL",
        help="URL of the other database, with the login of the owner of its tables. Where other "
        "users see the command lines of this machine, leave the password to ~/.pgpass.",
    ),
]


@tenant_.command()
def move(
    tenant: Name,
    *,
    to: To,
    drop: Annotated[
        bool, typer.Option("--drop", help="Delete what was left behind, once the other has it.")
    ] = False,
    unverified: Annotated[
        bool,
        typer.Option("--unverified", help="Leave out the check of all that arrived: verify later."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Move a tenant's log to another database; services at both ends go on.

    Its appends are refused (503) while it is copied, and here from then on (421). A move that was
    broken off goes on where it stood: run it again. At the end all that arrived is verified; exit
    code 1 says that it is broken, and then nothing is dropped.
    """
    with _mover(tenant, data_dir) as mover, _other(to) as target:
        with _shown() as shown:
            arrival = mover.move(target, shown)
            findings = [] if unverified else mover.verify(target, arrival)
        typer.echo(
            printable(
                f"{tenant!r} is in its new database: {arrival.events} events up to position "
                f"{arrival.last_position}"
            ),
            err=True,
        )
        for finding in findings[:_MOST_FINDINGS]:
            print(printable(f"{finding.what}: {finding.detail}"))  # noqa: T201 - the output
        verdict = verdict_of(findings)
        if verdict != "whole":
            raise typer.Exit(EXIT_CODES[verdict])
        if drop:
            mover.drop(target)
        else:
            typer.echo(
                printable(
                    f"Its rows are still here: agentlog tenant drop {quote(tenant)} --to URL"
                ),
                err=True,
            )
    print(arrival.note, end="")  # noqa: T201 - the command's output


@tenant_.command()
def release(tenant: Name, *, to: To, data_dir: DataDir = None) -> None:
    """Give up a move that has not arrived: the source takes appends again."""
    with _mover(tenant, data_dir) as mover, _other(to) as target:
        mover.release(target)
    typer.echo(printable(f"{tenant!r} stays here"), err=True)


@tenant_.command()
def drop(tenant: Name, *, to: To, data_dir: DataDir = None) -> None:
    """Delete the rows of a tenant that has left, and that the other database has."""
    with _mover(tenant, data_dir) as mover, _other(to) as target:
        dropped = mover.drop(target)
    typer.echo(printable(f"{tenant!r} is dropped here; its log is in {dropped.other}"), err=True)


@tenant_.command()
def moves(*, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the steps of all tenants that moved, in either direction."""
    with open_as_owner(settings_with(data_dir=data_dir), writes=False) as (database, _):
        database.migrate()
        with database.connection() as connection:
            steps = moves_of(connection)
    print_listing(
        {"tenant": 0, "step": 0, "other database": 0, "events": 0, "positions": 0, "time": 0},
        [
            (
                step.tenant,
                step.step,
                step.other,
                str(step.events),
                f"{step.first_position} to {step.last_position}",
                time_text(step.made_at),
            )
            for step in steps
        ],
        answers=map(_json_of, steps) if as_json else None,
    )


@contextmanager
def _mover(tenant: str, data_dir: Path | None) -> Iterator[Mover]:
    settings = settings_with(data_dir=data_dir)
    with open_as_owner(settings, writes=True) as (database, _):
        database.migrate()
        new_id = Ulids(wall_clock, secrets.randbits)
        yield Mover(database, tenant, signing_key(settings).read(), new_id)


@contextmanager
def _other(url: str) -> Iterator[Database]:
    with Database(url, pool_size=1, timeouts=WHOLE_LOG_TIMEOUTS) as database:
        if not database.write_access.is_given:
            kind = database.write_access.kind
            raise InvalidOption(f"--to: that database takes no writes: it is {kind}")
        database.migrate()
        yield database


@contextmanager
def _shown() -> Iterator[Progress]:
    """Yield a progress callback; it is shown on a terminal only."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("…")

        def show(name: str, done: int) -> None:
            bar.update(task, description=f"{name}: {done:,} bytes" if done else name)

        yield show


def _json_of(move: Move) -> dict[str, JsonValue]:
    names = "tenant number step move_id other events first_position last_position"
    fields = {to_camel(name): getattr(move, name) for name in names.split()}
    return {**fields, "at": time_text(move.made_at), "note": move.note}
