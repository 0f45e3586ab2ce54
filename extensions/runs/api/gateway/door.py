"""Who may come in: the token, the host and the names in the path; and what came."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Container, Iterable
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

import httpx2
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.http.codec.statuses import status_of
from agentlog.api.http.relay.headers import Pairs
from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.domain.errors import AgentlogError, InvalidInput
from agentlog.domain.json.text import print_bytes
from agentlog.projections.exchanges.exchange import Exchange

WEB_SOCKET = b"sec-websocket-version"
"""The header of a client that asks for a WebSocket; `Upgrade` is of the connection."""


class Place(NamedTuple):
    """Where a request goes: the provider's name, and the path there.

    Of a gateway also whose it is, the thread that the client asks for, how many items that has
    already, whether the answer ends when the log has it, and who the caller is.
    """

    name: str
    path: str
    tenant: str = ""
    thread: str | None = None
    known: int | None = None
    waits: bool = False
    author: str | None = None


class Entrance(Protocol):
    """What lets requests in."""

    async def enter(self, scope: Scope, send: Send) -> Place | None:
        """Return where a request goes; None where it was refused."""
        ...


class Door:
    """Lets requests in whose path is `/TOKEN/NAME/…`.

    What has another token, or comes for another host, gets nothing: neither a web page nor another
    user of the machine may spend the keys that pass, or read what is on record.
    """

    def __init__(self, *, token: str, host: str, names: Container[str]) -> None:
        self._token = token.encode()
        self._host = host.encode()
        self._names = names

    async def enter(self, scope: Scope, send: Send) -> Place | None:
        """Return where a request goes; None where it was refused."""
        _, token, name, path = [*scope["raw_path"].split(b"/", 3), b"", b"", b""][:4]
        given: Pairs = scope["headers"]
        place = Place(name.decode("latin-1"), f"/{path.decode('latin-1')}")
        if (
            not secrets.compare_digest(token, self._token)
            or dict(given).get(b"host") != self._host
            or place.name not in self._names
        ):
            await refuse(send, 404, "not_found_error", "there is nothing here")
        elif WEB_SOCKET in dict(given):
            await refuse(send, 426, "invalid_request_error", "no WebSocket here: use HTTP")
        else:
            return place
        return None


class Bounds(NamedTuple):
    """The most bytes of a body that are kept on record, and that are passed on."""

    kept: int
    passed: int = 2**31


class Body:
    """A request's body: held whole up to a bound, and passed on as it comes beyond it."""

    def __init__(self, scope: Scope, receive: Receive, bounds: Bounds) -> None:
        self._receive = receive
        self._bounds = bounds
        self._parts: list[bytes] = []
        self._has_more = True
        self._is_passed = asyncio.Event()
        self.is_broken = False
        """Whether it did not come to its end while it was passed on."""
        self.size = 0
        self.length = dict(scope["headers"]).get(b"content-length")
        """What the client says that it sends."""

    async def hold(self) -> bool:
        """Receive up to the bound; return False where the client left before the end."""
        while self._has_more and self.size <= self._bounds.kept:
            part = await self._next()
            if part is None:
                return False
            self._parts.append(part)
        if self.is_whole:
            self._is_passed.set()
        return True

    @property
    def is_whole(self) -> bool:
        """Whether all of it is held."""
        return self.size <= self._bounds.kept

    @property
    def kept(self) -> bytes:
        """What is put on record."""
        return b"".join(self._parts) if self.is_whole else b""

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield all of it; raises `BodyBroke` where it does not come to its end."""
        held, self._parts = self._parts, []
        self.is_broken = True
        try:
            for part in held:
                yield part
            while self._has_more:
                received = await self._next()
                if received is None:
                    raise BodyBroke(None)
                yield received
                if self.size > self._bounds.passed:
                    raise BodyTooLarge(self._bounds.passed)
        except InvalidInput as error:
            raise BodyBroke(error) from error
        else:
            self.is_broken = False
        finally:
            self._is_passed.set()

    async def receive(self) -> Message:
        """Return what comes after it."""
        await self._is_passed.wait()
        return await self._receive()

    async def _next(self) -> bytes | None:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            return None
        self._has_more = message.get("more_body", False)
        part: bytes = message.get("body", b"")
        self.size += len(part)
        return part


class BodyBroke(httpx2.HTTPError):
    """A body that is passed on does not come to its end: refused, or its client is gone."""

    def __init__(self, refusal: InvalidInput | None) -> None:
        super().__init__("the request's body broke off")
        self.refusal = refusal


def begun_exchange(scope: Scope, place: Place, body: Body, *, attempt: int) -> Exchange:
    """Return a request as the exchange that begins with it."""
    given: Pairs = scope["headers"]
    return Exchange(
        attempt=attempt,
        method=scope["method"],
        path=recorded_path(place.path, scope["query_string"].decode("latin-1")),
        request=body.kept,
        end="recorder_died",
        started_at=time.time_ns() // 1_000_000,
        request_headers=recorded_of_request(given),
        thread=place.thread,
        known=place.known,
        session=session_of(given),
        agent=agent_of(given),
        author=place.author,
        left_out={} if body.is_whole else {"request": body.size},
    )


async def refuse(
    send: Send, status: int, kind: str, message: str, *, further: Pairs | None = None
) -> None:
    """Answer with an error that OpenAI's, Anthropic's and Google's clients read."""
    error = {"type": kind, "message": message, "code": None, "param": None}
    given = [(b"content-type", b"application/json"), *(further or ())]
    await respond(send, status, given, print_bytes({"type": "error", "error": error}))


async def refuse_as(send: Send, error: AgentlogError, *, text: str | None = None) -> None:
    """Answer with an error of ours; one that is refused again is not to be sent again."""
    status = status_of(error)
    is_ours = status >= _SERVER_ERROR
    kind = _KINDS.get(status, "api_error" if is_ours else "invalid_request_error")
    further = None if is_ours else _NO_RETRY
    await refuse(send, status, kind, f"agentlog: {text or error}", further=further)


_NO_RETRY = [(b"x-should-retry", b"false")]
_SERVER_ERROR = 500
_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error"}


async def respond(send: Send, status: int, headers: Pairs, body: bytes) -> None:
    """Answer with a whole body."""
    given = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})


_RECORDED_OF_REQUESTS = frozenset(
    "anthropic-beta anthropic-version content-type openai-beta user-agent".split()
)
_RECORDED_OF_ANSWERS = frozenset(
    "content-encoding content-type openai-processing-ms openai-version request-id retry-after "
    "retry-after-ms x-request-id x-should-retry".split()
)
_LIMITS = ("x-ratelimit-", "anthropic-ratelimit-")
_RECORDED_OF_QUERIES = frozenset({"alt", "api-version", "beta"})
_SESSIONS = ("x-agentlog-thread", "x-claude-code-session-id", "thread-id", "x-session-id")
_AGENTS = ("x-claude-code-agent-id",)


def recorded_of_request(headers: Pairs) -> dict[str, str]:
    """Return what of a request's headers is put on record: by name, so that no secret is."""
    return {name: value for name, value in _texts(headers) if name in _RECORDED_OF_REQUESTS}


def recorded_of_answer(headers: Pairs) -> dict[str, str]:
    """Return what of an answer's headers is put on record."""
    return {
        name: value
        for name, value in _texts(headers)
        if name in _RECORDED_OF_ANSWERS or name.startswith(_LIMITS)
    }


def recorded_path(path: str, query: str) -> str:
    """Return a path with what of its query is put on record."""
    fields = [(name, value) for name, value in parse_qsl(query) if name in _RECORDED_OF_QUERIES]
    return f"{path}?{urlencode(fields)}" if fields else path


def session_of(headers: Pairs) -> str | None:
    """Return what a client names its conversation by."""
    return _first(headers, _SESSIONS)


def agent_of(headers: Pairs) -> str | None:
    """Return what a client names its sub-agent by."""
    return _first(headers, _AGENTS)


def _first(headers: Pairs, names: Iterable[str]) -> str | None:
    given = dict(_texts(headers))
    return next((given[name] for name in names if given.get(name)), None)


def _texts(headers: Pairs) -> Iterable[tuple[str, str]]:
    return ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers)
