"""Commands for backup and restore."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import DataDir

app = typer.Typer()


@app.command()
def backup(
    path: Annotated[Path, typer.Argument(help="Folder to write, which must not be there yet.")],
    *,
    unsigned: Annotated[
        bool,
        typer.Option(
            "--unsigned",
            help="Make no checkpoint: also a log that contradicts its last one is backed up.",
        ),
    ] = False,
    with_signing_key: Annotated[
        bool,
        typer.Option(
            "--with-signing-key",
            help="Put the private key in too. Whoever has it can sign another history.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Write the whole log of all tenants to a folder, as of one moment; services may go on.

    Prints the checkpoint that was signed over it: keep it where nobody here can change it.
    """
    from api.cli.backing_up import write_backup
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        write_backup(settings, path, unsigned=unsigned, with_key=with_signing_key)


@app.command()
def restore(
    path: Annotated[Path, typer.Argument(help="Folder that `agentlog backup` wrote.")],
    *,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Only try: restore into a server of its own, verify, throw it away."
        ),
    ] = False,
    public_key: Annotated[
        str | None,
        typer.Option(help="The log's public key as you hold it, or a file of it."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File of a checkpoint's note that you have kept.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Bring a backup back into a new data folder or an empty database, and verify all of it.

    Exit code 0 says that everything is there as it was, 1 that it came back broken.
    """
    from api.cli.auditing import Held
    from api.cli.backing_up import check_backup, restore_backup
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        held = Held.read(public_key=public_key, checkpoint=checkpoint)
        if check:
            whole = check_backup(path, held)
        else:
            whole = restore_backup(settings_with(data_dir=data_dir), path, held)
        if not whole:
            raise typer.Exit(1)
