"""Implements the commands of `agentlog keys`, and accesses."""

from collections.abc import Sequence
from dataclasses import dataclass

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.reading import print_line
from api.cli.session import printable
from api.composition import open_service
from api.shapes import access as shapes
from api.shapes.shape import time_text
from infrastructure.keys.key import Key
from infrastructure.keys.terms import expiry_of, name_of, scopes_of
from infrastructure.settings import Settings

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of a new key."""

    name: str
    scopes: Sequence[str]
    expires: str | None


@dataclass(frozen=True, slots=True)
class Which:
    """Filters of accesses; None for any."""

    key_id: str | None
    thread_id: str | None
    limit: int


def create_key(settings: Settings, asked: Asked, *, tenant: str | None) -> None:
    """Create a key; print it on standard output, and its details on standard error."""
    name, scopes = name_of(asked.name), scopes_of(asked.scopes)
    with open_service(settings) as service:
        keys = service.keys.keys
        text, key = keys.create(
            tenant or settings.tenant,
            name=name,
            scopes=scopes,
            expires_at=(
                None if asked.expires is None else expiry_of(asked.expires, now=keys.clock())
            ),
        )
    until = "for ever" if key.expires_at is None else f"until {time_text(key.expires_at)}"
    typer.echo(
        printable(
            f"key {key.id} of tenant {key.tenant!r} for {', '.join(key.scopes)}, good {until}; "
            "it is shown this once, and from now on nobody is answered without a key"
        ),
        err=True,
    )
    typer.echo(text.reveal())


def list_keys(settings: Settings, *, tenant: str | None, as_json: bool) -> None:
    """Print the keys of a tenant."""
    found: list[Key] = []
    with open_service(settings) as service:
        keys = service.keys.keys
        while page := keys.page(
            tenant or settings.tenant, after=found[-1].id if found else "", limit=_MOST
        ):
            found += page
        now = keys.clock()
    if as_json:
        for key in found:
            print_line(shapes.Key.of(key))
        return
    table = Table("id", "name", "scopes", "state", "expires", "created", "by")
    for key in found:
        ended = key.expires_at is not None and key.expires_at <= now
        state = "revoked" if key.revoked_at is not None else "expired" if ended else "good"
        table.add_row(
            key.id,
            Text(printable(key.name)),
            ", ".join(key.scopes),
            state,
            time_text(key.expires_at) or "",
            time_text(key.created_at),
            key.created_by or "",
        )
    Console().print(table)


def revoke_key(settings: Settings, key_id: str, *, tenant: str | None) -> None:
    """Revoke a key; print when it was revoked, which may be earlier."""
    with open_service(settings) as service:
        key = service.keys.keys.revoke(tenant or settings.tenant, key_id)
    typer.echo(f"key {key.id} is revoked since {time_text(key.revoked_at)}", err=True)


def list_accesses(settings: Settings, which: Which, *, tenant: str | None, as_json: bool) -> None:
    """Print accesses, latest first."""
    with open_service(settings) as service:
        found = service.accesses.page(
            tenant or settings.tenant,
            key_id=which.key_id,
            thread_id=which.thread_id,
            limit=which.limit,
        )
    if as_json:
        for access in found:
            print_line(shapes.Access.of(access))
        return
    table = Table("at", "key", "status", "route", "thread", "request")
    for access in found:
        table.add_row(
            time_text(access.at),
            access.key_id or "",
            str(access.status),
            f"{access.method} {access.route}",
            access.thread_id or "",
            access.request_id or "",
        )
    Console().print(table)
