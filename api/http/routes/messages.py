"""Routes of messages: append to a thread, list, read one."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Literal

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool
from ulid import ULID

from agentlog.api.http.codec.bodies import append, body_of, drafts_in
from agentlog.api.http.codec.caller import (
    TheThreads,
    origin_in,
    principal_of,
    request_limits,
    tenant_of,
)
from agentlog.api.http.codec.parameters import (
    After,
    At,
    Hidden,
    Limit,
    MessageId,
    ThreadId,
    Types,
    expected_version_of,
    header_of,
    number_cursor,
)
from agentlog.api.http.codec.responses import Headers, PrintedResponse, json_answer
from agentlog.api.http.openapi.answers import TRACEPARENT, answers, body
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.threads import Appended, Event, appended_json, event_json
from agentlog.domain import events
from agentlog.domain.access import Principal
from agentlog.domain.errors import ContentMissing, EmptyAppend, Flaw, InvalidMessage
from agentlog.domain.identifiers import THREAD_ID_PATTERN
from agentlog.domain.json.beginning import bytes_beyond
from agentlog.domain.json.shortened import MOST_ENTRIES, MOST_VALUES
from agentlog.domain.json.values import JsonValue, objects_of
from agentlog.infrastructure.appending import append_request as appending
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.eventlog.body_deduplication import file_digests
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.open_histories import OpenHistories
from agentlog.projections.readers.appended import APPENDABLE, begin_of, read_appended
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.history import OngoingHistory

router = Router(prefix="/v1", tags=["messages"])

KERNEL = "kernel"
"""Our own format."""

Files = Annotated[
    Literal["inline", "linked"],
    Query(description="linked: files by the `sha256` under which GET /v1/blobs has them."),
]

Cut = Annotated[
    int | None,
    Query(
        ge=1,
        le=10_000,
        description=f"Characters that are shown of each text. Of arrays and objects the first "
        f"{MOST_ENTRIES} entries are shown, of files no data; at most {MOST_VALUES} values of a "
        "message. `cut` in an item says that it has more.",
    ),
]


async def append_messages(request: Request) -> Response:
    """Append messages, all or none.

    A message whose id stands in the thread already, with the same content, is answered with its
    first place (`replayed`), so a retry is always safe. With If-Match nothing is appended unless
    the thread is at that version.

    With `format` the messages are those of another API, and are read as an import reads them; the
    view of the same name gives them back. Their ids are made of their own `id`, or of the header
    Idempotency-Key, so that a retry is safe. `aside` says what the reader kept without knowing it.

    Messages of `adk`, `claude-code` and `pydantic-ai` are read in the light of those before them;
    the view `source` gives them back. They may come again, and are passed over.
    """
    tenant, source = tenant_of(request), request.query_params.get("format", KERNEL)
    context = (
        request.path_params["thread_id"],
        request.scope["headers"],
        principal_of(request),
        await request_limits(request),
        source,
    )
    aside: list[Unmapped] = []
    body = await body_of(request)
    begin = begin_of(source)
    if begin is not None:
        appended = await run_in_threadpool(append_items, tenant.histories, *context, begin, body)
    else:
        read = partial(append_request, tenant.threads, *context, aside=aside)
        appended = await append(tenant.threads, body, read, is_light=source == KERNEL)
    return appended_answer(appended, aside)


def append_request(  # noqa: PLR0913, PLR0917 - what a request consists of
    threads: Threads,
    thread_id: str,
    headers: Headers,
    principal: Principal,
    limits: RequestLimits,
    source: str,
    body: bytes,
    *,
    aside: list[Unmapped],
) -> AppendRequest:
    """Return the append request in a body, whose messages are in the format `source`.

    What its reader does not know is added to `aside`.

    Raises:
        AgentlogError: the request is invalid.
    """
    expected = _expected_in(headers)
    drafts: Sequence[JsonValue]
    if source == KERNEL:
        drafts = drafts_in(body, limits)
    else:
        items = drafts_in(body, limits, marks=("type", "role"))
        key = _key_in(headers)
        drafts = read_appended(source, items, key=key, new_id=lambda: str(ULID()), aside=aside)
    origin = origin_in(headers, principal)
    return threads.request(thread_id, drafts, expected_version=expected, origin=origin)


def append_items(  # noqa: PLR0913, PLR0917 - what a request consists of
    histories: OpenHistories,
    thread_id: str,
    headers: Headers,
    principal: Principal,
    limits: RequestLimits,
    source: str,
    begin: Callable[[], OngoingHistory],
    body: bytes,
) -> appending.Appended:
    """Append the messages in a body, each read in the light of those before it.

    Raises:
        AgentlogError: the append is refused.
    """
    items = drafts_in(body, limits)
    flaws = [
        Flaw(f"messages[{index}]", "not a JSON object")
        for index, item in enumerate(items)
        if not isinstance(item, dict)
    ]
    if flaws:
        raise InvalidMessage(flaws)
    if not items:
        raise EmptyAppend
    return histories.append(
        thread_id,
        objects_of(items),
        format_name=source,
        begin=begin,
        key=_key_in(headers) or str(ULID()),
        expected_version=_expected_in(headers),
        origin=origin_in(headers, principal),
    )


def _key_in(headers: Headers) -> str | None:
    key = header_of(headers, b"idempotency-key")
    return None if key is None else key.decode("latin-1")


def _expected_in(headers: Headers) -> int | None:
    if_match = header_of(headers, b"if-match")
    return expected_version_of(None if if_match is None else if_match.decode("latin-1"))


def appended_answer(
    appended: appending.Appended, aside: Sequence[Unmapped] = ()
) -> PrintedResponse:
    """Return the response for the outcome of an append, and what its reader did not know."""
    replayed = all(receipt.replayed for receipt in appended.messages)
    return json_answer(
        appended_json(appended, aside),
        status=200 if replayed else 201,
        headers={"ETag": f'"{appended.version}"'},
    )


router.add(
    "POST /threads/{thread_id}/messages",
    "append",
    direct=True,
    status_code=201,
    responses={**answers(200, Appended), **answers(201, Appended, 400, 409, 412, 413)},
    openapi_extra=body(
        "AppendBody",
        {
            "name": "thread_id",
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": THREAD_ID_PATTERN},
            "example": "support-42",
        },
        {
            "name": "If-Match",
            "in": "header",
            "description": 'The version that the thread must be at, as in "12".',
            "schema": {"type": "string"},
        },
        {
            "name": "format",
            "in": "query",
            "description": "The format of the messages, if they are not ours.",
            "schema": {"type": "string", "enum": [KERNEL, *APPENDABLE]},
        },
        {
            "name": "Idempotency-Key",
            "in": "header",
            "description": "With `format`: what the ids of the messages are made of.",
            "schema": {"type": "string"},
        },
        TRACEPARENT,
        description="One message, a list, or an object with `messages`.",
    ),
)(append_messages)


@router.add("GET /threads/{thread_id}/messages", "read", responses=answers(200, Page[Event], 404))
def list_messages(  # noqa: PLR0913, PLR0917 - one parameter a filter
    threads: TheThreads,
    thread_id: ThreadId,
    at: At,
    types: Types,
    after: After = None,
    limit: Limit = 100,
    files: Files = "inline",
    cut: Cut = None,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """List a thread's events in their order, as the log has them."""
    events = threads.messages(
        thread_id,
        after=number_cursor(after) or 0,
        at=at,
        types=types,
        limit=limit + 1,
        # digests of files are those of their whole data
        most_bytes=None if cut is None or files == "linked" else bytes_beyond(cut),
        hidden=hidden,
    )
    page = events[:limit]
    following = str(page[-1].version) if len(events) > limit else None
    links = _links(threads, page, files)
    items = [
        event_json(event, links=of_event, cut=cut)
        for event, of_event in zip(page, links, strict=True)
    ]
    return json_answer({"items": items, "next": following})


@router.add(
    "GET /threads/{thread_id}/messages/{message_id}", "read", responses=answers(200, Event, 404)
)
def read_message(
    threads: TheThreads,
    thread_id: ThreadId,
    message_id: MessageId,
    files: Files = "inline",
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read one message with its places."""
    event = threads.message(thread_id, message_id, hidden=hidden)
    if event.missing:
        raise ContentMissing(f"message {message_id}", event.missing)
    (links,) = _links(threads, [event], files)
    return json_answer(event_json(event, links=links))


def _links(
    threads: Threads, page: Sequence[events.Event], files: str
) -> Sequence[Sequence[str | None]]:
    """Return for each event the digests to show for its files; empty where their data is shown."""
    if files == "inline":
        return [()] * len(page)
    digests = [file_digests(event.raw) for event in page]
    known = threads.blobs.known(
        {digest for of_event in digests for digest in of_event if digest is not None}
    )
    return [[digest if digest in known else None for digest in of_event] for of_event in digests]
