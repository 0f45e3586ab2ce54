"""Two servers of one application: one that has the short way for appends, and one without."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import httpx2
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from api.http.connections import Direct, bounded_connections
from domain.json_text import print_bytes
from tests.api.servers import connected, served, until_closed
from tests.infrastructure.appends import reply

Header = tuple[str, str]

FINE = print_bytes(reply("hi"))
CLOSING = [("Connection", "close")]


@dataclass
class Watched:
    """Does what another does, and takes down whether it took each request."""

    inner: Direct
    taken: list[bool] = field(default_factory=list)

    def is_for(self, cycle: RequestResponseCycle) -> bool:
        """As there."""
        return self.inner.is_for(cycle)

    def take(self, cycle: RequestResponseCycle) -> bool:
        """As there, and noted."""
        self.taken.append(self.inner.take(cycle))
        return self.taken[-1]


@dataclass(frozen=True)
class Sides:
    """Clients of two servers of one application: one that has the short way, and one without."""

    direct: httpx2.Client
    plain: httpx2.Client
    watched: Watched


@contextmanager
def served_on_both_sides(app: FastAPI) -> Iterator[Sides]:
    """Serve an application by both until the block ends."""
    watched = Watched(app.state.direct)
    with ExitStack() as stack:
        direct, plain = (
            stack.enter_context(
                served(
                    app,
                    http=bounded_connections(max_header_bytes=4096, client_seconds=20, direct=way),
                )
            )
            for way in (watched, None)
        )
        yield Sides(direct, plain, watched)


def asking(
    body: bytes, *more: Header, path: str = "/v1/threads/t/messages", last: bool = True
) -> bytes:
    """Return a request; after the `last` the connection ends."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (*more, *(CLOSING if last else ()))]
    return "\r\n".join([*lines, "", ""]).encode() + body


def answers(client: httpx2.Client, *pieces: bytes, pause: float = 0.02) -> bytes:
    """Send pieces on one connection, and return all that comes back until its end."""
    with connected(client) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        return until_closed(connection)
