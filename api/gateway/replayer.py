"""The replayer: answers the requests of a run from its tape; it has no provider to ask."""

import socket
import threading
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import NoReturn

from starlette.types import Receive, Scope, Send

from agentlog.api.gateway.door import Door, begun_exchange, refuse, request_body
from agentlog.api.gateway.server import server_of
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.request_keys import RUNGS
from agentlog.projections.exchanges.tape import Difference, Tape

_NO_RETRY = [(b"x-should-retry", b"false")]
"""OpenAI's and Anthropic's clients ask a 400 once anyway, others look at this."""


class Replayer:
    """An ASGI application that answers as recorded, and breaks off where the provider did."""

    def __init__(self, tape: Tape, values: Mapping[str, str], door: Door) -> None:
        self._tape = tape
        self._values = values
        self._door = door
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        place = await self._door.enter(scope, send)
        body = None if place is None else await request_body(receive)
        if place is None or body is None:
            return
        asked = begun_exchange(scope, place.path, body, attempt=next(self._numbers))
        answer = self._tape.answer(asked, self._values)
        if isinstance(answer, Exchange):
            await _send(send, answer)
        else:
            kind, text = "invalid_request_error", _text(asked, answer)
            await refuse(send, 400, kind, text, further=_NO_RETRY)


async def _send(send: Send, exchange: Exchange) -> None:
    if exchange.status is None:
        await refuse(send, 502, "api_error", "agentlog: the provider could not be reached")
        return
    given = [
        (name.encode("latin-1"), value.encode("latin-1"))
        for name, value in exchange.headers.items()
    ]
    if exchange.end == "complete" and not exchange.chunks:
        given.append((b"content-length", str(len(exchange.response)).encode()))
    await send({"type": "http.response.start", "status": exchange.status, "headers": given})
    offsets = [offset for offset, _ in exchange.chunks]
    for start, end in zip(offsets, [*offsets[1:], len(exchange.response)], strict=True):
        chunk = exchange.response[start:end]
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    if exchange.end != "complete":
        _break_off()
    await send({"type": "http.response.body"})


def _break_off() -> NoReturn:
    """End the answer as the provider did: the server closes the connection without an end."""
    raise ConnectionAbortedError


def _text(asked: Exchange, difference: Difference | None) -> str:
    rules = ", ".join(RUNGS)
    text = f"agentlog replay: request {asked.attempt} is not on the tape (tried: {rules})"
    if difference is None:
        return text
    return (
        f"{text}: {difference.place} differs from that of exchange {difference.attempt}; "
        f"recorded {difference.recorded}; now {difference.asked}"
    )


@contextmanager
def replaying(
    tape: Tape, values: Mapping[str, str], *, token: str, names: Container[str]
) -> Iterator[str]:
    """Serve a tape on loopback until the block ends; yields the URL, without a provider's name."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        server = server_of(Replayer(tape, values, Door(token=token, host=host, names=names)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://{host}/{token}"
        finally:
            server.should_exit = True
            thread.join()
