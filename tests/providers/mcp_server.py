"""An MCP server of two tools that count how often they ran, in a file: one only reads."""

import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations


def server(ran: Path) -> MCPServer[Any]:
    """Return a server that writes a line for each call."""

    def run(tool: str, city: str) -> str:
        with ran.open("a") as file:
            file.write(f"{tool} {city}\n")
        return f"{tool} of {city}, number {len(ran.read_text().splitlines())}"

    def forecast(city: str) -> str:
        """Tell the weather."""
        if not city:
            raise ValueError("which city?")
        return run("forecast", city)

    def book(city: str) -> str:
        """Book a journey."""
        return run("book", city)

    made: MCPServer[Any] = MCPServer("travel")
    made.add_tool(forecast, annotations=ToolAnnotations(read_only_hint=True))
    made.add_tool(book)
    return made


if __name__ == "__main__":  # mcp_server.py FILE
    server(Path(sys.argv[1])).run("stdio")
