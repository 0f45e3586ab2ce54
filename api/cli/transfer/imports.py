"""The command import."""

import _thread
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, get_args

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from ulid import ULID

from agentlog.api.cli.remote import Key, To, by_service
from agentlog.api.cli.session import DataDir, InvalidOption, pairs_of, service_in
from agentlog.api.composition import Service
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError
from agentlog.domain.facts import Policy
from agentlog.domain.json.text import print_text
from agentlog.infrastructure.embedded import NoData, temporary_data_dir
from agentlog.infrastructure.runtime.garbage import collect_rarely
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.transfer.imports import RunningImport
from agentlog.infrastructure.transfer.report import ImportReport, closing_lines
from agentlog.projections.masking.mask import KNOWN_SECRETS
from agentlog.projections.readers.registry import FORMATS, choose_format

app = typer.Typer()

_PATIENCE_SECONDS = 2.0


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="JSON or JSON lines files, compressed or in archives too, folders, or - for stdin."
        ),
    ],
    wire: Annotated[
        str,
        typer.Option("--format", help="auto finds it out (default); `agentlog formats` lists all."),
    ] = "auto",
    records: Annotated[
        str | None,
        typer.Option(help="JSONPath to the records in a document, as in '$.conversations'."),
    ] = None,
    messages: Annotated[
        str | None,
        typer.Option(help="JSONPath to the messages in each record, as in '$.traj'."),
    ] = None,
    thread_id: Annotated[
        str | None,
        typer.Option(help="Template of the thread id, as in 'airline-{task_id}-{trial}'."),
    ] = None,
    goal: Annotated[str | None, typer.Option(help="Template of the thread's goal.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=TEMPLATE", help="Metadata of the thread, as in reward={reward}."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="record keeps everything and lists anomalies (default), strict refuses."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="File for the places of all findings, as JSON lines."),
    ] = None,
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse records with what a reader does not know.")
    ] = False,
    mask: Annotated[
        bool, typer.Option("--mask", help="Mask secrets of known shapes before they are written.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Decide all as an import does, and write nothing.")
    ] = False,
    to: To = None,
    key: Key = None,
    data_dir: DataDir = None,
) -> None:
    """Import histories; running it again writes nothing twice."""
    if to is not None:
        from agentlog_client.transfer.imports import import_files  # noqa: PLC0415 - only for services
        from agentlog_client.transfer.program import order_of  # noqa: PLC0415

        texts = {
            "format": wire,
            "records": records,
            "messages": messages,
            "thread_id": thread_id,
            "goal": goal,
            "policy": policy,
        }
        with by_service():
            order = order_of(texts, metadata or [], strict=strict, mask=mask)
            code = import_files(paths, url=to, key=key, order=order, dry_run=dry_run, report=report)
        raise typer.Exit(code)
    known: tuple[Policy, ...] = get_args(Policy)
    chosen = next((choice for choice in known if choice == policy), None)
    if policy is not None and chosen is None:
        raise InvalidOption(f"--policy {policy}: use one of {', '.join(known)}")
    templates = dict(pairs_of("--metadata", metadata, form="KEY=TEMPLATE", named=True))
    plan = Plan(
        format=None if wire == "auto" else choose_format(wire),
        records=records,
        messages=messages,
        thread_id=thread_id,
        goal=goal,
        metadata=templates,
        policy=chosen,
        strict=strict,
        masks=KNOWN_SECRETS if mask else (),
    )
    opening = _rehearsed(data_dir) if dry_run else service_in(data_dir, new=True)
    outcome = _import_files(opening, plan, paths, is_dry=dry_run)
    if report is not None:
        report.write_text(
            "".join(f"{print_text(finding.to_json())}\n" for finding in outcome.findings)
        )
    raise typer.Exit(1 if outcome.failures else 0)


@app.command("formats")
def formats() -> None:
    """List the formats that import reads."""
    width = max(map(len, FORMATS)) + 2
    for known in FORMATS.values():
        typer.echo(f"{known.name:<{width}}{known.title}, a thread per {known.unit}")


@contextmanager
def _rehearsed(data_dir: Path | None) -> Iterator[Service]:
    """Open the service for a dry run, which makes no database but one that is thrown away."""
    with ExitStack() as opened:
        try:
            service = opened.enter_context(service_in(data_dir))
        except NoData:
            folder = opened.enter_context(temporary_data_dir())
            service = opened.enter_context(service_in(folder, new=True))
        yield service


def _import_files(
    opening: AbstractContextManager[Service],
    plan: Plan,
    paths: Sequence[Path],
    *,
    is_dry: bool,
) -> ImportReport:
    """Import files with a progress bar, and print what came of them; `is_dry` commits nothing."""
    console = Console(stderr=True)
    Documents(plan)  # a path that is none is refused before there is an import on record
    sources = find_sources(paths)
    total = sum(file.size for file in sources.files) or None
    collect_rarely()
    import_id = str(ULID())
    with opening as service, _progress(console) as bar, _held_interrupt() as held:
        imports = service.own.imports
        running = RunningImport(Origin(import_id=import_id), lambda **_: None)
        if not is_dry:
            running = imports.begin(import_id, [str(path) for path in paths])
        task = bar.add_task("importing", total=total)
        importer = Importer(
            service.own.rehearsal() if is_dry else service.threads,
            plan,
            progress=lambda size: bar.advance(task, size),
            between=held.let_go,
            running=running,
        )
        try:
            importer.import_sources(sources)
            bar.update(task, completed=total)
        except (KeyboardInterrupt, AgentlogError) as error:
            _print_lines(console, importer.report.lines())
            written = "nothing is written" if is_dry else "what is counted is written"
            console.print(f"interrupted: {written}; run it again to go on")
            if held.came:  # the batch that was on its way may have failed after the interrupt
                raise KeyboardInterrupt from error
            raise
        if not is_dry:
            imports.end(import_id)
        hidden = imports.hidden(importer.report.thread_ids)
    _print_lines(console, importer.report.lines())
    made = None if is_dry else import_id
    _print_lines(console, closing_lines(importer.report, made, hidden=hidden))
    return importer.report


@dataclass(slots=True)
class _Held:
    """Delays Ctrl-C and SIGTERM until written records are counted, for a short time only.

    A second one takes effect at once.
    """

    came: bool = False
    patience: threading.Timer | None = None

    def take(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.came:
            raise KeyboardInterrupt
        self.came = True
        self.patience = threading.Timer(_PATIENCE_SECONDS, _thread.interrupt_main)
        self.patience.daemon = True
        self.patience.start()

    def let_go(self) -> None:
        if self.came:
            raise KeyboardInterrupt


@contextmanager
def _held_interrupt() -> Iterator[_Held]:
    held = _Held()
    before = {
        number: signal.signal(number, held.take) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield held
    finally:
        if held.patience is not None:
            held.patience.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(Text(line), soft_wrap=True)
