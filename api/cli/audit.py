"""The commands verify, checkpoint and evidence."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Self

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from agentlog.api.cli.session import DataDir, InvalidOption, ThreadArgument, printable, service_in
from agentlog.api.composition import Service
from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of, worst
from agentlog.infrastructure.audit.accounts import check_all_tenants
from agentlog.infrastructure.audit.bundle import check_bundle
from agentlog.infrastructure.audit.checkpoints import LogContradicted
from agentlog.infrastructure.audit.findings import MOST_FINDINGS, Audit
from agentlog.infrastructure.audit.notes import Checkpoint, VerifierKey
from agentlog.infrastructure.subscriptions.notices import note_audit

app = typer.Typer()
PublicKey = Annotated[
    str | None, typer.Option(help="The log's public key as you hold it, or a file of it.")
]
KeptCheckpoint = Annotated[
    Path | None, typer.Option(help="File of a checkpoint's note that you have kept.")
]

EXIT_CODES: Mapping[Verdict, int] = {
    "whole": 0,
    "not all checked": 2,
    "not finished": 2,
    "broken": 1,
}

_MOST_NAMES = 10
"""Most names of other tenants that are printed."""


@dataclass(frozen=True, slots=True)
class Held:
    """The verifier's own key and checkpoint; None where not given."""

    public_key: VerifierKey | None = None
    checkpoint: Checkpoint | None = None

    @property
    def checkpoints(self) -> Sequence[Checkpoint]:
        """The checkpoint, if there is one."""
        return [] if self.checkpoint is None else [self.checkpoint]

    @classmethod
    def read(cls, *, public_key: str | None, checkpoint: Path | None) -> Self:
        """Return the options' values; raises as `VerifierKey.parse` and `Checkpoint.parse`."""
        key = None
        if public_key is not None:
            from_file = Path(public_key)
            text = public_key if "+" in public_key else _text_of(from_file)
            key = VerifierKey.parse(text)
        note = None if checkpoint is None else Checkpoint.parse(_text_of(checkpoint))
        return cls(key, note)


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
    derived: Annotated[
        bool,
        typer.Option(
            "--derived",
            help="Also make snapshots, read models and rows to search in anew, and compare them.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Check that nothing was changed: exit code 0 says whole, 1 broken, 2 neither.

    Neither: not all could be checked, or a redaction is not carried out yet. Evidence is checked
    offline, without any database.
    """
    named = which or []
    files = [word for word in named if word.endswith(".json") or "/" in word]
    threads = [word for word in named if word not in files]
    held = Held.read(public_key=public_key, checkpoint=checkpoint)
    verdict = _verify_bundles([*map(Path, files), *(bundle or [])], held)
    if threads or not (files or bundle):
        with service_in(data_dir) as service:
            of_log = _verify_log(service, threads, held, derived=derived)
            verdict = worst((verdict, of_log))
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
    """Sign the log as it is, and print the note: keep it on another machine."""
    with service_in(data_dir) as service:
        checkpoints = service.own.proofs.checkpoints
        try:
            text = f"{checkpoints.public_key().text}\n" if public_key else checkpoints.make().note
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
        verdict = check_bundle(_bytes_of(file), public_key=held.public_key, held=held.checkpoint)
        verdicts.append(verdict.verdict)
        _print_findings(verdict.findings)
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


def _verify_log(service: Service, threads: Sequence[str], held: Held, *, derived: bool) -> Verdict:
    """Verify threads, or the whole log where none is named."""
    auditor, derived_auditor = service.own.proofs.auditor, service.own.derived
    audits: Iterator[tuple[str | None, Audit]]
    if threads:
        audits = ((thread_id, auditor.thread(thread_id)) for thread_id in threads)
    else:
        audits = auditor.log(held.checkpoints, public_key=held.public_key)
    verdicts: list[Verdict] = []
    broken: list[Finding] = []
    count, events = 0, 0

    def show(findings: Sequence[Finding], *, count: int = 0) -> None:
        _print_findings(findings, count=count)
        room = MOST_FINDINGS - len(broken)
        broken.extend(islice((finding for finding in findings if finding.breaks), room))

    with _progress() as progress:
        task = progress.add_task("threads", total=len(threads) or None)
        for thread_id, audit in audits:
            show(audit.findings, count=audit.count)
            verdicts.append(audit.verdict)
            if thread_id is None:
                continue
            differing = list(derived_auditor.thread(thread_id)) if derived else []
            show(differing)
            verdicts.append(verdict_of(differing))
            count, events = count + 1, events + audit.events
            progress.advance(task)
    if threads and held.checkpoint is not None:
        tree = auditor.tree(held.checkpoints, public_key=held.public_key)
        show(tree.findings, count=tree.count)
        verdicts.append(tree.verdict)
    if not threads:
        log = check_all_tenants(service.database)
        findings = [*log.audit.findings, *(derived_auditor.around() if derived else ())]
        show(findings)
        verdicts.append(verdict_of(findings))
        _print_others({name: n for name, n in log.events.items() if name != service.own.name})
    unchecked = list(derived_auditor.unchecked(threads or None)) if derived else []
    show(unchecked)
    verdict = worst((*verdicts, verdict_of(unchecked)))
    note_audit(service.database, broken, tenant=service.own.name)
    threads_word = "thread" if count == 1 else "threads"
    print(f"{in_words(verdict)}: {count} {threads_word}, {events} events")  # noqa: T201 - the command's output
    return verdict


def in_words(verdict: Verdict) -> str:
    """Return a verdict as commands print it: in capitals where the check does not pass."""
    return verdict if verdict == "whole" else verdict.upper()


def _print_others(events: Mapping[str, int]) -> None:
    """Say which tenants' events were not checked."""
    if events:
        names = ", ".join(map(repr, islice(events, _MOST_NAMES)))
        names += ", …" if len(events) > _MOST_NAMES else ""
        print(  # noqa: T201 - the command's output
            printable(
                f"not checked: {sum(events.values())} events of other tenants ({names}): set "
                "AGENTLOG_TENANT to each"
            )
        )


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


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), MofNCompleteColumn())
    return Progress(*columns, console=Console(stderr=True))


def _print_findings(findings: Iterable[Finding], *, count: int = 0) -> None:
    shown = 0
    for finding in findings:
        where = "" if finding.thread_id is None else f"thread {finding.thread_id!r} "
        where += "" if finding.version is None else f"version {finding.version} "
        print(printable(f"{where}{finding.what}: {finding.detail}"))  # noqa: T201 - the command's output
        shown += 1
    if count > shown:
        print(f"… and {count - shown} more")  # noqa: T201 - the command's output


def _bytes_of(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidOption(f"{file}: {error.strerror}") from error


def _text_of(file: Path) -> str:
    return _bytes_of(file).decode(errors="replace")
