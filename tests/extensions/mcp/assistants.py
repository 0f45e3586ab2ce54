"""An assistant: the real client of the protocol, over either transport."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.command_line import AGENTLOG

AnswerT = TypeVar("AnswerT")

MOST_BYTES = 50_000
"""Of a result: it goes into a model."""


def over_http(
    address: str,
    ask: Callable[[Client], Awaitable[AnswerT]],
    *,
    key: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> AnswerT:
    """Return what `ask` brings from the service at an address."""
    headers = {**(headers or {}), **({} if key is None else {"Authorization": f"Bearer {key}"})}

    async def connect() -> AnswerT:
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            return await ask(client)

    return anyio.run(connect)


def over_stdio(
    environment: Mapping[str, str], ask: Callable[[Client], Awaitable[AnswerT]], *arguments: str
) -> AnswerT:
    """Return what `ask` brings from a process of `agentlog mcp`."""

    async def connect() -> AnswerT:
        process = StdioServerParameters(
            command=str(AGENTLOG), args=["mcp", *arguments], env=dict(environment)
        )
        async with Client(stdio_client(process)) as client:
            return await ask(client)

    return anyio.run(connect)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the structured result of a tool, which must be small enough."""
    outcome = await client.call_tool(tool, arguments)
    assert isinstance(outcome, CallToolResult)
    assert not outcome.is_error, outcome.content
    assert len(outcome.model_dump_json().encode()) <= MOST_BYTES
    result: dict[str, Any] = outcome.structured_content or {}
    return result


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Return why a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text
