"""Responses: JSON in the log's own printing, numbers as they were written, and problems."""

from fastapi import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from api.http.problems import MEDIA_TYPE, Problem
from api.http.request_ids import request_id
from domain.json_text import JsonValue, print_bytes

_PIECE = 256 * 2**10


class _Pieces(Response):
    """A response whose body is handed on as the client takes it, and not copied for the rest."""

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": self.status_code}
        await send({**start, "headers": self.raw_headers})
        for begin in range(0, len(self.body), _PIECE):
            end = begin + _PIECE
            piece = self.body[begin:end]
            more = end < len(self.body)
            await send({"type": "http.response.body", "body": piece, "more_body": more})


def json_answer(
    value: JsonValue, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return `value` as a JSON response."""
    body = print_bytes(value)
    kind = Response if len(body) <= _PIECE else _Pieces
    return kind(body, status_code=status, headers=headers, media_type="application/json")


def problem_answer(problem: Problem, *, headers: dict[str, str] | None = None) -> Response:
    """Return a problem as a response, under the id of the request that it answers."""
    found = request_id()
    instance = {} if found is None else {"instance": f"urn:agentlog:request:{found}"}
    return Response(
        print_bytes({**problem, **instance}),
        status_code=problem["status"],
        headers=headers,
        media_type=MEDIA_TYPE,
    )
