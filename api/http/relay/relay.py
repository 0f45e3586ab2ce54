"""Passes one request on, and its answer back as it comes, byte by byte."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

import httpx2
from starlette.types import Receive, Send

from agentlog.api.http.relay.headers import for_client

Outcome = Literal["complete", "upstream_refused", "upstream_broke", "client_left"]
"""How it ended: `upstream_refused` is without an answer, `upstream_broke` in the midst of one."""

Refuse = Callable[[httpx2.HTTPError], Awaitable[None]]
"""Answers a client in the place of a server that cannot be reached."""


async def relay(
    client: httpx2.AsyncClient,
    request: httpx2.Request,
    receive: Receive,
    send: Send,
    *,
    refuse: Refuse,
) -> Outcome:
    """Send a request whose body was received, pass the answer on, and return how it ended.

    The other server waits where the client is slow, and hears at once that it has left. The end of
    a complete answer is left to the caller to send.
    """
    passing = asyncio.create_task(_pass(client, request, send, refuse))
    leaving = asyncio.create_task(left(receive))
    try:
        await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if passing.done():
            return passing.result()
    finally:
        leaving.cancel()
        passing.cancel()
        await asyncio.wait({passing})
    return "client_left"


async def _pass(
    client: httpx2.AsyncClient, request: httpx2.Request, send: Send, refuse: Refuse
) -> Outcome:
    try:
        response = await client.send(request, stream=True)
    except httpx2.HTTPError as error:
        await refuse(error)
        return "upstream_refused"
    try:
        headers = for_client(response.headers.raw)
        start = {"type": "http.response.start", "status": response.status_code}
        await send({**start, "headers": headers})
        async for chunk in response.aiter_raw():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
    except httpx2.HTTPError:
        return "upstream_broke"
    finally:
        await response.aclose()
    return "complete"


async def left(receive: Receive) -> None:
    """Wait until the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass
