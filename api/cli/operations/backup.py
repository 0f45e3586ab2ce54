"""The commands backup and restore."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

from agentlog.api.cli.proofs.audit import EXIT_CODES, KeptCheckpoint, PublicKey
from agentlog.api.cli.proofs.held import Held
from agentlog.api.cli.proofs.log_audit import in_words
from agentlog.api.cli.session import DataDir, InvalidOption, settings_with
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import open_as_owner
from agentlog.domain.integrity.chain_audit import Verdict
from agentlog.infrastructure.audit.signing import NoSigningKey, signing_key
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.backup import restore as restoring
from agentlog.infrastructure.backup.contents import Progress
from agentlog.infrastructure.backup.dump import Signing, back_up
from agentlog.infrastructure.backup.manifest import (
    BackupManifest,
    manifest_of,
    read_manifest,
)
from agentlog.infrastructure.backup.verification import BackupVerdict, Known, verify_backup
from agentlog.infrastructure.embedded import open_embedded, temporary_data_dir
from agentlog.infrastructure.postgres.conninfo import WHOLE_LOG_TIMEOUTS
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.runtime.key_files import SIGNING_KEY
from agentlog.infrastructure.settings import Settings

app = typer.Typer()

_THROWN_AWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_MOST_FINDINGS = 100


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
            help="Put the private key in too: with it another history can be signed.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Write the whole log of all tenants to a folder, as of one moment; services may go on.

    Prints the checkpoint that was signed over it: keep it on another machine.
    """
    settings = settings_with(data_dir=data_dir)
    if unsigned and with_signing_key:
        raise InvalidOption("--with-signing-key: with --unsigned no key is read")
    with open_as_owner(settings, writes=False) as (database, url), _shown() as progress:
        signing = None if unsigned else _signing(settings, with_key=with_signing_key)
        manifest = back_up(
            database, url, path, signing=signing, now=datetime.now(UTC), progress=progress
        )
    events = sum(tenant.events for tenant in manifest.tenants)
    size = sum(file.bytes for file in manifest.files.values())
    _tell(
        f"{path}: {_counted(len(manifest.tenants), 'tenant')}, {_counted(events, 'event')} up to "
        f"position {manifest.position}, {_counted(size, 'byte')}"
    )
    if signing is None:
        _tell("No checkpoint was signed: what comes back can be compared with its manifest only.")
    elif not with_signing_key:
        _tell(
            "The signing key is not in it. Keep a copy elsewhere: without it the log is verified "
            "as before, but later checkpoints are signed by a new key."
        )
    for tenant in manifest.tenants:
        if tenant.tenant == settings.tenant and tenant.checkpoint is not None:
            print(tenant.checkpoint, end="")  # noqa: T201 - the command's output


@app.command()
def restore(  # noqa: PLR0913 - one parameter an option
    path: Annotated[Path, typer.Argument(help="Folder that `agentlog backup` wrote.")],
    *,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Only try: restore into a server of its own, verify, throw it away."
        ),
    ] = False,
    public_key: PublicKey = None,
    checkpoint: KeptCheckpoint = None,
    earlier: Annotated[
        Path | None,
        typer.Option(
            help="Folder of an earlier backup: what it has must still be there, of all tenants."
        ),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Bring a backup back into a new data folder or an empty database, and verify all of it.

    Exit code 0 says that everything is there as it was, 1 that it came back broken, 2 that a
    redaction was not carried out yet.
    """
    held = Held.read(public_key=public_key, checkpoint=checkpoint)
    manifest = None if earlier is None else manifest_of(earlier)
    known = Known(held.public_key, held.checkpoint, manifest)
    if check:
        verdict = _check_backup(settings_with(data_dir=data_dir), path, known)
    else:
        verdict = _restore_backup(settings_with(data_dir=data_dir), path, known)
    if verdict != "whole":
        raise typer.Exit(EXIT_CODES[verdict])


def _restore_backup(settings: Settings, path: Path, known: Known) -> Verdict:
    """Restore a backup and verify it."""
    manifest = _read(path)
    with open_as_owner(settings, writes=True, new=True) as (database, url):
        with _shown() as progress:
            restoring.restore(database, url, path, manifest, progress=progress)
        if settings.database_url is None:
            restoring.restore_key(path, manifest, settings.data_dir / SIGNING_KEY)
        return _verified(database, url, path, manifest, known)


def _check_backup(settings: Settings, path: Path, known: Known) -> Verdict:
    """Restore a backup into a temporary server and verify it."""
    manifest = _read(path)
    with (
        temporary_data_dir(settings.trial_dir or settings.data_dir) as folder,
        open_embedded(folder, settings=_THROWN_AWAY) as server,
        Database(server.url, pool_size=2, timeouts=WHOLE_LOG_TIMEOUTS) as database,
    ):
        with _shown() as progress:
            restoring.restore(database, server.url, path, manifest, progress=progress)
        return _verified(database, server.url, path, manifest, known)


def _signing(settings: Settings, *, with_key: bool) -> Signing | None:
    try:
        return Signing(signing_key(settings).read(), kept=with_key)
    except NoSigningKey:
        if with_key:
            raise
        return None


def _read(path: Path) -> BackupManifest:
    with _shown():
        return read_manifest(path)


def _verified(
    database: Database, url: str, path: Path, manifest: BackupManifest, known: Known
) -> Verdict:
    with _shown() as progress:
        verdict = verify_backup(
            database,
            manifest,
            known,
            processes=AuditProcesses(url),
            progress=progress,
        )
    _print(verdict)
    _say(
        f"{path}: {in_words(verdict.verdict)}: {_counted(verdict.tenants, 'tenant')}, "
        f"{_counted(verdict.threads, 'thread')}, {_counted(verdict.events, 'event')} as of "
        f"{manifest.made_at:%Y-%m-%dT%H:%M:%SZ}"
    )
    if known == Known():
        _tell(
            "Checked by what is in the backup itself. Whether it is the log that you know, a "
            "--checkpoint, --public-key or --earlier backup that you hold will say."
        )
    return verdict.verdict


def _print(verdict: BackupVerdict) -> None:
    for difference in verdict.differences:
        _say(difference)
    failing = [
        (tenant, finding) for tenant, finding in verdict.findings if finding.verdict != "whole"
    ]
    for tenant, finding in failing[:_MOST_FINDINGS]:
        where = f"tenant {tenant!r} "
        where += "" if finding.thread_id is None else f"thread {finding.thread_id!r} "
        where += "" if finding.version is None else f"version {finding.version} "
        _say(f"{where}{finding.what}: {finding.detail}")
    if len(failing) > _MOST_FINDINGS:
        _say(f"… and {len(failing) - _MOST_FINDINGS} more")
    if erased := verdict.count - len(failing):
        _tell(f"{_counted(erased, 'content')} erased before: the hashes are in the chains still.")


@contextmanager
def _shown() -> Iterator[Progress]:
    """Yield a progress callback; the bar is shown on a terminal only."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("…")

        def show(name: str, done: int, total: int | None) -> None:
            whole = "" if total is None else f" of {total:,}"
            bar.update(task, description=f"{done:,}{whole} {name}")

        yield show


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _say(text: str) -> None:
    print(printable(text))  # noqa: T201 - the command's output


def _tell(text: str) -> None:
    typer.echo(printable(text), err=True)
