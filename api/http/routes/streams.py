"""Routes of server-sent events: a thread in any view, and the whole log.

The routes read their parameters themselves: the application calls them directly, as for appends,
because the framework's call frames stay in memory as long as the stream does.
"""

from collections.abc import Mapping

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from agentlog.api.http.codec.caller import principal_of, views_of
from agentlog.api.http.codec.parameters import option_parameters
from agentlog.api.http.codec.wait_for_position import PARAMETER as WAIT
from agentlog.api.http.openapi.answers import answers, parameter
from agentlog.api.http.routing import Router
from agentlog.api.http.streaming.log_stream import LogStream
from agentlog.api.http.streaming.sse_framing import FRAMINGS
from agentlog.api.http.streaming.sse_response import StreamResponse
from agentlog.api.http.streaming.subscribers import Followers, TenantFollowers
from agentlog.api.http.streaming.thread_stream import ThreadStream
from agentlog.api.tails import (
    FollowRequest,
    LogFilter,
    Pace,
    Tail,
    log_place,
    tail_of,
    view_to_tell,
)
from agentlog.domain.errors import FutureMoment, InvalidInput
from agentlog.domain.identifiers import THREAD_ID_PATTERN
from agentlog.domain.points_in_time import parse_moment
from agentlog.projections.filters.grammar import MOST_CHARACTERS, parse_filter
from agentlog.projections.registry import VIEWS

router = Router(prefix="/v1", tags=["streams"])

_THREAD_PARAMETERS = frozenset({"view", "after", "at", "follow", "speed", "hidden", WAIT})


class InvalidStreamParameter(InvalidInput):
    """A stream cannot be asked for like that."""

    def __init__(self, name: str, text: str, *, takes: str) -> None:
        super().__init__(f"{name}={text[:64]}: {takes}")


async def follow_thread(request: Request) -> StreamResponse:
    """Follow a thread in any view: what there is, then what comes, as server-sent events.

    Most views tell each settled item as `event: item`, its id the place to resume from; items that
    a later message may still change come together as `event: held`, each such list in place of the
    one before. `agent-state` comes whole as `event: snapshot`, then as `event: patch` (RFC 6902).
    `letta` and `maria` are framed as their own clients expect it.
    """
    query = request.query_params
    thread_id: str = request.path_params["thread_id"]
    name = query.get("view", "kernel")
    view = view_to_tell(name, {k: v for k, v in query.items() if k not in _THREAD_PARAMETERS})
    pace = _pace(query)
    at = None if "at" not in query else parse_moment(query["at"])
    finite = not _flag(query, "follow") or at is not None
    header = request.headers.get("last-event-id") if view.follow.resumes else None
    asked = FollowRequest(view, after=header or query.get("after"), at=at, whole=pace is not None)
    views, following = await views_of(request), _following(request)
    hidden = _flag(query, "hidden", default="false")

    def begin() -> Tail:
        following.hub.start()
        return tail_of(views, thread_id, asked, hidden=hidden)

    tail = await run_in_threadpool(begin)
    stream = ThreadStream(following, tail, FRAMINGS[view.follow.framing], finite=finite, pace=pace)
    return StreamResponse(stream, thread_id)


async def follow_log(request: Request) -> StreamResponse:
    """Follow the whole log in its order, or what filters leave of it, as server-sent events.

    Each `event: event` has the JSON that GET /v1/log lists, its id the position to resume from. A
    frame with nothing but an id says how far a filter has looked.
    """
    query = request.query_params
    which = LogFilter(parse_filter(query.get("filter", ""), "log"))
    pace, finite = _pace(query), not _flag(query, "follow")
    after = request.headers.get("last-event-id") or query.get("after")
    following = _following(request)

    def begin() -> tuple[int, int]:
        following.hub.start()
        position = log_place(following.hub.reader, after)
        return position, following.hub.reader.position()

    position, present = await run_in_threadpool(begin)
    if position > present:
        raise FutureMoment(f"position {position}", present=f"the log is at position {present}")
    stream = LogStream(
        following, which, position=position, present=present, finite=finite, pace=pace
    )
    return StreamResponse(stream, None)


def _following(request: Request) -> TenantFollowers:
    followings: Followers = request.app.state.followings
    return followings.of(principal_of(request).tenant)


def _flag(query: Mapping[str, str], name: str, *, default: str = "true") -> bool:
    match query.get(name, default):
        case "true" | "1":
            return True
        case "false" | "0":
            return False
        case text:
            raise InvalidStreamParameter(name, text, takes="it takes true or false")


def _pace(query: Mapping[str, str]) -> Pace | None:
    text = query.get("speed")
    if text is None:
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        takes = "it takes a number above 0: 1 is the pace at which it happened, 10 ten times that"
        raise InvalidStreamParameter("speed", text, takes=takes)
    return Pace(speed)


_STRING = {"type": "string"}
_SHARED_PARAMETERS = [
    parameter(
        "follow",
        "false: end at the present.",
        {"type": "string", "enum": ["true", "false"], "default": "true"},
    ),
    parameter(
        "speed",
        "Replay what is there with the pauses that were between messages, divided by this.",
        {"type": "number", "exclusiveMinimum": 0},
        example=10,
    ),
    {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "The id of the last frame that was received, in place of `after`.",
        "schema": _STRING,
    },
]

router.add(
    "GET /threads/{thread_id}/events",
    "read",
    stream=True,
    direct=True,
    response_class=Response,
    options=option_parameters,
    responses=answers(200, "StreamedEvent", 404, media_type="text/event-stream"),
    openapi_extra={
        "parameters": [
            {
                "name": "thread_id",
                "in": "path",
                "required": True,
                "schema": {"type": "string", "pattern": THREAD_ID_PATTERN},
                "example": "support-42",
            },
            parameter(
                "view",
                f"One of {', '.join(VIEWS)}.",
                {"type": "string", "enum": list(VIEWS), "default": "kernel"},
            ),
            parameter("after", "The id of a frame, to go on after it.", _STRING, example="12.0"),
            parameter(
                "at", "End as it was just after this, a moment as every read takes it.", _STRING
            ),
            parameter("hidden", "Hidden threads too.", {"type": "boolean", "default": False}),
            *_SHARED_PARAMETERS,
        ]
    },
)(follow_thread)
router.add(
    "GET /log/events",
    "read",
    stream=True,
    direct=True,
    response_class=Response,
    responses=answers(200, "StreamedEvent", 404, media_type="text/event-stream"),
    openapi_extra={
        "parameters": [
            parameter(
                "after",
                "The position to go on after, or `latest` for what comes from now on.",
                _STRING,
                example="345",
            ),
            parameter(
                "filter",
                "Terms that must hold of the event: `type:`, `thread:`, and `metadata.KEY:` of the "
                "message's own metadata.",
                {"type": "string", "maxLength": MOST_CHARACTERS},
                example="(type:exit or type:shutdown) thread:run-* metadata.actor:agent-7",
            ),
            *_SHARED_PARAMETERS,
        ]
    },
)(follow_log)
