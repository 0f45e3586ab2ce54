"""The commands of `agentlog export`: threads and the log, and those of extensions."""

import sys
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group
from typing_extensions import override

from agentlog.api.cli.session import At, DataDir, json_line, service_in, settings_with
from agentlog.api.cli.transfer.output import Output, output_file
from agentlog.api.cli.view_options import OptionList, chosen_view
from agentlog.api.composition import open_service
from agentlog.api.shapes.threads import event_json
from agentlog.domain.errors import FutureMoment
from agentlog.domain.points_in_time import parse_moment
from agentlog.extension import Command, added
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.transfer.exporter import all_thread_ids, export_threads, log_events


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
    help="Export threads and the log, as lines or in the forms that extensions add.",
)
app.add_typer(export, name="export")

NamedThreads = Annotated[
    list[str] | None, typer.Argument(help="Ids of threads; all where none is given.")
]


@export.command("threads")
def threads_(  # noqa: PLR0913, PLR0917 - one parameter an option
    threads: NamedThreads = None,
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
