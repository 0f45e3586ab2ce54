"""Implements the command export: options of each format, and formats of JSON lines."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from api.cli.reading import filter_of
from api.cli.session import InvalidOption, json_line
from api.cli.transferring import export_threads_as, opened
from api.composition import open_service
from api.shapes.threads import event_json
from domain.errors import AgentlogError, FutureMoment
from infrastructure.eventlog.reader import LogReader
from infrastructure.eventlog.thread_heads import ThreadFilter
from infrastructure.settings import Settings
from infrastructure.transfer.exporter import log_events
from infrastructure.transfer.finetuning import finished_threads, training_examples
from projections.finetuning import FEWEST, LeftOut

_OF_VIEWS = frozenset({"threads", "output", "at", "option"})
_FILTERS = frozenset({"status", "q", "parent", "metadata"})
_TAKES: Mapping[str, frozenset[str]] = {
    "jsonl": frozenset({"output", "after"}),
    "finetune": frozenset({"threads", "output"}) | _FILTERS,
    "parquet": frozenset({"output", "only"}),
}
"""Options of each format that is not a view."""


class MissingExtra(AgentlogError):
    """A package that only some need is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"this needs more packages: pip install 'agentlog[{extra}]'")
        self.extra = extra


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of an export; an empty list or None where not given."""

    format: str
    threads: list[str] = field(default_factory=list)
    output: Path | None = None
    at: str | None = None
    option: list[str] = field(default_factory=list)
    after: int | None = None
    only: list[str] = field(default_factory=list)
    status: str | None = None
    q: str | None = None
    parent: str | None = None
    metadata: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Raise `InvalidOption` where an option does not go with the format."""
        takes = _TAKES.get(self.format, _OF_VIEWS)
        for name in ("threads", "output", "at", "option", "after", "only", *sorted(_FILTERS)):
            if getattr(self, name) not in (None, []) and name not in takes:
                shown = "THREADS" if name == "threads" else f"--{name}"
                raise InvalidOption(f"{shown} does not go with --format {self.format}")

        if self.threads and any(getattr(self, name) not in (None, []) for name in _FILTERS):
            raise InvalidOption("name THREADS or filter them, not both")

    @property
    def which(self) -> ThreadFilter:
        """The threads to export."""
        return filter_of(status=self.status, q=self.q, parent=self.parent, metadata=self.metadata)


@contextmanager
def needing(extra: str, module: str) -> Iterator[None]:
    """Raise `MissingExtra` where an import in the block lacks a module."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise MissingExtra(extra) from error


def export_lines(settings: Settings, asked: Asked) -> None:
    """Write JSON lines: one per thread in a view, per event, or per example."""
    match asked.format:
        case "jsonl":
            _export_events(settings, after=asked.after or 0, output=asked.output)
        case "finetune":
            _export_examples(settings, asked)
        case _:
            export_threads_as(
                settings,
                asked.threads,
                asked.format,
                asked.option,
                at=asked.at,
                output=asked.output,
            )


def _export_events(settings: Settings, *, after: int, output: Path | None) -> None:
    """Write the events after a position as in the log; print the position reached."""
    with open_service(settings) as service:
        reader = LogReader(service.database, tenant=settings.tenant)
        position = reader.position()
        if after > position:
            raise FutureMoment(f"position {after}", present=f"the log is at position {position}")
        with opened(output) as file:
            for event in log_events(reader, after=after, upto=position):
                file.write(f"{json_line(event_json(event, with_thread=True))}\n".encode())
    print(f"position {position}: go on with --after {position}", file=sys.stderr)  # noqa: T201 - to scripts too


def _export_examples(settings: Settings, asked: Asked) -> None:
    """Write an example for each finished thread; print how many are left out, and why."""
    left_out: Counter[LeftOut] = Counter()
    count = 0
    with open_service(settings) as service, opened(asked.output) as file:
        store = service.store
        named = [store.thread(each) for each in asked.threads]
        heads = named or finished_threads(store, asked.which)
        for found in training_examples(store, heads):
            if isinstance(found, LeftOut):
                left_out[found] += 1
            else:
                count += 1
                file.write(f"{json_line(found)}\n".encode())
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"{count} examples, {left_out.total()} threads left out")
    for reason, times in left_out.most_common():
        console.print(f"  {times}: {reason.value}")
    if count < FEWEST:
        console.print(f"OpenAI trains on no fewer than {FEWEST} examples")
