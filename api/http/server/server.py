"""uvicorn's server, which closes streams first on shutdown."""

import socket

import uvicorn
from typing_extensions import override

from agentlog.api.http.streaming.subscribers import Followers


class Server(uvicorn.Server):
    """Closes streams on shutdown: they never end by themselves."""

    def __init__(self, config: uvicorn.Config, followings: Followers) -> None:
        super().__init__(config)
        self._followings = followings

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._followings.close()
        await super().shutdown(sockets)
