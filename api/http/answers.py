"""Responses: JSON in the log's own printing, numbers as they were written, and problems."""

from fastapi import Response

from api.http.problems import MEDIA_TYPE, Problem
from api.http.request_ids import request_id
from domain.json_text import JsonValue, print_bytes


def json_answer(
    value: JsonValue, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return `value` as a JSON response."""
    return Response(
        print_bytes(value), status_code=status, headers=headers, media_type="application/json"
    )


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
