"""The server: uvicorn, with an end to streams before it waits for the last response."""

import socket

import uvicorn
from typing_extensions import override

from api.http.following import Followings


class Server(uvicorn.Server):
    """Stops at once: those who follow would never end by themselves."""

    def __init__(self, config: uvicorn.Config, followings: Followings) -> None:
        super().__init__(config)
        self._followings = followings

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._followings.close()
        await super().shutdown(sockets)
