"""The command mcp: tools for an assistant over standard input and output."""

from contextlib import ExitStack
from typing import Annotated

import typer

from agentlog.api.cli.operations.service import application_over
from agentlog.api.cli.session import DataDir, settings_with
from agentlog.api.composition import open_service
from agentlog.api.http.app import VERSION
from agentlog.extensions.mcp.errors import McpMissing
from agentlog.infrastructure.readmodels.projector_process import projector_process
from agentlog.infrastructure.runtime.logging import logs_on_stderr

app = typer.Typer()


@app.command()
def mcp(
    url: Annotated[
        str | None,
        typer.Option(help="Address of a service to ask; default the database itself."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Offer tools to an assistant (Model Context Protocol), over standard input and output.

    With --url it asks that service, by the key in AGENTLOG_KEY.
    """
    try:
        from agentlog.extensions.mcp.http_api import HttpApi  # noqa: PLC0415 - an optional extra
        from agentlog.extensions.mcp.server import mcp_server  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError as error:
        raise McpMissing from error
    settings = settings_with(data_dir=data_dir)
    with ExitStack() as open_things:
        if url is not None:
            key = settings.key
            api = HttpApi(url=url, key=None if key is None else key.get_secret_value())
        else:
            open_things.enter_context(logs_on_stderr(form=settings.log_format, level="warning"))
            service = open_things.enter_context(open_service(settings))
            if settings.projections == "on":
                open_things.enter_context(projector_process(service.url, settings.data_dir))
            api = HttpApi(app=application_over(settings, service, "in process"))
        mcp_server(lambda _: api, version=VERSION).run("stdio")
