"""OpenAPI schemas of search."""

from api.http.openapi.parts import (
    INTEGER,
    NULLABLE_STRING,
    STRING,
    Schema,
    list_of,
    object_of,
    reference,
)

SEARCH_SHAPES: dict[str, Schema] = {
    "SearchPage": {
        **object_of(items=list_of(reference("Hit")), asOf=INTEGER, next=NULLABLE_STRING),
        "description": "Messages that match, newest first, of the log up to the position `asOf`. "
        "With `next` there may be more: a page may have few items or none, where a search took "
        "long, and `next` is how far it came.",
    },
    "Hit": {
        **object_of(
            threadId=STRING,
            version=INTEGER,
            messageId=STRING,
            position=INTEGER,
            recordedAt=NULLABLE_STRING,
            type=STRING,
            role=NULLABLE_STRING,
            tools=list_of(STRING),
            excerpts=list_of(reference("Excerpt")),
        ),
        "description": "A message that matches; `tools` are those that it names.",
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
                "excerpts": [{"place": "calls[0].args.parcel", "text": "4711", "ranges": [[0, 4]]}],
            }
        ],
    },
    "Excerpt": {
        **object_of(
            place=STRING,
            text=STRING,
            ranges=list_of({"type": "array", "items": INTEGER, "minItems": 2, "maxItems": 2}),
        ),
        "description": "A piece of a text of the message, and where in it the search text stands, "
        "in characters. What a JSONPath selects has no ranges.",
    },
}
