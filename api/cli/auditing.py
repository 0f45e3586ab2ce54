"""Implements the commands verify, checkpoint and evidence."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from api.cli.session import InvalidOption, printable
from api.composition import Service, open_service
from domain.integrity.chain_audit import Finding
from infrastructure.audit.auditor import check_positions
from infrastructure.audit.bundle import check_bundle
from infrastructure.audit.notes import Checkpoint, VerifierKey
from infrastructure.settings import Settings

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Held:
    """The verifier's own key and checkpoint; None where not given."""

    public_key: VerifierKey | None = None
    checkpoint: Checkpoint | None = None

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


def verify_bundles(files: Sequence[Path], held: Held) -> bool:
    """Verify evidence files and print what each proves; return whether all are valid."""
    whole = True
    for file in files:
        verdict = check_bundle(_bytes_of(file), public_key=held.public_key, held=held.checkpoint)
        whole = whole and verdict.whole
        _print_findings(verdict.findings)
        if not verdict.whole:
            print(f"{file}: BROKEN")  # noqa: T201 - the command's output
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
    return whole


def verify_log(
    settings: Settings, threads: Sequence[str], held: Held, *, derived: bool = False
) -> bool:
    """Verify threads, or the whole log where none is named; return whether all is valid."""
    with open_service(settings) as service:
        auditor = service.own.proofs.auditor
        whole, count, events = True, 0, 0
        with _progress() as progress:
            task = progress.add_task("threads", total=len(threads) or None)
            for thread_id in threads or _all_threads(service):
                audit = auditor.thread(thread_id)
                _print_findings(audit.findings, count=audit.count)
                differing = list(service.own.derived.thread(thread_id)) if derived else []
                _print_findings(differing)
                whole = whole and audit.whole and not differing
                count, events = count + 1, events + audit.events
                progress.advance(task)
        if not threads or held.checkpoint is not None:
            known = [] if held.checkpoint is None else [held.checkpoint]
            tree = auditor.tree(known, public_key=held.public_key)
            _print_findings(tree.findings, count=tree.count)
            whole = whole and tree.whole
        if not threads:
            differing = list(service.own.derived.search()) if derived else []
            found = [*check_positions(service.database).findings, *differing]
            _print_findings(found)
            whole = whole and not found
    state = "whole" if whole else "BROKEN"
    threads_word = "thread" if count == 1 else "threads"
    print(f"{state}: {count} {threads_word}, {events} events")  # noqa: T201 - the command's output
    return whole


def print_checkpoint(settings: Settings) -> None:
    """Create a checkpoint and print its note."""
    with open_service(settings) as service:
        note = service.own.proofs.checkpoints.make().note
    print(note, end="")  # noqa: T201 - the command's output


def print_public_key(settings: Settings) -> None:
    """Print the public key of checkpoints."""
    with open_service(settings) as service:
        print(service.own.proofs.checkpoints.public_key().text)  # noqa: T201 - the command's output


def write_evidence(settings: Settings, thread_id: str, output: Path | None) -> None:
    """Write a thread's evidence; a file is written atomically."""
    with open_service(settings) as service:
        pieces = service.own.proofs.evidence.of_thread(thread_id)
        if output is None:
            sys.stdout.writelines(pieces)
            return
        beside = output.with_name(f"{output.name}.{os.getpid()}.part")
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.writelines(pieces)
            beside.replace(output)
        except OSError as error:
            raise InvalidOption(f"{output}: {error.strerror}") from error
        finally:
            beside.unlink(missing_ok=True)


def _all_threads(service: Service) -> Iterator[str]:
    yield from service.own.proofs.auditor.headless()
    after = ""
    while ids := service.store.thread_ids(after=after, limit=_PAGE):
        yield from ids
        after = ids[-1]


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), MofNCompleteColumn())
    return Progress(*columns, console=Console(stderr=True))


def _print_findings(findings: Iterable[Finding], *, count: int = 0) -> None:
    shown = 0
    for each in findings:
        where = "" if each.thread_id is None else f"thread {each.thread_id!r} "
        where += "" if each.version is None else f"version {each.version} "
        print(printable(f"{where}{each.what}: {each.detail}"))  # noqa: T201 - the command's output
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
