"""The command `agentlog export spans`."""

from typing import Annotated

import typer
from rich.console import Console

from agentlog.api.cli.session import At, DataDir, InvalidOption, json_line, service_in
from agentlog.api.cli.transfer.exports import NamedThreads
from agentlog.api.cli.transfer.output import Output, output_file
from agentlog.domain.points_in_time import parse_moment
from agentlog.extensions.traces.api.collector import send
from agentlog.extensions.traces.projections.export.otlp import export_request
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.infrastructure.transfer.exporter import all_thread_ids

app = typer.Typer()


@app.command()
def spans(
    threads: NamedThreads = None,
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
