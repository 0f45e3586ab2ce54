"""The server: uvicorn, whose loop commits, with an end to streams before it waits for the rest."""

import socket

import uvicorn
from typing_extensions import override

from api.http.exchange import exchange
from api.http.following import Followings
from infrastructure.writer import Writer


class Server(uvicorn.Server):
    """Its event loop drives the writer, and it stops at once: who follows would never end."""

    def __init__(self, config: uvicorn.Config, followings: Followings, writer: Writer) -> None:
        super().__init__(config)
        self._followings = followings
        self._writer = writer

    @override
    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        with exchange().driving(self._writer):
            await super().serve(sockets)

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._followings.close()
        await super().shutdown(sockets)
