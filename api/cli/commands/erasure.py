"""Commands for redaction, retention and vacuum."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import DataDir

app = typer.Typer()


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
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Erase contents for ever; their place, type, ids and hash stay, and the act is on record."""
    from api.cli.redacting import redact_file, redact_thread
    from api.cli.session import InvalidOption, failing_clearly, settings_with

    with failing_clearly():
        settings = settings_with(data_dir=data_dir)
        if (thread is None) == (file is None) or (file is not None and message):
            raise InvalidOption("name a thread, or --file and no thread")
        if file is not None:
            redact_file(settings, file, reason, sure=yes)
        elif thread is not None:
            redact_thread(settings, thread, message or [], reason, sure=yes)


@app.command()
def retention(
    rules: Annotated[Path, typer.Argument(help="File of rules, TOML or JSON (*.json).")],
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Erase what is listed.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List the threads whose contents are due to go by the rules; with --apply erase those.

    What is erased already is passed over, so it may be broken off, and run again every day.
    """
    from api.cli.redacting import apply_retention
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        apply_retention(settings_with(data_dir=data_dir), rules, apply=apply)


@app.command()
def vacuum(
    *,
    full: Annotated[
        bool,
        typer.Option("--full", help="Rewrite the tables: locks out everybody else meanwhile."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Take what was erased out of all tables now, as their owner: PostgreSQL does it by and by."""
    from api.cli.redacting import vacuum_tables
    from api.cli.session import failing_clearly, settings_with

    with failing_clearly():
        vacuum_tables(settings_with(data_dir=data_dir), full=full)
