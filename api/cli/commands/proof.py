"""Commands for verification, checkpoints and evidence."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import DataDir, ThreadArgument

app = typer.Typer()


@app.command()
def verify(  # noqa: PLR0913 - one parameter an option
    which: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THREAD|FILE]…",
            help="Ids of threads, or files of evidence (they end in .json); the whole log, its "
            "checkpoints included, where none is given.",
        ),
    ] = None,
    *,
    bundle: Annotated[
        list[Path] | None,
        typer.Option(help="A file of evidence, whatever its name; may be repeated."),
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(help="The log's public key as you hold it, or a file of it."),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File of a checkpoint's note that you have kept.")
    ] = None,
    derived: Annotated[
        bool,
        typer.Option(
            "--derived",
            help="Also make snapshots, read models and rows to search in anew, and compare them.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Check that nothing was changed: exit code 0 says whole, 1 broken.

    Evidence is checked offline, without any database.
    """
    from api.cli.auditing import Held, verify_bundles, verify_log
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        named = which or []
        files = [each for each in named if each.endswith(".json") or "/" in each]
        threads = [each for each in named if each not in files]
        held = Held.read(public_key=public_key, checkpoint=checkpoint)
        whole = verify_bundles([*map(Path, files), *(bundle or [])], held)
        if threads or not (files or bundle):
            settings = settings_with(data_dir=data_dir)
            whole = verify_log(settings, threads, held, derived=derived) and whole
        if not whole:
            raise typer.Exit(1)


@app.command()
def checkpoint(
    *,
    public_key: Annotated[
        bool, typer.Option("--public-key", help="Print the key to check by, and sign nothing.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Sign the log as it is, and print the note: keep it where nobody here can change it."""
    from api.cli.auditing import print_checkpoint, print_public_key
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        if public_key:
            print_public_key(settings)
        else:
            print_checkpoint(settings)


@app.command()
def evidence(
    thread: ThreadArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-O", help="File to write; standard output without.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Write a thread with its chain, proof, checkpoint and public key, to check anywhere."""
    from api.cli.auditing import write_evidence
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        write_evidence(settings_with(data_dir=data_dir), thread, output)
