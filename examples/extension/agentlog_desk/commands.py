"""The command `agentlog words`."""

import typer

from agentlog.api.cli.session import DataDir, ThreadArgument, print_line, service_in
from agentlog.infrastructure.views.results import Page
from agentlog_desk.words import Words

app = typer.Typer()


@app.command()
def words(thread: ThreadArgument, *, data_dir: DataDir = None) -> None:
    """Say how many words a thread has."""
    with service_in(data_dir) as service:
        match service.views.view(thread, Words()):
            case Page(items=[*_, last]):
                print_line(last.item["total"])
            case _:
                print_line(0)
