"""The command export: JSON lines of threads, events, examples and spans, or a dataset."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console

from agentlog.api.cli.collector import send
from agentlog.api.cli.session import (
    At,
    DataDir,
    InvalidOption,
    MissingExtra,
    OptionList,
    chosen_view,
    filter_of,
    json_line,
    progress_shown,
    settings_with,
)
from agentlog.api.composition import open_service
from agentlog.api.shapes.threads import event_json
from agentlog.domain.errors import AgentlogError, FutureMoment
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.transfer.exporter import all_thread_ids, export_threads, log_events
from agentlog.infrastructure.transfer.finetuning import threads_matching, training_examples
from agentlog.infrastructure.transfer.otlp import export_request
from agentlog.projections.finetuning import FEWEST, LeftOut
from agentlog.projections.spans import spans_of

app = typer.Typer()

_OF_VIEWS = frozenset({"threads", "output", "at", "option"})
_FILTERS = frozenset({"status", "open", "q", "parent", "metadata"})
_TAKES: Mapping[str, frozenset[str]] = {
    "jsonl": frozenset({"output", "after"}),
    "otlp": frozenset({"threads", "output", "at", "to"}),
    "finetune": frozenset({"threads", "output"}) | _FILTERS,
    "parquet": frozenset({"output", "only"}),
}
"""Options of each format that is not a view."""


class UnwritableOutput(AgentlogError):
    """The file to export to cannot be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of an export; an empty list or None where not given."""

    format: str
    threads: list[str] = field(default_factory=list)
    output: Path | None = None
    at: str | None = None
    option: list[str] = field(default_factory=list)
    after: int | None = None
    to: str | None = None
    only: list[str] = field(default_factory=list)
    status: str | None = None
    open: bool | None = None
    q: str | None = None
    parent: str | None = None
    metadata: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Raise `InvalidOption` where an option does not go with the format."""
        takes = _TAKES.get(self.format, _OF_VIEWS)
        for name in ("threads", "output", "at", "option", "after", "to", "only", *sorted(_FILTERS)):
            if getattr(self, name) not in (None, []) and name not in takes:
                shown = "THREADS" if name == "threads" else f"--{name}"
                raise InvalidOption(f"{shown} does not go with --format {self.format}")

        if self.threads and any(getattr(self, name) not in (None, []) for name in _FILTERS):
            raise InvalidOption("name THREADS or filter them, not both")

    @property
    def which(self) -> ThreadFilter:
        """The threads to export."""
        return filter_of(status=self.status, q=self.q, parent=self.parent, metadata=self.metadata)


@app.command()
def export(  # noqa: PLR0913, PLR0917 - one parameter an option
    threads: Annotated[
        list[str] | None, typer.Argument(help="Ids of threads; all where none is given.")
    ] = None,
    wire: Annotated[
        str,
        typer.Option(
            "--format",
            help="Any view, a thread a line; kernel keeps everything. jsonl: the log, an event a "
            "line. finetune: OpenAI's fine-tuning lines of finished threads. otlp: spans, a thread "
            "a line. parquet: a dataset.",
        ),
    ] = "kernel",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-O", help="File, default standard output; for parquet the folder."
        ),
    ] = None,
    at: At = None,
    option: OptionList = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="jsonl: only events beyond this position.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="URL", help="otlp: the collector to send to, by protobuf."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="parquet: events, or the name of a read model.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="finetune: open, exited or closed; default the last two.")
    ] = None,
    with_open: Annotated[
        bool | None, typer.Option("--open", help="finetune: threads that are still open too.")
    ] = None,
    q: Annotated[str | None, typer.Option(help="finetune: words in goal or id.")] = None,
    parent: Annotated[str | None, typer.Option(help="finetune: id of the parent thread.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="finetune: what metadata must be, as reward=1.0."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Export threads as lines that import reads, the log, training data, or a Parquet dataset."""
    asked = Asked(
        format=wire,
        threads=threads or [],
        output=output,
        at=at,
        option=option or [],
        after=after,
        to=to,
        only=only or [],
        status=status,
        open=with_open,
        q=q,
        parent=parent,
        metadata=metadata or [],
    )
    settings = settings_with(data_dir=data_dir)
    match wire:
        case "jsonl":
            _export_events(settings, asked)
        case "finetune":
            _export_examples(settings, asked)
        case "otlp":
            _export_spans(settings, asked)
        case "parquet":
            _export_dataset(settings, asked)
        case _:
            _export_threads(settings, asked)


def _export_threads(settings: Settings, asked: Asked) -> None:
    """Write a JSON line for each thread."""
    view = chosen_view(
        asked.format, asked.option or (["metadata=true"] if asked.format == "kernel" else [])
    )
    moment = None if asked.at is None else parse_moment(asked.at)
    with open_service(settings) as service:
        chosen = asked.threads or all_thread_ids(service.threads)
        with _opened(asked.output) as file:
            for record in export_threads(service.threads, view, chosen, at=moment):
                file.write(f"{json_line(record)}\n".encode())


def _export_events(settings: Settings, asked: Asked) -> None:
    """Write the events after a position as in the log; print the position reached."""
    after = asked.after or 0
    with open_service(settings) as service:
        reader = LogReader(service.database, tenant=settings.tenant)
        position = reader.position()
        if after > position:
            raise FutureMoment(f"position {after}", present=f"the log is at position {position}")
        with _opened(asked.output) as file:
            for event in log_events(reader, after=after, upto=position):
                file.write(f"{json_line(event_json(event, with_thread=True))}\n".encode())
    print(f"position {position}: go on with --after {position}", file=sys.stderr)  # noqa: T201 - to scripts too


def _export_examples(settings: Settings, asked: Asked) -> None:
    """Write an example for each thread; print how many are left out, and why."""
    left_out: Counter[LeftOut] = Counter()
    count = 0
    with open_service(settings) as service, _opened(asked.output) as file:
        threads = service.threads
        named = [threads.head(thread) for thread in asked.threads]
        heads = named or threads_matching(threads, asked.which)
        open_too = bool(named or asked.open or asked.status == "open")
        for example in training_examples(threads, heads, open_too=open_too):
            if isinstance(example, LeftOut):
                left_out[example] += 1
            else:
                count += 1
                file.write(f"{json_line(example)}\n".encode())
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"{count} examples, {left_out.total()} threads left out")
    for reason, times in left_out.most_common():
        console.print(f"  {times}: {reason.value}")
    if count < FEWEST:
        console.print(f"OpenAI trains on no fewer than {FEWEST} examples")


def _export_spans(settings: Settings, asked: Asked) -> None:
    """Write the spans of each thread as a JSON line, or send them to a collector."""
    if asked.to is not None and asked.output is not None:
        raise InvalidOption("give --to or --output, not both")
    moment = None if asked.at is None else parse_moment(asked.at)
    with open_service(settings) as service:
        threads = service.threads
        chosen = asked.threads or all_thread_ids(threads)
        of_threads = (spans_of(head, threads.messages(head, at=moment)) for head in chosen)
        if asked.to is None:
            with _opened(asked.output) as file:
                for spans in of_threads:
                    if spans:
                        file.write(f"{json_line(export_request(spans))}\n".encode())
            return
        count = 0
        for spans in of_threads:
            if spans:
                send(asked.to, spans)
                count += 1
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"threads sent to {asked.to}: {count:,}")


def _export_dataset(settings: Settings, asked: Asked) -> None:
    """Create or update a Parquet dataset; print what was written."""
    try:
        from agentlog.infrastructure.dataset.export import (  # noqa: PLC0415 - needs an extra
            TABLES,
            export_dataset,
        )
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise MissingExtra("parquet") from error
    if asked.output is None:
        raise InvalidOption("--format parquet needs --output: the folder of the dataset")
    for name in asked.only:
        if name not in TABLES:
            raise InvalidOption(f"--only {name[:64]}: choose among {', '.join(TABLES)}")
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with open_service(settings) as service, progress_shown() as show:
        exported = export_dataset(
            service.database,
            service.projection_status,
            asked.output,
            tenant=settings.tenant,
            tables=asked.only or TABLES,
            progress=show,
        )
    console.print(
        f"{exported.events} new events, {exported.days} days of read models written; "
        f"{asked.output} is as of position {exported.position}"
    )


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """Yield a file to write to, or standard output; raises `UnwritableOutput`."""
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise UnwritableOutput(f"{output} cannot be written: {error.strerror}") from error
