"""The HTTP server of the gateway: quiet, without WebSockets and headers of its own."""

import asyncio
import os
import signal
import socket
from typing import BinaryIO

import uvicorn
from starlette.types import ASGIApp

_LAST_ANSWERS_SECONDS = 5


def server_of(application: ASGIApp) -> uvicorn.Server:
    """Return a server of an application."""
    return uvicorn.Server(
        uvicorn.Config(
            application,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
        )
    )


def serve(server: uvicorn.Server, listener: socket.socket, orders: BinaryIO) -> None:
    """Serve until the input of this process ends: its parent says so, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    asyncio.run(_serve(server, listener, orders))


async def _serve(server: uvicorn.Server, listener: socket.socket, orders: BinaryIO) -> None:
    loop = asyncio.get_running_loop()

    def parent_gone() -> None:
        if not os.read(orders.fileno(), 1):
            loop.remove_reader(orders.fileno())
            server.should_exit = True

    loop.add_reader(orders.fileno(), parent_gone)
    await server.serve(sockets=[listener])
