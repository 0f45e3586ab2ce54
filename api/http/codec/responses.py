"""JSON responses with exact numbers, and problem responses."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from fastapi import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from api.http.codec.problems import MEDIA_TYPE, Problem, headers_of, problem, problem_of
from api.http.request.scope import request_id
from domain.errors import AgentlogError
from domain.json.text import JsonValue, print_bytes

FoundT = TypeVar("FoundT")

logger = logging.getLogger("agentlog")

_PIECE = 256 * 2**10
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", MEDIA_TYPE.encode())


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


def page_answer(
    found: Sequence[FoundT],
    limit: int,
    *,
    shown: Callable[[FoundT], JsonValue],
    place: Callable[[FoundT], int | str],
) -> Printed:
    """Return the first `limit` of what was found; the `place` of the last is the next cursor."""
    page = found[:limit]
    following = str(place(page[-1])) if len(found) > limit else None
    return json_answer({"items": [shown(each) for each in page], "next": following})


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
