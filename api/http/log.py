"""The whole log: every event of every thread in its one order, and appending to many threads."""

from collections.abc import Iterator

from fastapi import APIRouter, Response

from api.http.answers import json_answer
from api.http.asking import After, Body, Limit, TheStore, Types, number_cursor
from api.http.problems import problem_of
from api.http.shapes import answers
from api.representations import appended_json, event_json
from domain.errors import AgentlogError, InvalidMessage
from domain.json_text import JsonValue, parse, print_bytes
from infrastructure.requests import AppendRequest, Outcome
from infrastructure.store import Store

router = APIRouter(tags=["log"])

_LINES = "application/x-ndjson"
_BATCH = 500
_LINE_KEYS = frozenset({"threadId", "messages", "expectedVersion"})


@router.get("/log", responses=answers(200, "Events"))
def read_log(
    store: TheStore,
    types: Types,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """Read events of all threads beyond a position, in the order of the log."""
    events = store.log(after=number_cursor(after) or 0, types=types, limit=limit + 1)
    page = events[:limit]
    following = str(page[-1].position) if len(events) > limit else None
    items = [event_json(event, with_thread=True) for event in page]
    return json_answer({"items": items, "next": following})


@router.post(
    "/log",
    response_class=Response,  # not the framework's, which would add JSON to the document
    responses=answers(200, "BulkAnswers", 413, media_type=_LINES),
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "A line each append: its thread, its messages, all or none of them.",
            "content": {
                _LINES: {"schema": {"$ref": "#/components/schemas/BulkLines"}},
            },
        }
    },
)
def append_lines(store: TheStore, body: Body) -> Response:
    """Append to many threads. Each line succeeds or fails by itself and is answered by a line."""
    lines = [(number, line) for number, line in enumerate(body.splitlines(), 1) if line.strip()]
    answered = b"".join(
        print_bytes({"line": number, **_answer(outcome)}) + b"\n"
        for start in range(0, len(lines), _BATCH)
        for number, outcome in _append(store, lines[start : start + _BATCH])
    )
    return Response(answered, media_type=_LINES)


def _append(store: Store, lines: list[tuple[int, bytes]]) -> Iterator[tuple[int, Outcome]]:
    read = [(number, _request(store, line)) for number, line in lines]
    requests = [request for _, request in read if isinstance(request, AppendRequest)]
    outcomes = iter(store.append_many(requests) if requests else ())
    for number, request in read:
        yield number, next(outcomes) if isinstance(request, AppendRequest) else request


def _request(store: Store, text: bytes) -> AppendRequest | AgentlogError:
    try:
        match parse(text):
            case {"threadId": str(thread_id), "messages": list(drafts)} as line if (
                set(line) <= _LINE_KEYS
            ):
                expected = line.get("expectedVersion")
                if not isinstance(expected, int | None) or isinstance(expected, bool):
                    return InvalidMessage.at("expectedVersion", "not an integer")
                return store.request(thread_id, drafts, expected_version=expected)
            case _:
                return InvalidMessage.at(
                    "", 'not {"threadId": …, "messages": […], "expectedVersion"?: …}'
                )
    except AgentlogError as error:
        return error


def _answer(outcome: Outcome) -> dict[str, JsonValue]:
    if isinstance(outcome, AgentlogError):
        return {"problem": problem_of(outcome)}
    return {"appended": appended_json(outcome)}
