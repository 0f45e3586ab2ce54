"""Route of the Model Context Protocol: tools for assistants, over streamable HTTP.

Each tool asks the HTTP API of this application with the key of its caller.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from agentlog.api.http.codec.responses import error_answer
from agentlog.api.mcp.errors import McpMissing

PATH = "/mcp"


class McpEndpoint:
    """Answers the protocol without sessions, so that any process may answer any request.

    Its package takes a second to import, so it begins with the first request.
    """

    def __init__(self, *, version: str) -> None:
        self._version = version
        self._beginning = asyncio.Lock()
        self._manager: Any = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    @property
    def route(self) -> Route:
        """The route; other methods than POST are answered 405, as the protocol allows."""
        return Route(PATH, self, methods=["POST"], include_in_schema=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        try:
            async with self._beginning:
                if self._manager is None:
                    await self._begin(scope["app"])
        except McpMissing as error:
            await error_answer(error, scope)(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, _: ASGIApp) -> AsyncIterator[None]:
        """End with the application."""
        yield
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _begin(self, app: ASGIApp) -> None:
        manager = await run_in_threadpool(_manager_over, app, self._version)
        started = asyncio.Event()

        async def run() -> None:
            async with manager.run():
                started.set()
                await self._stop.wait()

        self._running = asyncio.create_task(run())
        await started.wait()
        self._manager = manager


def _manager_over(app: ASGIApp, version: str) -> Any:  # noqa: ANN401 - of a package not there yet
    """Return a session manager whose tools ask `app`; raises `McpMissing`."""
    try:
        from mcp.server.mcpserver import Context  # noqa: PLC0415 - an optional extra
        from mcp.server.transport_security import (  # noqa: PLC0415 - an optional extra
            TransportSecuritySettings,
        )

        from agentlog.api.mcp.http_api import HttpApi  # noqa: PLC0415 - an optional extra
        from agentlog.api.mcp.server import mcp_server  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError as error:
        raise McpMissing from error

    def api_of(ctx: Context) -> HttpApi:
        request = cast("Request", ctx.request_context.request)
        client = request.client
        address = ("127.0.0.1", 0) if client is None else (client.host, client.port)
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        return HttpApi(
            app=app, client=address, key=key.strip() if scheme.lower() == "bearer" else None
        )

    server = mcp_server(api_of, version=version)
    server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        # our own middleware has refused foreign hosts and origins
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager
