"""Route of the Model Context Protocol: tools for assistants, over streamable HTTP.

Each tool asks the HTTP API of this application with the key of its caller.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from agentlog.api.http.middleware.credentials import Credentials
from agentlog.api.http.middleware.proxies import USER
from agentlog.api.http.routing import Router
from agentlog.extensions.mcp.errors import McpMissing


class McpSessions(Response):
    """Answers the protocol without sessions, so that any process may answer any request.

    Its package takes a second to import, so it begins with the first request.
    """

    def __init__(self) -> None:
        super().__init__()
        self._beginning = asyncio.Lock()
        self._manager: Any = None
        self._running: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    async def begin(self, app: FastAPI) -> None:
        """Be ready for requests; raises `McpMissing`."""
        async with self._beginning:
            if self._manager is None:
                await self._begin(app)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)

    async def end(self) -> None:
        """End with the application."""
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _begin(self, app: FastAPI) -> None:
        manager = await run_in_threadpool(_manager_over, app)
        started = asyncio.Event()

        async def run() -> None:
            async with manager.run():
                started.set()
                await self._stop.wait()

        self._running = asyncio.create_task(run())
        await started.wait()
        self._manager = manager


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    if hasattr(app.state, "mcp"):
        await app.state.mcp.end()


router = Router(in_document=False, lifespan=_lifespan)


@router.add("POST /mcp", "read")
async def serve(request: Request) -> Response:
    """Answer a request; other methods than POST are answered 405, as the protocol allows."""
    app: FastAPI = request.app
    if not hasattr(app.state, "mcp"):
        app.state.mcp = McpSessions()
    sessions: McpSessions = app.state.mcp
    await sessions.begin(app)
    return sessions


def _manager_over(app: FastAPI) -> Any:  # noqa: ANN401 - of a package not there yet
    """Return a session manager whose tools ask `app`; raises `McpMissing`."""
    try:
        from mcp.server.mcpserver import Context  # noqa: PLC0415 - an optional extra
        from mcp.server.transport_security import (  # noqa: PLC0415 - an optional extra
            TransportSecuritySettings,
        )

        from agentlog.extensions.mcp.http_api import HttpApi  # noqa: PLC0415 - an optional extra
        from agentlog.extensions.mcp.server import mcp_server  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError as error:
        raise McpMissing from error

    def api_of(ctx: Context) -> HttpApi:
        request = cast("Request", ctx.request_context.request)
        client = request.client
        address = ("127.0.0.1", 0) if client is None else (client.host, client.port)
        user = request.scope.get(USER, ())

        async def for_caller(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, USER: user}, receive, send)

        return HttpApi(app=for_caller, client=address, key=Credentials.of(request.scope).bearer)

    server = mcp_server(api_of, version=app.version)
    server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        # our own middleware has refused foreign hosts and origins
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager
