"""The client for threads of the operating system."""

import time
from collections.abc import Generator, Iterator
from contextlib import closing
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
from agentlog_client.methods import Methods, Sends
from agentlog_client.operation import Answer, Listing, Operation, Request, Stream, T


class Client(Methods, Sends):
    """Asks a service; may be used by several threads.

    `url` and `key` are AGENTLOG_URL and AGENTLOG_KEY unless given; `timeout` is in seconds, for
    each piece of an answer; `http` is an httpx2 client of yours, for proxies and certificates.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        retries: Retries | None = None,
        http: httpx2.Client | None = None,
    ) -> None:
        self._to = Destination.of(url, key)
        self._retries = retries or Retries()
        self._http = http or httpx2.Client(timeout=httpx2.Timeout(timeout, connect=5.0))

    @override
    def send(self, operation: Operation[T]) -> T:
        program = exchange(operation, self._retries)
        outcome: Outcome = None
        with closing(_Connection(self._http, self._to)) as connection:
            while True:
                try:
                    command = program.send(outcome)
                except StopIteration as end:
                    value: T = end.value
                    return value
                outcome = connection.do(command)

    @override
    def items(self, source: Listing[T] | Stream[T]) -> Generator[T]:
        program = emitted(source, self._retries)
        outcome: Outcome = None
        with closing(_Connection(self._http, self._to)) as connection:
            while True:
                try:
                    command = program.send(outcome)
                except StopIteration:
                    return
                if isinstance(command, Emit):
                    yield command.item
                    outcome = None
                else:
                    outcome = connection.do(command)

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Connection:
    """Does what one program asks for."""

    def __init__(self, http: httpx2.Client, to: Destination) -> None:
        self._http, self._to = http, to
        self._opened: httpx2.Response | None = None
        self._chunks: Iterator[bytes] = iter(())

    def do(self, command: Command) -> Outcome:
        try:
            match command:
                case Ask(request):
                    return self._ask(request, stream=False)
                case Open(request):
                    return self._ask(request, stream=True)
                case Read():
                    return next(self._chunks, None)
                case Pause(seconds):
                    time.sleep(seconds)
                    return None
        except httpx2.RequestError as error:
            return Failed(str(error.request.url), error)

    def _ask(self, request: Request, *, stream: bool) -> Answer:
        self.close()
        response = self._http.send(
            self._http.build_request(**self._to.arguments(request)), stream=stream
        )
        if stream and response.is_success:
            self._opened, self._chunks = response, response.iter_bytes()
            return Answer(response.status_code, response.headers, b"")
        return Answer(response.status_code, response.headers, response.read())

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
