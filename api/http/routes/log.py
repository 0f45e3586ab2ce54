"""Routes of the whole log: events in order, and appends to many threads."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import repeat

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from agentlog.api.http.codec.bodies import may_name_file
from agentlog.api.http.codec.caller import TheThreads, append_origin, request_limits, threads_of
from agentlog.api.http.codec.parameters import After, Limit, Types, number_cursor
from agentlog.api.http.codec.problems import problem_of
from agentlog.api.http.codec.responses import page_answer
from agentlog.api.http.openapi.answers import TRACEPARENT, answers, body, content
from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.threads import Event, appended_json, event_json
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError, InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.appending.append_request import AppendRequest, Outcome
from agentlog.infrastructure.threads import Threads

NumberedLine = tuple[int, bytes | AgentlogError]


async def numbered_lines(
    chunks: AsyncIterator[bytes], *, longest: int
) -> AsyncIterator[list[NumberedLine]]:
    """Yield the lines that each chunk completes, without blank ones, numbered from 1.

    Lines are not delayed until the next chunk, so a client may wait for the answer to a line before
    it sends the next. A line longer than `longest` bytes is yielded as an error; the rest of it is
    skipped, so memory stays bounded, and the lines after it are read.
    """
    number, held, skipping = 1, bytearray(), False
    async for chunk in chunks:
        lines: list[NumberedLine] = []
        first, *rest = chunk.split(b"\n")
        held += first
        for following in rest:
            if not skipping and held.strip():
                lines.append((number, _checked(bytes(held), longest)))
            number, held, skipping = number + 1, bytearray(following), False
        if len(held) > longest:
            if not skipping:
                lines.append((number, BodyTooLarge(longest)))
            held, skipping = bytearray(), True
        if lines:
            yield lines
    if held.strip() and not skipping:
        yield [(number, _checked(bytes(held), longest))]


def _checked(line: bytes, longest: int) -> bytes | AgentlogError:
    return line if len(line) <= longest else BodyTooLarge(longest)


router = Router(prefix="/v1", tags=["log"])

_LINES = "application/x-ndjson"
_BATCH = 500


@router.add("GET /log", "read", responses=answers(200, Page[Event]))
def read_log(
    threads: TheThreads,
    types: Types,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """Read events of all threads beyond a position, in the order of the log."""
    events = threads.log(after=number_cursor(after) or 0, types=types, limit=limit + 1)
    shown = partial(event_json, with_thread=True)
    return page_answer(events, limit, shown=shown, place=lambda event: event.position or 0)


_BODY = body(
    "BulkLines",
    TRACEPARENT,
    description="A line each append: its thread, its messages, all or none of them.",
    media_type=_LINES,
)
_BODY["requestBody"]["content"] |= content("File", "application/octet-stream")
"""Whatever the type says, lines are read: generators of clients know the second type."""


@router.add(
    "POST /log",
    "append",
    long=True,
    response_class=Response,  # not the framework's class, which would add JSON to the document
    responses=answers(200, "BulkAnswers", media_type=_LINES),
    openapi_extra=_BODY,
)
async def append_lines(request: Request) -> StreamingResponse:
    """Append to many threads, any number of lines: each succeeds or fails by itself.

    Lines are written as they come, in batches, and each is answered by a line once it is durable.
    """
    threads = await threads_of(request)
    lines = numbered_lines(request.stream(), longest=request.app.state.max_body_bytes)
    lines_out = _answers(
        threads, lines, await request_limits(request), await append_origin(request)
    )
    return _Duplex(lines_out, media_type=_LINES)


class _Duplex(StreamingResponse):
    """A response that is sent while the request is still being read.

    Its parent class would listen for a disconnect, and so consume parts of the body.
    """

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):  # whole lines are written; the last answers are lost
            await self.stream_response(send)


async def _answers(
    threads: Threads,
    chunks: AsyncIterator[list[NumberedLine]],
    limits: RequestLimits,
    origin: Origin,
) -> AsyncIterator[bytes]:
    async for lines in chunks:
        # files referred to are loaded and may be large: one such line at a time
        named = any(isinstance(line, bytes) and may_name_file(line) for _, line in lines)
        batch = 1 if named else _BATCH
        for start in range(0, len(lines), batch):
            some = lines[start : start + batch]
            yield await run_in_threadpool(_append, threads, some, limits, origin)


def _append(
    threads: Threads,
    lines: Sequence[NumberedLine],
    limits: RequestLimits,
    origin: Origin,
) -> bytes:
    """Append a batch of lines; return one line of response for each."""
    read = [
        (number, _request(threads, line, limits, origin) if isinstance(line, bytes) else line)
        for number, line in lines
    ]
    requests = [request for _, request in read if isinstance(request, AppendRequest)]
    outcomes: Iterator[Outcome]
    try:
        outcomes = iter(threads.append_many(requests) if requests else ())
    except AgentlogError as error:  # no database: every line gets the error
        outcomes = repeat(error)
    answers = (
        (number, next(outcomes) if isinstance(request, AppendRequest) else request)
        for number, request in read
    )
    return b"".join(
        print_bytes({"line": number, **_answer(outcome)}) + b"\n" for number, outcome in answers
    )


def _request(
    threads: Threads, text: bytes, limits: RequestLimits, origin: Origin
) -> AppendRequest | AgentlogError:
    try:
        match limits.json_in(text):
            case {"threadId": str(thread_id), "messages": list(drafts), **rest} if rest.keys() <= {
                "expectedVersion"
            }:
                expected = rest.get("expectedVersion")
                if not isinstance(expected, int | None) or isinstance(expected, bool):
                    return InvalidMessage.at("expectedVersion", "not an integer")
                return threads.request(
                    thread_id,
                    limits.batch(drafts),
                    expected_version=expected,
                    origin=origin,
                )
            case _:
                return InvalidMessage.at(
                    "", 'not {"threadId": …, "messages": […], "expectedVersion"?: …}'
                )
    except AgentlogError as error:
        return error.detached()


def _answer(outcome: Outcome) -> dict[str, object]:
    if isinstance(outcome, AgentlogError):
        return {"problem": problem_of(outcome)}
    return {"appended": appended_json(outcome)}
