"""The command export cassette."""

import typer

from agentlog.api.cli.session import DataDir, ThreadArgument, json_line, service_in
from agentlog.api.cli.transfer.output import Output, output_file
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import RecordedThread
from agentlog.extensions.runs.projections.tapes.cassette import cassette_lines

app = typer.Typer()


@app.command()
def cassette(thread: ThreadArgument, output: Output = None, data_dir: DataDir = None) -> None:
    """Export the last recorded run of a thread as a file that `replay` takes in place of the log.

    It holds all that was said, as the log does: only its owner may read it.
    """
    with service_in(data_dir) as service, output_file(output, mode=0o600) as file:
        for line in cassette_lines(RecordedThread(service.threads, thread).run()):
            file.write(f"{json_line(line)}\n".encode())
