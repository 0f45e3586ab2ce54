"""An agent whose tools are those of an MCP server, which it starts."""

import json
import os
import sys
from collections.abc import Sequence

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

from tests.providers.agent import Agent

PREFIX = "mcp__travel__"
"""Models know tools behind their server's name, as those of coding agents do."""


async def run(url: str, task: str, command: Sequence[str]) -> str:
    """Do a task, and return what the tools gave and the last answer's text."""
    agent = Agent(url, "chat")
    agent.items.append({"role": "user", "content": task})
    outputs: list[str] = []
    other = json.loads(os.environ.get("OTHER_ARGUMENTS", "{}"))
    # the server gets the few variables that the client gives by itself
    server = stdio_client(StdioServerParameters(command=command[0], args=[*command[1:]]))
    async with Client(server) as client:
        await client.list_tools()
        while True:
            text, calls = agent._ask()
            if not calls:
                return "\n".join([*outputs, text])
            for call in agent.items[-1]["tool_calls"]:
                function = call["function"]
                arguments = {**json.loads(function["arguments"]), **other}
                name = function["name"].removeprefix(PREFIX)
                result = await client.call_tool(name, arguments)
                texts = [part.text for part in result.content if isinstance(part, TextContent)]
                outputs += texts
                agent._add_result(call["id"], " ".join(texts))


if __name__ == "__main__":  # mcp_agent.py URL TASK SERVER…
    URL, TASK, *SERVER = sys.argv[1:]
    sys.stdout.write(anyio.run(run, URL.removesuffix("/v1"), TASK, SERVER) + "\n")
