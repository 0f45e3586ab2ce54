"""The replayer: answers the requests of a run from its tape, and what goes beyond it live."""

import secrets
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, NamedTuple, NoReturn

from starlette.types import Receive, Scope, Send

from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.api.gateway.door import (
    Body,
    Bounds,
    Door,
    Place,
    begun_exchange,
    refuse,
)
from agentlog.extensions.runs.api.gateway.proxy import Proxy, server_of
from agentlog.extensions.runs.api.gateway.tools import ToolReplay
from agentlog.extensions.runs.infrastructure.exchanges.spool import SpoolWriter
from agentlog.extensions.runs.projections.tapes.changes import Changes
from agentlog.extensions.runs.projections.tapes.request_keys import RUNGS
from agentlog.extensions.runs.projections.tapes.tape import (
    Answered,
    Difference,
    Live,
    RequestAnswer,
    Tape,
)
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.extensions.runs.projections.written.answers import written_exchange
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.exchange import Exchange

BOUNDS = Bounds(kept=2**28)
"""Of a request that a tape answers."""
_TOOLS = "tools"
"""The name in the path of calls of tools, where models have their provider's."""
_NO_RETRY = [(b"x-should-retry", b"false")]
"""OpenAI's and Anthropic's clients ask a 400 once anyway, others look at this."""


@dataclass(slots=True)
class Fork:
    """What becomes of a replay that is kept: where it is written, and how it goes on.

    `upstreams` are the providers' origins by name. In the conversation that forks `changes` are
    made in each request beyond the tape.
    """

    spool: SpoolWriter
    upstreams: Mapping[str, str]
    changes: Changes
    answers: dict[int, Answer | JsonObject]
    """What the model is to say in its place, by the number of the request beyond the tape, from 0;
    those that were given are taken out."""
    asked: int = 0
    """How many requests beyond the tape the conversation had."""
    results: set[str] = field(default_factory=set)
    """The calls whose results were changed."""


class Replayer:
    """An ASGI application that answers as recorded, and breaks off where the provider did."""

    def __init__(
        self,
        tape: Tape,
        tools: ToolTape,
        values: Mapping[str, str],
        door: Door,
        fork: Fork | None = None,
    ) -> None:
        self._tape = tape
        self._tools = ToolReplay(tools, None if fork is None else fork.spool)
        self._values = values
        self._door = door
        self._fork = fork
        self._proxy = (
            None if fork is None else Proxy(lambda _: fork.spool, fork.upstreams, door, BOUNDS)
        )
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        place = await self._door.enter(scope, send)
        if place is None:
            return
        body = Body(scope, receive, BOUNDS)
        if not await body.hold():
            return
        if not body.is_whole:
            raise BodyTooLarge(BOUNDS.kept)
        if place.name == _TOOLS:
            await self._tools.respond(body.kept, send)
            return
        asked = begun_exchange(scope, place, body, attempt=next(self._numbers))
        match self._tape.answer(asked, self._values):
            case Answered(exchange, by):
                self._keep(asked, exchange, by)
                await _send(send, exchange)
            case Live(is_main):
                await self._go_on(asked, place, scope, body, send, is_main=is_main)
            case answer:
                kind, text = "invalid_request_error", _text(asked, answer)
                await refuse(send, 400, kind, text, further=_NO_RETRY)

    async def _go_on(  # noqa: PLR0913 - what the server gives
        self,
        asked: Exchange,
        place: Place,
        scope: Scope,
        body: Body,
        send: Send,
        *,
        is_main: bool,
    ) -> None:
        """Ask the provider; what forks asks it with the changes."""
        fork, proxy = self._fork, self._proxy
        if fork is None or proxy is None:
            return
        changed, given = asked, None
        try:
            if is_main and asked.api is not None:
                changed = fork.changes.applied(asked)
                given = fork.answers.pop(fork.asked, None)
                fork.asked += 1
                fork.results |= fork.changes.results_in(asked)
            begun = replace(changed, attempt=fork.spool.next_attempt())
            written = None if given is None else written_exchange(begun, given)
            by: Literal["live", "given"] = "live" if written is None else "given"
            self._tape.report.answers.append(RequestAnswer(asked.attempt, by, begun.attempt))
            if written is None:
                place = place._replace(path=changed.path.partition("?")[0])
                await proxy.forward(place, begun, scope, body, send)
            else:
                fork.spool.keep(written)
                await _send(send, written)
        except InvalidInput as error:
            text = f"agentlog replay: {error}"
            await refuse(send, 400, "invalid_request_error", text, further=_NO_RETRY)

    def _keep(self, asked: Exchange, answer: Exchange, by: str) -> None:
        """Write what was answered from the tape, so that what follows is known as new."""
        if self._fork is None:
            return
        spool = self._fork.spool
        kept = replace(
            answer,
            attempt=spool.next_attempt(),
            request=asked.request,
            started_at=asked.started_at,
            duration_ms=float(time.time_ns() // 1_000_000 - asked.started_at),
            session=asked.session,
            agent=asked.agent,
            replayed=by,
        )
        spool.keep(kept)


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
    offsets = [offset for offset, _ in exchange.chunks] or [0]
    for start, end in zip(offsets, [*offsets[1:], len(exchange.response)], strict=True):
        chunk = exchange.response[start:end]
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    if not exchange.is_heard or exchange.end == "upstream_broke":
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


class Replaying(NamedTuple):
    """Where an agent is answered: the URL of models, without a provider's name, and of tools."""

    url: str
    tools: str


@contextmanager
def replaying(
    tape: Tape,
    tools: ToolTape,
    values: Mapping[str, str],
    *,
    names: Iterable[str],
    fork: Fork | None = None,
) -> Iterator[Replaying]:
    """Serve tapes on loopback until the block ends.

    Where tools are live, `tools` says where a fork records them; it is empty where none does.
    """
    token = secrets.token_urlsafe(24)
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener:
        host = f"127.0.0.1:{listener.getsockname()[1]}"
        door = Door(token=token, host=host, names={*names, _TOOLS})
        server = server_of(Replayer(tape, tools, values, door, fork))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        url = f"http://{host}/{token}"
        recorded = "" if fork is None else str(fork.spool.path)
        try:
            yield Replaying(url, recorded if tools.mode == "live" else f"{url}/{_TOOLS}")
        finally:
            server.should_exit = True
            thread.join()
