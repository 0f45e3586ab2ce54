"""OpenAPI schemas of responses."""

from typing import get_args

from api.http.openapi.parts import (
    ANY,
    INTEGER,
    NULLABLE_STRING,
    STRING,
    Schema,
    list_of,
    object_of,
    page_of,
    reference,
)
from domain.integrity.chain_audit import What

_FINDING = object_of(
    what={"enum": list(get_args(What))},
    breaks={"type": "boolean"},
    version={"type": ["integer", "null"]},
    detail=STRING,
)
_CHECKPOINT = object_of(
    size=INTEGER,
    position=INTEGER,
    root=STRING,
    note=STRING,
    publicKey=STRING,
    madeAt=STRING,
)

_EVENT = object_of(
    version=INTEGER,
    position=INTEGER,
    recordedAt=STRING,
    type=STRING,
    kind={"enum": ["message", "fact"]},
    message=ANY,
    metadata={"type": "object"},
)

ANSWERS: dict[str, Schema] = {
    "Problem": {
        **object_of(type=STRING, title=STRING, status=INTEGER, detail=STRING),
        "properties": {
            "type": STRING,
            "title": STRING,
            "status": INTEGER,
            "detail": STRING,
            "instance": {
                "type": "string",
                "description": "urn:agentlog:request: and the answer's X-Request-Id.",
            },
            "errors": list_of(object_of(place=STRING, reason=STRING)),
        },
        "description": "RFC 9457: what is wrong, where, and the way out.",
    },
    "Thread": object_of(
        threadId=STRING,
        version=INTEGER,
        position=INTEGER,
        status={"enum": ["open", "exited", "closed"]},
        policy={"enum": ["strict", "record"]},
        goal=NULLABLE_STRING,
        parent=NULLABLE_STRING,
        limits={"type": ["object", "null"]},
        metadata={"type": "object"},
        anomalies=INTEGER,
        startedAt=STRING,
        updatedAt=STRING,
    ),
    "Threads": page_of("Thread"),
    "Event": {
        **_EVENT,
        "properties": {
            **_EVENT["properties"],
            "redacted": object_of(version=INTEGER),
            "error": object_of(name=STRING, detail=STRING, missing=list_of(STRING)),
        },
        "description": "A recorded message, or a fact of the thread (started, closed, annotated, "
        "redacted). Of one whose content was erased, `redacted` says by which version. Where the "
        "log has lost a content, `error` names it, and a text stands in its place.",
    },
    "Redaction": {
        **object_of(
            threadId=STRING,
            version=INTEGER,
            position=INTEGER,
            messages={"type": ["array", "null"], "items": STRING},
            events=INTEGER,
            replayed={"type": "boolean"},
        ),
        "description": "The place of the fact that says what was erased; `messages` is null for "
        "all of the thread, `events` counts whose content went.",
    },
    "FileRedaction": object_of(
        sha256=STRING,
        threads=list_of(reference("Redaction")),
        replayed={"type": "boolean"},
    ),
    "RedactBody": {
        "type": "object",
        "properties": {"reason": {**STRING, "pattern": r"\S"}},
        "required": ["reason"],
        "additionalProperties": False,
        "examples": [{"reason": "erasure request 2026-118"}],
    },
    "Audit": {
        **object_of(
            threadId=STRING,
            whole={"type": "boolean"},
            events=INTEGER,
            findingCount=INTEGER,
            findings=list_of(_FINDING),
        ),
        "description": "What is not as it was written, the first thousand of it; a content that "
        "was erased is a finding that breaks nothing.",
    },
    "Checkpoint": {
        **_CHECKPOINT,
        "description": "A signed note (c2sp.org/tlog-checkpoint) over the first `size` events.",
    },
    "Checkpoints": page_of("Checkpoint"),
    "Inclusion": object_of(
        leafIndex=INTEGER,
        leafHash=STRING,
        path=list_of(STRING),
        checkpoint=reference("Checkpoint"),
    ),
    "Consistency": object_of(
        **{"from": reference("Checkpoint"), "to": reference("Checkpoint")},
        path=list_of(STRING),
    ),
    "Events": page_of("Event"),
    "StreamedEvent": {
        "type": "object",
        "properties": {"event": STRING, "id": STRING, "data": STRING},
        "description": "Each server-sent event, as the HTML standard has them; its data is JSON.",
        "examples": [{"event": "item", "id": "1.0", "data": '{"type":"reply","text":"Hello"}'}],
    },
    "Appended": object_of(
        threadId=STRING,
        version=INTEGER,
        position=INTEGER,
        messages=list_of(
            object_of(id=STRING, version=INTEGER, position=INTEGER, replayed={"type": "boolean"})
        ),
        anomalies=list_of(object_of(messageId=STRING, rule=STRING, place=STRING, reason=STRING)),
    ),
    "View": {
        "description": "`items` (or `state`) with the thread's place; with bare=true just those.",
        "examples": [
            {
                "threadId": "support-42",
                "version": 1,
                "position": 1,
                "items": [{"role": "user", "content": "Where is my parcel?"}],
                "next": None,
            }
        ],
    },
    "Outline": object_of(
        threadId=STRING,
        version=INTEGER,
        position={"type": ["integer", "null"]},
        prices=NULLABLE_STRING,
        steps=list_of({"type": "object"}),
    ),
    "Projections": page_of("Projection"),
    "Projection": {
        **object_of(
            name=STRING,
            build=INTEGER,
            version=INTEGER,
            state={"enum": ["building", "live"]},
            paused={"type": "boolean"},
            position=INTEGER,
            logPosition=INTEGER,
            lag=INTEGER,
            stoppedAt={"type": ["integer", "null"]},
            error=NULLABLE_STRING,
            startedAt=STRING,
            liveAt=NULLABLE_STRING,
        ),
        "description": "A build of a read model; `lag` is how many positions it is behind the log, "
        "`stoppedAt` the position of the event that it cannot process, `error` why.",
    },
    "Difference": {
        "type": "object",
        "description": "`patch` (RFC 6902) for a state, else `added`, `changed` and `removed`.",
    },
    "CloseBody": {
        "type": "object",
        "properties": {"reason": STRING},
        "additionalProperties": False,
        "examples": [{"reason": "resolved"}],
    },
    "AnnotateBody": {
        "type": "object",
        "properties": {"metadata": {"type": "object", "minProperties": 1}},
        "required": ["metadata"],
        "additionalProperties": False,
        "examples": [{"metadata": {"team": "support", "obsolete": None}}],
    },
    "Blob": object_of(sha256=STRING, bytes=INTEGER),
    "File": {"type": "string", "format": "binary", "description": "The bytes themselves."},
    "Health": object_of(status=STRING),
    "Metrics": {"type": "string", "description": "Samples, a line each."},
    "BulkLines": {
        "type": "string",
        "description": 'Lines of {"threadId", "messages", "expectedVersion"?}.',
        "examples": ['{"threadId":"support-42","messages":[{"type":"reply","text":"Hello"}]}\n'],
    },
    "BulkAnswers": {
        "type": "string",
        "description": 'For each line {"line", "appended"} or {"line", "problem"}; lines count '
        "from 1.",
    },
}
