"""Hits of a search, and matches in a thread, as JSON."""

from pydantic import ConfigDict

from agentlog.api.shapes.shape import Shape, Time


class Excerpt(Shape):
    """A piece of a text of the message, and where in it the search text stands, in characters.

    What a JSONPath selects has no ranges.
    """

    place: str
    text: str
    ranges: list[tuple[int, int]]


class Hit(Shape):
    """A message that matches; `tools` are those that it names."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "threadId": "support-42",
                    "version": 3,
                    "messageId": "01JD8Z3Q5N7V2M4K6H8G0F1E2D",
                    "position": 345,
                    "recordedAt": "2026-01-05T08:00:00.000000Z",
                    "type": "tool_calls",
                    "role": "assistant",
                    "tools": ["track"],
                    "excerpts": [
                        {"place": "calls[0].args.parcel", "text": "4711", "ranges": [[0, 4]]}
                    ],
                }
            ]
        }
    )

    thread_id: str
    version: int
    message_id: str
    position: int
    recorded_at: Time | None
    type: str
    role: str | None
    tools: list[str]
    excerpts: list[Excerpt]


class Hits(Shape):
    """Messages that match, phrases first, then newest first, of the log up to position `asOf`.

    Only messages recorded after `searchedAfter` are searched; null where all are.

    With `next` there may be more: a page may have few items or none, where a search took long, and
    `next` is how far it came.
    """

    items: list[Hit]
    as_of: int
    searched_after: Time | None
    next: str | None


class ThreadMatch(Shape):
    """A message that matches; its excerpts show the texts that the filter asks for."""

    version: int
    type: str
    excerpts: list[Excerpt]


class ThreadMatches(Shape):
    """Messages of a thread that match, in its order, as of its version `version`.

    With `next` there may be more: a page may have few items or none, where the thread is long.
    """

    thread_id: str
    version: int
    items: list[ThreadMatch]
    next: str | None
