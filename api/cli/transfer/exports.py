"""The commands of `agentlog export`: threads, the log, examples, spans, or a dataset."""

import sys
from collections import Counter
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup
from typer.main import get_group
from typing_extensions import override

from agentlog.api.cli.session import (
    At,
    DataDir,
    InvalidOption,
    filter_of,
    json_line,
    service_in,
    settings_with,
)
from agentlog.api.cli.transfer.collector import send
from agentlog.api.cli.transfer.output import Output, output_file
from agentlog.api.cli.view_options import OptionList, chosen_view
from agentlog.api.composition import open_service
from agentlog.api.shapes.threads import event_json
from agentlog.domain.errors import FutureMoment
from agentlog.domain.points_in_time import parse_moment
from agentlog.extension import Command, added
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.transfer.exporter import all_thread_ids, export_threads, log_events
from agentlog.infrastructure.transfer.finetuning import threads_matching, training_examples
from agentlog.infrastructure.transfer.otlp import export_request
from agentlog.projections.exports.finetuning import FEWEST, LeftOut
from agentlog.projections.exports.spans import spans_of


class _Exports(TyperGroup):
    """The commands of `export`: ours, then those of extensions."""

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands, *_added()]

    @override
    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = _added().get(cmd_name)
        if command is None:
            return super().get_command(ctx, cmd_name)
        return get_group(resolve_name(command.app)).commands[cmd_name]


def _added() -> dict[str, Command]:
    """Return the commands `export NAME` of extensions, by NAME."""
    return {
        words[1]: command
        for name, command in added("commands", taken={}).items()
        if (words := name.split())[0] == "export"
    }


app = typer.Typer()
export = typer.Typer(
    cls=_Exports,
    help="Export threads, the log, training data, spans, a cassette, or a Parquet dataset.",
)
app.add_typer(export, name="export")

Threads = Annotated[
    list[str] | None, typer.Argument(help="Ids of threads; all where none is given.")
]


@export.command("threads")
def threads_(  # noqa: PLR0913, PLR0917 - one parameter an option
    threads: Threads = None,
    view: Annotated[
        str, typer.Option("--format", help="Any view; kernel keeps everything.")
    ] = "kernel",
    output: Output = None,
    at: At = None,
    option: OptionList = None,
    data_dir: DataDir = None,
) -> None:
    """Export threads, a thread a line; import reads them back."""
    chosen = chosen_view(view, option or (["metadata=true"] if view == "kernel" else []))
    moment = None if at is None else parse_moment(at)
    with service_in(data_dir) as service:
        ids = threads or all_thread_ids(service.threads)
        with output_file(output) as file:
            for record in export_threads(service.threads, chosen, ids, at=moment):
                file.write(f"{json_line(record)}\n".encode())


@export.command()
def log(
    after: Annotated[int, typer.Option(min=0, help="Only events beyond this position.")] = 0,
    output: Output = None,
    data_dir: DataDir = None,
) -> None:
    """Export the log, an event a line; the last line on standard error says where to go on."""
    settings = settings_with(data_dir=data_dir)
    with open_service(settings) as service:
        reader = LogReader(service.database, tenant=settings.tenant)
        position = reader.position()
        if after > position:
            raise FutureMoment(f"position {after}", present=f"the log is at position {position}")
        with output_file(output) as file:
            for event in log_events(reader, after=after, upto=position):
                file.write(f"{json_line(event_json(event, with_thread=True))}\n".encode())
    print(f"position {position}: go on with --after {position}", file=sys.stderr)  # noqa: T201 - to scripts too


@export.command()
def finetune(  # noqa: PLR0913, PLR0917 - one parameter a filter
    threads: Threads = None,
    output: Output = None,
    status: Annotated[
        str | None, typer.Option(help="open, exited or closed; default the last two.")
    ] = None,
    with_open: Annotated[
        bool | None, typer.Option("--open", help="Threads that are still open too.")
    ] = None,
    q: Annotated[str | None, typer.Option(help="Words in goal or id.")] = None,
    parent: Annotated[str | None, typer.Option(help="Id of the parent thread.")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="What metadata must be, as reward=1.0."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Export OpenAI's fine-tuning lines, a finished thread a line."""
    if threads and any((status, with_open, q, parent, metadata)):
        raise InvalidOption("name THREADS or filter them, not both")
    which = filter_of(status=status, q=q, parent=parent, metadata=metadata or [])
    left_out: Counter[LeftOut] = Counter()
    count = 0
    with service_in(data_dir) as service, output_file(output) as file:
        named = [service.threads.head(thread) for thread in threads or ()]
        heads = named or threads_matching(service.threads, which)
        open_too = bool(named or with_open or status == "open")
        for example in training_examples(service.threads, heads, open_too=open_too):
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


@export.command()
def spans(
    threads: Threads = None,
    output: Output = None,
    to: Annotated[
        str | None, typer.Option(metavar="URL", help="The collector to send to, by protobuf.")
    ] = None,
    at: At = None,
    data_dir: DataDir = None,
) -> None:
    """Export OpenTelemetry spans as OTLP's JSON, a thread a line, or send them to a collector."""
    if to is not None and output is not None:
        raise InvalidOption("give --to or --output, not both")
    moment = None if at is None else parse_moment(at)
    with service_in(data_dir) as service:
        ids = threads or all_thread_ids(service.threads)
        of_threads = (spans_of(head, service.threads.messages(head, at=moment)) for head in ids)
        if to is None:
            with output_file(output) as file:
                for of_thread in of_threads:
                    if of_thread:
                        file.write(f"{json_line(export_request(of_thread))}\n".encode())
            return
        count = 0
        for of_thread in of_threads:
            if of_thread:
                send(to, of_thread)
                count += 1
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"threads sent to {to}: {count:,}")
