"""The command import."""

import _thread
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, get_args

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from api.cli.session import DataDir, InvalidOption, pairs_of, printable, service_in
from api.composition import Service
from domain.errors import AgentlogError
from domain.facts import Policy
from infrastructure.runtime.garbage import collect_rarely
from infrastructure.transfer.importer import Importer, ImportReport
from infrastructure.transfer.records import Plan
from infrastructure.transfer.sources import STANDARD_INPUT, find_files
from projections.readers.registry import choose_reader

app = typer.Typer()

_SHOWN_FAILURES = 100
_PATIENCE_SECONDS = 2.0


@app.command("import")
def import_(  # noqa: PLR0913, PLR0917 - one parameter an option
    paths: Annotated[
        list[Path],
        typer.Argument(help="JSON or JSON lines files, folders of them, or - for standard input."),
    ],
    wire: Annotated[
        str, typer.Option("--format", help="kernel, openai, letta, openletta or maria.")
    ] = "kernel",
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
    data_dir: DataDir = None,
) -> None:
    """Import histories; running it again writes nothing twice."""
    known: tuple[Policy, ...] = get_args(Policy)
    chosen = next((each for each in known if each == policy), None)
    if policy is not None and chosen is None:
        raise InvalidOption(f"--policy {policy}: use one of {', '.join(known)}")
    templates = dict(pairs_of("--metadata", metadata, form="KEY=TEMPLATE", named=True))
    plan = Plan(
        reader=choose_reader(wire),
        messages=messages,
        thread_id=thread_id,
        goal=goal,
        metadata=templates,
        policy=chosen,
    )
    report = _import_files(service_in(data_dir), plan, paths)
    raise typer.Exit(1 if report.failures else 0)


def _import_files(
    opening: AbstractContextManager[Service], plan: Plan, paths: Sequence[Path]
) -> ImportReport:
    """Import files with a progress bar, and print what came of them."""
    console = Console(stderr=True)
    files = find_files(paths)
    total = sum(path.stat().st_size for path in files if path != STANDARD_INPUT) or None
    collect_rarely()
    with opening as service, _progress(console) as bar, _held_interrupt() as held:
        task = bar.add_task("importing", total=total)
        importer = Importer(
            service.store,
            plan,
            progress=lambda size: bar.advance(task, size),
            between=held.let_go,
        )
        try:
            for path in files:
                importer.import_file(path)
            bar.update(task, completed=total)
        except (KeyboardInterrupt, AgentlogError) as error:
            _print_report(console, importer.report)
            console.print("interrupted: what is counted is written; run it again to go on")
            if held.came:  # the batch that was on its way may have failed after the interrupt
                raise KeyboardInterrupt from error
            raise
    _print_report(console, importer.report)
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
    before = {each: signal.signal(each, held.take) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield held
    finally:
        if held.patience is not None:
            held.patience.cancel()
        for each, handler in before.items():
            signal.signal(each, handler)


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


def _print_report(console: Console, report: ImportReport) -> None:
    for failure in report.failures[:_SHOWN_FAILURES]:
        console.print(Text(printable(f"{failure.place}: {failure.reason}")), soft_wrap=True)
    if len(report.failures) > _SHOWN_FAILURES:
        console.print(f"… and {len(report.failures) - _SHOWN_FAILURES} more that failed")
    console.print(
        f"{report.threads} threads: {report.appended} events appended, "
        f"{report.replayed} there already, {report.anomalies} anomalies, "
        f"{report.mended} lone surrogates replaced by U+FFFD, "
        f"{len(report.failures)} records failed",
        soft_wrap=True,
        highlight=False,
    )
