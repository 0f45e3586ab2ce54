"""Implements the commands import and export."""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import BinaryIO, get_args

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from api.cli.garbage import collect_rarely
from api.cli.session import InvalidOption, chosen_view, json_line, printable
from api.composition import open_service
from domain.errors import AgentlogError
from domain.facts import Policy
from domain.points_in_time import parse_moment
from infrastructure.settings import Settings
from infrastructure.transfer.exporter import all_thread_ids, export_threads
from infrastructure.transfer.importer import Importer, Report
from infrastructure.transfer.records import Plan
from infrastructure.transfer.sources import STANDARD_INPUT, find_files
from projections.readers.registry import choose_reader

_SHOWN_FAILURES = 100
_PATIENCE_SECONDS = 2.0


class UnwritableOutput(AgentlogError):
    """The file to export to cannot be written."""


def plan_of(  # noqa: PLR0913 - one parameter an option
    wire: str,
    *,
    messages: str | None,
    thread_id: str | None,
    goal: str | None,
    metadata: list[str],
    policy: str | None,
) -> Plan:
    """Return the import plan from the command's options."""
    known: tuple[Policy, ...] = get_args(Policy)
    chosen = next((each for each in known if each == policy), None)
    if policy is not None and chosen is None:
        raise InvalidOption(f"--policy {policy}: use one of {', '.join(known)}")
    pairs = [text.partition("=") for text in metadata]
    for text, (key, equals, _) in zip(metadata, pairs, strict=True):
        if not (key and equals):
            raise InvalidOption(f"--metadata {text}: give KEY=TEMPLATE")
    return Plan(
        reader=choose_reader(wire),
        messages=messages,
        thread_id=thread_id,
        goal=goal,
        metadata={key: value for key, _, value in pairs},
        policy=chosen,
    )


def import_files(settings: Settings, plan: Plan, paths: list[Path]) -> int:
    """Import files with a progress bar; return the exit code, 1 where any record failed."""
    console = Console(stderr=True)
    files = find_files(paths)
    total = sum(path.stat().st_size for path in files if path != STANDARD_INPUT) or None
    collect_rarely()
    with open_service(settings) as service, _progress(console) as bar, _held_interrupt() as held:
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
        except (KeyboardInterrupt, AgentlogError):
            _print_report(console, importer.report)
            console.print("interrupted: what is counted is written; run it again to go on")
            raise
    _print_report(console, importer.report)
    return 1 if importer.report.failures else 0


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


def export_threads_as(  # noqa: PLR0913 - one parameter an option
    settings: Settings,
    thread_ids: list[str],
    wire: str,
    options: list[str],
    *,
    at: str | None,
    output: Path | None,
) -> None:
    """Write a JSON line for each thread."""
    given = options or (["metadata=true"] if wire == "kernel" else [])
    view = chosen_view(wire, given)
    moment = None if at is None else parse_moment(at)
    with open_service(settings) as service:
        chosen = thread_ids or all_thread_ids(service.store)
        with opened(output) as file:
            for record in export_threads(service.store, view, chosen, at=moment):
                file.write(f"{json_line(record)}\n".encode())


@contextmanager
def opened(output: Path | None) -> Iterator[BinaryIO]:
    """Yield a file to write to, or standard output; raises `UnwritableOutput`."""
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise UnwritableOutput(f"{output} cannot be written: {error.strerror}") from error


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


def _print_report(console: Console, report: Report) -> None:
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
