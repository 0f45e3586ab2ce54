"""JSON responses with exact numbers, problem responses, and the headers of every response.

The security headers follow OWASP's REST cheat sheet. `Strict-Transport-Security` is not among them:
it applies to a whole host with all its ports, so the proxy that terminates TLS must set it.
"""

import logging
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256

from fastapi import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from api.http.codec.problems import MEDIA_TYPE, Problem, headers_of, problem, problem_of
from api.http.request.scope import request_id
from domain.errors import AgentlogError
from domain.json.text import JsonValue, print_bytes

logger = logging.getLogger("agentlog")

_PIECE = 256 * 2**10
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


class Printed(Response):
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
    value: JsonValue, *, status: int = 200, headers: dict[str, str] | None = None
) -> Printed:
    """Return `value` as a JSON response."""
    return Printed(print_bytes(value), _JSON, status, headers or {})


def error_answer(error: BaseException, *, asked: str) -> Printed:
    """Return the problem response for an error; logs an unexpected one.

    `asked` is the failed request's method and path.
    """
    if isinstance(error, AgentlogError):
        return problem_answer(problem_of(error.detached()), headers=headers_of(error))
    logger.error("%s failed", asked, exc_info=error)
    detail = "agentlog has a defect here; its log says more. Nothing of the request was kept."
    return problem_answer(
        problem(500, name="internal-error", title="Internal error", detail=detail)
    )


def problem_answer(said: Problem, *, headers: dict[str, str] | None = None) -> Printed:
    """Return a problem as a response, with the id of its request."""
    found = request_id()
    instance = {} if found is None else {"instance": f"urn:agentlog:request:{found}"}
    body = print_bytes({**said, **instance})
    return Printed(body, _PROBLEM, said["status"], headers or {})


def policy_of_page(script: bytes) -> str:
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
