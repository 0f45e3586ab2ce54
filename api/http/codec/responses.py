"""JSON responses with exact numbers, problem responses, and the headers of every response.

The security headers follow OWASP's REST cheat sheet. `Strict-Transport-Security` is not among them:
it applies to a whole host with all its ports, so the proxy that terminates TLS must set it.
"""

import asyncio
import logging
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

from fastapi import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from agentlog.api.http.codec.problems import MEDIA_TYPE, Problem, headers_of, problem, problem_of
from agentlog.api.http.request.scope import request_id
from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.printed import PrintedArray, Text
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject
from agentlog.extension import Registry

RowT = TypeVar("RowT")

logger = logging.getLogger("agentlog")

_PIECE = 256 * 2**10
_ENOUGH = 2**20
"""Bytes to send at once: enough to outweigh the thread switch for a piece."""
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", MEDIA_TYPE.encode())

_CACHE = b"cache-control"
NO_STORE = (_CACHE, b"no-store")
"""The default; contents addressed by digest set their own."""

_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

_POLICY = b"content-security-policy"
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
Headers = Sequence[tuple[bytes, bytes]]

DATA_HEADERS = [*_ALWAYS, (_POLICY, _NOTHING.encode())]
"""Headers of every response but pages, in lower case, without `Cache-Control`."""


class PrintedResponse(Response):
    """A response with a printed body, sent without copies.

    Its headers are bytes: encoding them from text takes longer than the rest of the response.
    """

    def __init__(
        self, body: bytes, media_type: tuple[bytes, bytes], status: int, headers: dict[str, str]
    ) -> None:
        self.status_code = status
        self.body = body
        self.background = None
        self.raw_headers = [
            *(
                (name.lower().encode("latin-1"), text.encode("latin-1"))
                for name, text in headers.items()
            ),
            (b"content-length", b"%d" % len(body)),
            media_type,
        ]

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = len(self.body)
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        for begin in range(0, size, _PIECE):
            end = begin + _PIECE
            piece = self.body if size <= _PIECE else self.body[begin:end]
            await send({"type": "http.response.body", "body": piece, "more_body": end < size})


def json_answer(
    value: object, *, status: int = 200, headers: dict[str, str] | None = None
) -> PrintedResponse:
    """Return `value` as a JSON response."""
    return PrintedResponse(print_bytes(value), _JSON, status, headers or {})


def page_answer(
    rows: Sequence[RowT],
    limit: int,
    *,
    shown: Callable[[RowT], object],
    place: Callable[[RowT], int | str],
) -> PrintedResponse:
    """Return the first `limit` rows as a page; the `place` of the last is the next cursor."""
    page = rows[:limit]
    following = str(place(page[-1])) if len(rows) > limit else None
    return json_answer({"items": [shown(row) for row in page], "next": following})


def error_answer(error: BaseException, scope: Scope) -> PrintedResponse:
    """Return the response for an error of the request in `scope`; logs an unexpected one."""
    if isinstance(error, AgentlogError):
        return problem_answer(problem_of(error.detached()), scope, headers=headers_of(error))
    logger.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
    detail = "agentlog has a defect here; its log says more. Nothing of the request was kept."
    content = problem(500, name="internal-error", title="Internal error", detail=detail)
    return problem_answer(content, scope)


def problem_answer(
    content: Problem, scope: Scope, *, headers: dict[str, str] | None = None
) -> PrintedResponse:
    """Return a problem as the response to the request in `scope`.

    It has the request's id; in facades it is in the shape of their clients.
    """
    status = content["status"]
    code = status if isinstance(status, int) else 500
    shaped = client_error(scope["path"], content)
    if shaped is not None:
        return json_answer(shaped, status=code, headers={**retry_headers(code), **(headers or {})})
    request = request_id()
    instance = {} if request is None else {"instance": f"urn:agentlog:request:{request}"}
    return PrintedResponse(print_bytes({**content, **instance}), _PROBLEM, code, headers or {})


def policy_of_page() -> str:
    """Return the policy of our page: files of ours alone, pictures that it was given as well."""
    return (
        f"{_NOTHING}; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; worker-src 'self'"
    )


def policy_of_docs(script: bytes) -> str:
    """Return the policy of a page whose files are ours, and which has one script inline."""
    digest = b64encode(sha256(script).digest()).decode()
    return (
        f"{_NOTHING}; script-src 'self' 'sha256-{digest}'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'"
    )


def secured(given: Headers) -> Headers:
    """Return the headers of an answer with those of every answer, but for what it says itself."""
    names = [name for name, _ in given]
    more = _ALWAYS if _POLICY in names else DATA_HEADERS
    return [*given, *more] if _CACHE in names else [*given, *more, NO_STORE]


class _InPieces(Response):
    """A response of known length whose body is made while it is sent.

    The first piece is made ahead: most responses have no other.
    """

    def __init__(self, texts: Sequence[Text]) -> None:
        self.status_code = 200
        self.background = None
        self._length = sum(map(len, texts))
        self.raw_headers = [
            (b"content-length", b"%d" % self._length),
            (b"content-type", b"application/json"),
        ]
        self._pieces = _joined(texts)
        self._first = next(self._pieces)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        left = self._length
        piece: bytes | None = self._first
        while piece is not None:
            left -= len(piece)
            coming = self._coming() if left > 0 else None
            await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
            piece = None if coming is None else await coming

    def _coming(self) -> asyncio.Future[bytes | None]:
        """Make the next piece in a thread, while another is sent: decompression takes long."""
        return asyncio.get_running_loop().run_in_executor(None, next, self._pieces, None)


def pieces_answer(value: object) -> Response:
    """Return `value` as a JSON response."""
    return _InPieces(list(_texts(value)))


def _texts(value: object) -> Iterator[Text]:
    """Yield what `print_bytes` returns, parts already printed unchanged."""
    match value:
        case PrintedArray():
            yield from value.pieces
        case dict() if value:
            for number, (key, item) in enumerate(value.items()):
                yield b"%b%b:" % (b"," if number else b"{", print_bytes(key))
                yield from _texts(item)
            yield b"}"
        case _:
            yield print_bytes(value)


def _joined(texts: Sequence[Text]) -> Iterator[bytes]:
    """Yield the same bytes in larger pieces."""
    piece: list[bytes] = []
    size = 0
    for text in texts:
        piece.append(bytes(text))
        size += len(piece[-1])
        if size >= _ENOUGH:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)


ERRORS: Registry[Callable[[Problem], JsonObject]] = Registry("errors", {})
"""How problems are printed below a prefix of paths."""

_WORTH_A_RETRY = frozenset({408, 429, 500, 503})


def client_error(path: str, content: Problem) -> JsonObject | None:
    """Return a problem as the client of the facade at `path` knows it; None outside of facades."""
    prefix = next(filter(path.startswith, ERRORS), None)
    return None if prefix is None else ERRORS[prefix](content)


def retry_headers(status: int) -> dict[str, str]:
    """Return what stops clients that retry each 409 and 501, as those of OpenAI and Letta do."""
    return {} if status in _WORTH_A_RETRY else {"x-should-retry": "false"}
