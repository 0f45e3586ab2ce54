"""The client for asyncio."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from types import TracebackType
from typing import Self

import httpx2
from typing_extensions import override

from agentlog_client.destination import Destination
from agentlog_client.exchange import (
    Ask,
    Command,
    Emit,
    Failed,
    Open,
    Outcome,
    Pause,
    Read,
    Retries,
    emitted,
    exchange,
)
from agentlog_client.methods import Methods, SendsAsync
from agentlog_client.operation import Answer, Listing, Operation, Request, Stream, T


class AsyncClient(Methods, SendsAsync):
    """Asks a service as `Client` does; its methods are awaited, its lists and streams `async for`.

    An `async for` that is left before its end keeps its connection until it is closed: put
    `contextlib.aclosing` around it.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        retries: Retries | None = None,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._to = Destination.of(url, key)
        self._retries = retries or Retries()
        self._http = http or httpx2.AsyncClient(timeout=httpx2.Timeout(timeout, connect=5.0))

    @override
    async def send(self, operation: Operation[T]) -> T:
        program = exchange(operation, self._retries)
        outcome: Outcome = None
        async with aclosing(_Connection(self._http, self._to)) as connection:
            while True:
                try:
                    command = program.send(outcome)
                except StopIteration as end:
                    value: T = end.value
                    return value
                outcome = await connection.do(command)

    @override
    async def items(self, source: Listing[T] | Stream[T]) -> AsyncGenerator[T]:
        program = emitted(source, self._retries)
        outcome: Outcome = None
        async with aclosing(_Connection(self._http, self._to)) as connection:
            while True:
                try:
                    command = program.send(outcome)
                except StopIteration:
                    return
                if isinstance(command, Emit):
                    yield command.item
                    outcome = None
                else:
                    outcome = await connection.do(command)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Connection:
    """Does what one program asks for."""

    def __init__(self, http: httpx2.AsyncClient, to: Destination) -> None:
        self._http, self._to = http, to
        self._opened: httpx2.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None

    async def do(self, command: Command) -> Outcome:
        try:
            match command:
                case Ask(request):
                    return await self._ask(request, stream=False)
                case Open(request):
                    return await self._ask(request, stream=True)
                case Read():
                    return None if self._chunks is None else await anext(self._chunks, None)
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                    return None
        except httpx2.RequestError as error:
            return Failed(str(error.request.url), error)

    async def _ask(self, request: Request, *, stream: bool) -> Answer:
        await self.aclose()
        response = await self._http.send(
            self._http.build_request(**self._to.arguments(request)), stream=stream
        )
        if stream and response.is_success:
            self._opened, self._chunks = response, response.aiter_bytes()
            return Answer(response.status_code, response.headers, b"")
        return Answer(response.status_code, response.headers, await response.aread())

    async def aclose(self) -> None:
        if self._opened is not None:
            await self._opened.aclose()
