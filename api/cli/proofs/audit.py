"""The commands verify, checkpoint and evidence."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agentlog.api.cli.proofs.held import Held, bytes_of, check_origin, checkpoint_named
from agentlog.api.cli.proofs.log_audit import LogCheck, in_words, print_findings, verify_log
from agentlog.api.cli.session import (
    DataDir,
    InvalidOption,
    ThreadArgument,
    service_in,
    settings_with,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import open_service
from agentlog.domain.integrity.chain_audit import Finding, Verdict, worst
from agentlog.infrastructure.audit.bundle import check_bundle
from agentlog.infrastructure.audit.checkpoints import LogContradicted
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.postgres.conninfo import WHOLE_LOG_TIMEOUTS
from agentlog.infrastructure.subscriptions.conditions import note_audit

app = typer.Typer()
PublicKey = Annotated[
    str | None, typer.Option(help="The log's public key as you hold it, or a file of it.")
]
KeptCheckpoint = Annotated[
    Path | None, typer.Option(help="File of a checkpoint's note that you have kept.")
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1, max=256, help="Processes that check the threads of a log. Default: a core each."
    ),
]

EXIT_CODES: Mapping[Verdict, int] = {
    "whole": 0,
    "not all checked": 2,
    "not finished": 2,
    "broken": 1,
}


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
    public_key: PublicKey = None,
    checkpoint: KeptCheckpoint = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|SIZE",
            help="File of a checkpoint's note that you have kept, or the size of a stored one: "
            "check only the threads that have grown since. Of the others only the links are "
            "checked, by the checkpoint's root; not their bodies, metadata, redactions and heads.",
        ),
    ] = None,
    derived: Annotated[
        bool,
        typer.Option(
            "--derived",
            help="Also make snapshots, read models and rows to search in anew, and compare them.",
        ),
    ] = False,
    processes: Processes = None,
    data_dir: DataDir = None,
) -> None:
    """Check that nothing was changed: exit code 0 says whole, 1 broken, 2 neither.

    Neither: not all could be checked, or a redaction is not carried out yet. Evidence is checked
    offline, without any database. With --since, "whole since size N" says no more than that.
    """
    named = which or []
    files = [word for word in named if word.endswith(".json") or "/" in word]
    threads = [word for word in named if word not in files]
    held = Held.read(public_key=public_key, checkpoint=checkpoint)
    verdict = _verify_bundles([*map(Path, files), *(bundle or [])], held)
    if since is not None and named + (bundle or []):
        raise InvalidOption("--since is of the whole log: name no thread and no file")
    if threads or not (files or bundle):
        patient = {"statement_seconds": WHOLE_LOG_TIMEOUTS.statement_seconds}
        settings = settings_with(data_dir=data_dir).model_copy(update=patient)
        with open_service(settings) as service:
            beginning = None if since is None else checkpoint_named(since, service, held.public_key)
            for note in (beginning, held.checkpoint):
                if note is not None:
                    check_origin(note, service.own.name)
            check = LogCheck(
                threads,
                AuditProcesses(
                    service.url,
                    processes or os.cpu_count() or 1,
                    in_role=True,
                    timeouts=WHOLE_LOG_TIMEOUTS,
                ),
                since=beginning,
                derived=derived,
            )
            verdict = worst((verdict, verify_log(service, check, held)))
    if verdict != "whole":
        raise typer.Exit(EXIT_CODES[verdict])


@app.command()
def checkpoint(
    *,
    public_key: Annotated[
        bool, typer.Option("--public-key", help="Print the key to check by, and sign nothing.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Sign the log as it is, and print the note: keep it on another machine.

    Where the database takes no writes, print the last one that was stored, and its size.
    """
    with service_in(data_dir) as service:
        checkpoints = service.own.proofs.checkpoints
        try:
            if public_key:
                text = f"{checkpoints.public_key().text}\n"
            else:
                made = checkpoints.make()
                text = made.note
                if not checkpoints.can_grow:
                    reason = "no writes are taken here: this is the last one that was stored"
                    typer.echo(f"{reason}, of size {made.size}", err=True)
        except LogContradicted as error:
            finding = Finding("checkpoint-differs", str(error))
            note_audit(service.database, [finding], tenant=service.own.name)
            raise
    print(text, end="")  # noqa: T201 - the command's output


@app.command()
def evidence(
    thread: ThreadArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-O", help="File to write; standard output without.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Write a thread with its chain, proof, checkpoint and public key, to check anywhere."""
    with service_in(data_dir) as service:
        pieces = service.own.proofs.evidence.of_thread(thread, signing=True)
        if output is None:
            sys.stdout.writelines(pieces)
        else:
            _write(output, pieces)


def _verify_bundles(files: Sequence[Path], held: Held) -> Verdict:
    """Verify evidence files and print what each proves."""
    verdicts: list[Verdict] = []
    for file in files:
        verdict = check_bundle(bytes_of(file), public_key=held.public_key, held=held.checkpoint)
        verdicts.append(verdict.verdict)
        print_findings(verdict.findings)
        if not verdict.whole:
            print(f"{file}: {in_words(verdict.verdict)}")  # noqa: T201 - the command's output
            continue
        known = "that you hold" if held.public_key else "that it brings along"
        print(  # noqa: T201 - the command's output
            printable(
                f"{file}: whole. Thread {verdict.thread_id!r} of tenant {verdict.tenant!r} had "
                f"these {verdict.version} events, in this order, when the log was signed at size "
                f"{verdict.size} by the key {known}: {verdict.public_key}"
            )
        )
        if held.public_key is None:
            print(  # noqa: T201 - the command's output
                "Whose key that is, it cannot show: compare it by --public-key with one that you "
                "have from elsewhere."
            )
    return worst(verdicts)


def _write(file: Path, pieces: Iterable[str]) -> None:
    """Write a file atomically."""
    beside = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8") as opened:
            opened.writelines(pieces)
        beside.replace(file)
    except OSError as error:
        raise InvalidOption(f"{file}: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)
