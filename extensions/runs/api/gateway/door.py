"""Who may come in: the token, the host and the names in the path; and what came."""

import secrets
import time
from collections.abc import Container, Iterable
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

from starlette.types import Receive, Scope, Send

from agentlog.api.http.relay.headers import Pairs
from agentlog.domain.json.text import print_bytes
from agentlog.projections.exchanges.exchange import Exchange


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
        elif any(key == b"upgrade" for key, _ in given):
            await refuse(send, 426, "invalid_request_error", "no WebSocket here: use HTTP")
        else:
            return place
        return None


async def request_body(receive: Receive) -> bytes | None:
    """Return the body of a request; None where the client left before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def begun_exchange(scope: Scope, place: Place, body: bytes, *, attempt: int) -> Exchange:
    """Return a request as the exchange that begins with it."""
    given: Pairs = scope["headers"]
    return Exchange(
        attempt=attempt,
        method=scope["method"],
        path=recorded_path(place.path, scope["query_string"].decode("latin-1")),
        request=body,
        end="recorder_died",
        started_at=time.time_ns() // 1_000_000,
        request_headers=recorded_of_request(given),
        thread=place.thread,
        known=place.known,
        session=session_of(given),
        agent=agent_of(given),
        author=place.author,
    )


async def refuse(
    send: Send, status: int, kind: str, message: str, *, further: Pairs | None = None
) -> None:
    """Answer with an error that OpenAI's, Anthropic's and Google's clients read."""
    error = {"type": kind, "message": message, "code": None, "param": None}
    given = [(b"content-type", b"application/json"), *(further or ())]
    await respond(send, status, given, print_bytes({"type": "error", "error": error}))


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
