"""The commands of `agentlog keys`, and accesses."""

from typing import Annotated

import typer

from agentlog.api.cli.session import AsJson, DataDir, print_listing, service_in
from agentlog.api.cli.terminal import printable
from agentlog.api.shapes.service import access as shapes
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.access import SCOPES
from agentlog.domain.json.answers import time_text
from agentlog.infrastructure.keys.key import Key
from agentlog.infrastructure.keys.terms import expiry_of, name_of, scopes_of

app = typer.Typer()
keys_ = typer.Typer(help="Keys: who may ask the service, and for what.", no_args_is_help=True)
app.add_typer(keys_, name="keys")

Tenant = Annotated[
    str | None, typer.Option(help="Whose, in place of the tenant that AGENTLOG_TENANT names.")
]

_MOST = 1000


@keys_.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[list[str], typer.Option(help=f"One of {', '.join(SCOPES)}; may be repeated.")],
    tenant: Tenant = None,
    expires: Annotated[
        str | None,
        typer.Option(help="A span from now as 90d (m, h, d, w), or an RFC 3339 time."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, this once: only the key stands on standard output."""
    opening, name, scopes = service_in(data_dir, new=True), name_of(name), scopes_of(scope)
    with opening as service:
        keys = service.keys.keys
        text, key = keys.create(
            tenant or service.own.name,
            name=name,
            scopes=scopes,
            expires_at=expiry_of(expires, now=keys.clock()),
        )
    until = "for ever" if key.expires_at is None else f"until {time_text(key.expires_at)}"
    typer.echo(
        printable(
            f"key {key.id} of tenant {key.tenant!r} for {', '.join(key.scopes)}, good {until}; "
            "it is shown this once, and from now on every request needs a key"
        ),
        err=True,
    )
    typer.echo(text.reveal())


@keys_.command("list")
def list_(*, tenant: Tenant = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the keys of a tenant, whatever has become of them."""
    listed: list[Key] = []
    with service_in(data_dir) as service:
        keys = service.keys.keys
        while page := keys.page(
            tenant or service.own.name, after=listed[-1].id if listed else "", limit=_MOST
        ):
            listed += page
        now = keys.clock()
    rows = []
    for key in listed:
        ended = key.expires_at is not None and key.expires_at <= now
        state = "revoked" if key.revoked_at is not None else "expired" if ended else "good"
        rows.append(
            (
                key.id,
                key.name,
                ", ".join(key.scopes),
                state,
                time_text(key.expires_at),
                time_text(key.created_at),
                key.created_by,
            )
        )
    columns = {"id": 0, "name": 6, "scopes": 6, "state": 7, "expires": 10, "created": 10, "by": 0}
    print_listing(columns, rows, answers=map(shape_of, listed) if as_json else None)


@keys_.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as listed.")],
    tenant: Tenant = None,
    data_dir: DataDir = None,
) -> None:
    """Have a key open nothing any more, at once and for good."""
    with service_in(data_dir) as service:
        key = service.keys.keys.revoke(tenant or service.own.name, key_id)
    typer.echo(f"key {key.id} is revoked since {time_text(key.revoked_at)}", err=True)


@app.command()
def accesses(  # noqa: PLR0913 - one parameter a filter
    *,
    key: Annotated[
        str | None, typer.Option(help="Only by the key of this id, or this user.")
    ] = None,
    thread: Annotated[str | None, typer.Option(help="Only of this thread.")] = None,
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, at most.")] = 100,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List who read what over HTTP, the latest first (see AGENTLOG_READ_AUDIT)."""
    with service_in(data_dir) as service:
        page = service.accesses.page(
            tenant or service.own.name, key_id=key, thread_id=thread, limit=limit
        )
    print_listing(
        {"at": 10, "key": 0, "status": 6, "route": 10, "thread": 0, "request": 0},
        [
            (
                time_text(access.at),
                access.key_id,
                str(access.status),
                f"{access.method} {access.route}",
                access.thread_id,
                access.request_id,
            )
            for access in page
        ],
        answers=map(shapes.Access.of, page) if as_json else None,
    )
