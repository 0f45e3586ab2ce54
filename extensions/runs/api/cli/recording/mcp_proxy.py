"""The command mcp-proxy: stands before an MCP server of an agent."""

from pathlib import Path
from typing import Annotated

import typer

from agentlog.extensions.runs.api.gateway.mcp_proxy import answer_client, run_server
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import (
    ToolCalls,
    calls_go_to,
    is_url,
)

app = typer.Typer()


@app.command()
def mcp_proxy(
    name: Annotated[str, typer.Argument(help="The server's name on record, the same in each run.")],
    command: Annotated[list[str], typer.Argument(help="The server, unchanged; after --.")],
) -> None:
    """Stand before an MCP server (stdio), so that its tools are recorded and replayed.

    Under `record` and `fork-run` the server's answers are put on record. Under `replay --tools
    recorded` or `refuse` they come from there, and no server is started. Else all passes as it is.
    """
    place = calls_go_to()
    if is_url(place):
        raise typer.Exit(answer_client(name, ToolCalls(place)))
    raise typer.Exit(run_server(command, name, Path(place) if place else None))
