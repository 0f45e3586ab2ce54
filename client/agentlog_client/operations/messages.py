"""Messages: append, list, read one, follow."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from agentlog_client.errors import Problem, problem_of
from agentlog_client.identifiers import new_id
from agentlog_client.json_text import parsed, printed
from agentlog_client.models import Appended, Event
from agentlog_client.operation import (
    Answer,
    Frame,
    Json,
    Listing,
    Moment,
    Operation,
    Request,
    Stream,
    as_model,
    as_page,
    request,
    with_headers,
)
from agentlog_client.shape import Shape

Message = Mapping[str, Json] | Shape
"""As JSON, or an object of `agentlog_client.models`."""
Files = Literal["inline", "linked"]


def json_of(message: object, place: int | None = None) -> dict[str, Json]:
    """Return a message as JSON, with a new id where it has none; `place`: among others.

    Raises:
        TypeError: it is none, with its place.
    """
    if not isinstance(message, Mapping | Shape):
        where = "the message" if place is None else f"messages[{place}]"
        raise TypeError(
            f"{where} is {message!r:.80}: a message is a dict, as {{'type': 'input', 'text': …}}, "
            "or an object of agentlog_client.models"
        )
    if isinstance(message, Shape):
        fields = message.model_dump(mode="json", by_alias=True, exclude_unset=True)
        message = {"type": getattr(message, "type", None), **fields}
    return {"id": new_id(), **message}


def append(
    thread_id: str,
    messages: Message | Sequence[Message],
    *,
    expected_version: int | None = None,
) -> Operation[Appended]:
    """Append messages, all or none; with `expected_version` only where the thread is at it.

    Each message gets an id before it is sent, so a retry writes nothing twice.
    """
    one = isinstance(messages, Mapping | Shape | str) or not isinstance(messages, Iterable)
    many: Iterable[object] = [messages] if one else messages
    asked = request(
        "POST",
        "/v1/threads/{}/messages",
        thread_id,
        body=[json_of(message, place) for place, message in enumerate(many)],
    )
    if_match = None if expected_version is None else f'"{expected_version}"'
    return Operation(with_headers(asked, If_Match=if_match), as_model(Appended))


def append_items(
    thread_id: str,
    items: Sequence[Mapping[str, Json]],
    *,
    format: str,  # noqa: A002 - its name everywhere
    key: str | None = None,
    expected_version: int | None = None,
) -> Operation[Appended]:
    """Append items of another API or framework as they are, all or none; `format` names it.

    Ids of messages are made of `key`, else of a new one: a retry writes nothing twice.
    """
    asked = request(
        "POST", "/v1/threads/{}/messages", thread_id, query={"format": format}, body=items
    )
    headers = {
        "Idempotency_Key": key or new_id(),
        "If_Match": None if expected_version is None else f'"{expected_version}"',
    }
    return Operation(with_headers(asked, **headers), as_model(Appended))


def append_many(
    appends: Iterable[tuple[str, Sequence[Message]]],
) -> Operation[list[Appended | Problem]]:
    """Append to many threads: each succeeds or is refused by itself, answered in their order."""
    lines = [
        printed(
            {
                "threadId": thread_id,
                "messages": [json_of(message, place) for place, message in enumerate(messages)],
            }
        )
        for thread_id, messages in appends
    ]
    headers = {"Content-Type": "application/x-ndjson"}
    asked = Request("POST", "/v1/log", headers, b"\n".join(lines))
    return Operation(asked, _outcomes)


def _outcomes(answer: Answer) -> list[Appended | Problem]:
    lines = [parsed(line) for line in answer.body.splitlines()]
    return [
        Appended.model_validate(line["appended"])
        if "appended" in line
        else problem_of(line["problem"]["status"], line["problem"])
        for line in lines
    ]


def messages(  # noqa: PLR0913 - one parameter a filter
    thread_id: str,
    *,
    at: Moment | None = None,
    after: int | None = None,
    filter: str | None = None,  # noqa: A002 - its name everywhere
    files: Files | None = None,
    cut: int | None = None,
    hidden: bool = False,
    limit: int | None = None,
    wait: int | None = None,
) -> Listing[Event]:
    """List a thread's events as recorded, beyond a version; `limit` is that of a page.

    `filter` is of types, as `type:tool_calls or type:reply`.
    """
    asked = request(
        "GET",
        "/v1/threads/{}/messages",
        thread_id,
        query={
            "at": at,
            "after": after,
            "filter": filter,
            "files": files,
            "cut": cut,
            "hidden": hidden or None,
            "wait": wait,
            "limit": limit,
        },
    )
    return Listing(asked, as_page(Event))


def message(
    thread_id: str,
    message_id: str,
    *,
    files: Files | None = None,
    hidden: bool = False,
    wait: int | None = None,
) -> Operation[Event]:
    """Read one message with its places."""
    asked = request(
        "GET",
        "/v1/threads/{}/messages/{}",
        thread_id,
        message_id,
        query={"files": files, "hidden": hidden or None, "wait": wait},
    )
    return Operation(asked, as_model(Event))


def follow(  # noqa: PLR0913 - one parameter a choice
    thread_id: str,
    view: str = "kernel",
    *,
    at: Moment | None = None,
    after: str | None = None,
    follow: bool = True,
    speed: float | None = None,
    hidden: bool = False,
    **options: str | bool,
) -> Stream[Frame]:
    """Follow a thread in a view: what there is, then what comes; `follow=False` ends at present."""
    asked = request(
        "GET",
        "/v1/threads/{}/events",
        thread_id,
        query={
            "view": view,
            "at": at,
            "after": after,
            "follow": None if follow else False,
            "speed": speed,
            "hidden": hidden or None,
            **options,
        },
    )
    finite = not follow or at is not None
    return Stream(asked, lambda frame: frame if frame.data else None, finite=finite)
