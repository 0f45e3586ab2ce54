"""Commands for keys and recorded accesses."""

from typing import Annotated

import typer

from api.cli.options import DataDir

app = typer.Typer(help="Keys: who may ask the service, and for what.", no_args_is_help=True)
"""What stands under `agentlog keys`."""
beside = typer.Typer()
"""What stands beside it."""

Tenant = Annotated[
    str | None, typer.Option(help="Whose, in place of the tenant that AGENTLOG_TENANT names.")
]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[str], typer.Option(help="read, append, redact or admin; may be repeated.")
    ],
    tenant: Tenant = None,
    expires: Annotated[
        str | None,
        typer.Option(help="A span from now as 90d (m, h, d, w), or an RFC 3339 time."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it, this once: only the key stands on standard output."""
    from api.cli.keeping_keys import Asked, create_key
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        create_key(settings, Asked(name, scope, expires), tenant=tenant)


@app.command("list")
def list_(
    *,
    tenant: Tenant = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List the keys of a tenant, whatever has become of them."""
    from api.cli.keeping_keys import list_keys
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        list_keys(settings_with(data_dir=data_dir), tenant=tenant, as_json=as_json)


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the key, as listed.")],
    tenant: Tenant = None,
    data_dir: DataDir = None,
) -> None:
    """Have a key open nothing any more, at once and for good."""
    from api.cli.keeping_keys import revoke_key
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        revoke_key(settings_with(data_dir=data_dir), key_id, tenant=tenant)


@beside.command()
def accesses(  # noqa: PLR0913 - one parameter a filter
    *,
    key: Annotated[str | None, typer.Option(help="Only by the key of this id.")] = None,
    thread: Annotated[str | None, typer.Option(help="Only of this thread.")] = None,
    tenant: Tenant = None,
    limit: Annotated[int, typer.Option(min=1, help="How many, at most.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON each.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List who read what over HTTP, the latest first (see AGENTLOG_READ_AUDIT)."""
    from api.cli.keeping_keys import Which, list_accesses
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        which = Which(key_id=key, thread_id=thread, limit=limit)
        list_accesses(settings_with(data_dir=data_dir), which, tenant=tenant, as_json=as_json)
