"""The shapes of answers, for the OpenAPI document."""

from typing import Any, get_args

from domain.audit import What

Schema = dict[str, Any]

_NULLABLE_STRING = {"type": ["string", "null"]}
_INTEGER = {"type": "integer"}
_STRING = {"type": "string"}
_ANY: Schema = {}


def reference(name: str) -> Schema:
    """Return what refers to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


_FINDING = _object(
    what={"enum": list(get_args(What))},
    breaks={"type": "boolean"},
    version={"type": ["integer", "null"]},
    detail=_STRING,
)
_CHECKPOINT = _object(
    size=_INTEGER,
    position=_INTEGER,
    root=_STRING,
    note=_STRING,
    publicKey=_STRING,
    madeAt=_STRING,
)

_EVENT = _object(
    version=_INTEGER,
    position=_INTEGER,
    recordedAt=_STRING,
    type=_STRING,
    kind={"enum": ["message", "fact"]},
    message=_ANY,
    metadata={"type": "object"},
)

ANSWERS: dict[str, Schema] = {
    "Problem": {
        **_object(type=_STRING, title=_STRING, status=_INTEGER, detail=_STRING),
        "properties": {
            "type": _STRING,
            "title": _STRING,
            "status": _INTEGER,
            "detail": _STRING,
            "instance": {
                "type": "string",
                "description": "urn:agentlog:request: and the answer's X-Request-Id.",
            },
            "errors": _list_of(_object(place=_STRING, reason=_STRING)),
        },
        "description": "RFC 9457: what is wrong, where, and the way out.",
    },
    "Thread": _object(
        threadId=_STRING,
        version=_INTEGER,
        position=_INTEGER,
        status={"enum": ["open", "exited", "closed"]},
        policy={"enum": ["strict", "record"]},
        goal=_NULLABLE_STRING,
        parent=_NULLABLE_STRING,
        limits={"type": ["object", "null"]},
        metadata={"type": "object"},
        anomalies=_INTEGER,
        startedAt=_STRING,
        updatedAt=_STRING,
    ),
    "Threads": _object(items=_list_of(reference("Thread")), next=_NULLABLE_STRING),
    "Event": {
        **_EVENT,
        "properties": {**_EVENT["properties"], "redacted": _object(version=_INTEGER)},
        "description": "A recorded message, or a fact of the thread (started, closed, annotated, "
        "redacted). Of one whose content was erased, `redacted` says by which version.",
    },
    "Redaction": {
        **_object(
            threadId=_STRING,
            version=_INTEGER,
            position=_INTEGER,
            messages={"type": ["array", "null"], "items": _STRING},
            events=_INTEGER,
            replayed={"type": "boolean"},
        ),
        "description": "The place of the fact that says what was erased; `messages` is null for "
        "all of the thread, `events` counts whose content went.",
    },
    "FileRedaction": _object(
        sha256=_STRING,
        threads=_list_of(reference("Redaction")),
        replayed={"type": "boolean"},
    ),
    "RedactBody": {
        "type": "object",
        "properties": {"reason": {**_STRING, "pattern": r"\S"}},
        "required": ["reason"],
        "additionalProperties": False,
        "examples": [{"reason": "erasure request 2026-118"}],
    },
    "Audit": {
        **_object(
            threadId=_STRING,
            whole={"type": "boolean"},
            events=_INTEGER,
            findingCount=_INTEGER,
            findings=_list_of(_FINDING),
        ),
        "description": "What is not as it was written, the first thousand of it; a content that "
        "was erased is a finding that breaks nothing.",
    },
    "Checkpoint": {
        **_CHECKPOINT,
        "description": "A signed note (c2sp.org/tlog-checkpoint) over the first `size` events.",
    },
    "Checkpoints": _object(items=_list_of(reference("Checkpoint")), next=_NULLABLE_STRING),
    "Inclusion": _object(
        leafIndex=_INTEGER,
        leafHash=_STRING,
        path=_list_of(_STRING),
        checkpoint=reference("Checkpoint"),
    ),
    "Consistency": _object(
        **{"from": reference("Checkpoint"), "to": reference("Checkpoint")},
        path=_list_of(_STRING),
    ),
    "Events": _object(items=_list_of(reference("Event")), next=_NULLABLE_STRING),
    "StreamedEvent": {
        "type": "object",
        "properties": {"event": _STRING, "id": _STRING, "data": _STRING},
        "description": "Each server-sent event, as the HTML standard has them; its data is JSON.",
        "examples": [{"event": "item", "id": "1.0", "data": '{"type":"reply","text":"Hello"}'}],
    },
    "Appended": _object(
        threadId=_STRING,
        version=_INTEGER,
        position=_INTEGER,
        messages=_list_of(
            _object(id=_STRING, version=_INTEGER, position=_INTEGER, replayed={"type": "boolean"})
        ),
        anomalies=_list_of(_object(messageId=_STRING, rule=_STRING, place=_STRING, reason=_STRING)),
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
    "Projections": _object(items=_list_of(reference("Projection")), next=_NULLABLE_STRING),
    "Projection": {
        **_object(
            name=_STRING,
            build=_INTEGER,
            version=_INTEGER,
            state={"enum": ["building", "live"]},
            paused={"type": "boolean"},
            position=_INTEGER,
            logPosition=_INTEGER,
            lag=_INTEGER,
            stoppedAt={"type": ["integer", "null"]},
            error=_NULLABLE_STRING,
            startedAt=_STRING,
            liveAt=_NULLABLE_STRING,
        ),
        "description": "A build of a read model; `lag` is how many positions it is behind the log, "
        "`stoppedAt` the position of the event that it cannot process, `error` why.",
    },
    "Difference": {
        "type": "object",
        "description": "`patch` (RFC 6902) for a state, else `added`, `changed` and `removed`.",
    },
    "Query": {
        "type": "object",
        "properties": {
            "sql": {
                **_STRING,
                "maxLength": 100_000,
                "description": "One SELECT, VALUES, TABLE or WITH … SELECT.",
            },
            "parameters": {
                "description": "Values for `:name`, or in a list for `$1`. The type follows from "
                "where a value stands, as for a text in quotes: else say it, as in `:n::bigint`.",
                "anyOf": [{"type": "object"}, {"type": "array"}],
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 1000},
            "timeoutSeconds": {
                "type": "number",
                "exclusiveMinimum": 0,
                "description": "Up to AGENTLOG_ANALYST_SECONDS, which is the default.",
            },
        },
        "required": ["sql"],
        "additionalProperties": False,
        "examples": [
            {
                "sql": "SELECT type, count(*) FROM events WHERE thread_id = :thread GROUP BY type",
                "parameters": {"thread": "support-42"},
            },
            {"sql": "SELECT name, position FROM progress WHERE position > $1", "parameters": [0]},
        ],
    },
    "QueryAnswer": {
        **_object(
            columns=_list_of(_object(name=_STRING, type=_STRING)),
            rows=_list_of({"type": "array"}),
            rowCount=_INTEGER,
            truncated={"type": "boolean"},
            asOf={"type": "object", "additionalProperties": _INTEGER},
        ),
        "description": "Rows in the order of the columns. Numbers keep every digit (NaN and "
        "infinities are strings), times are RFC 3339, bytes are hexadecimal after `\\x`. "
        "`truncated`: there are more rows. `asOf`: for each table the position in the log up to "
        "which it is filled.",
    },
    "Csv": {**_STRING, "description": "A line of names, then a line a row (RFC 4180)."},
    "Svg": {**_STRING, "description": "A picture: lines over time, else bars."},
    "Reports": _object(
        items=_list_of(
            _object(
                name=_STRING,
                comment=_STRING,
                projection=_NULLABLE_STRING,
                by=_list_of(_STRING),
                breakdowns=_list_of(_STRING),
                filters=_list_of(_STRING),
                clocks=_list_of(_STRING),
                columns=_list_of(reference("ReportColumn")),
            )
        ),
        next=_NULLABLE_STRING,
    ),
    "ReportColumn": {
        **_object(name=_STRING, unit=_NULLABLE_STRING, comment=_STRING),
        "description": "`unit` is null for names, `share` for what lies between 0 and 1.",
    },
    "Report": {
        **_object(
            report=_STRING,
            by=_list_of(_STRING),
            asOf=_INTEGER,
            columns=_list_of(reference("ReportColumn")),
            rows=_list_of({"type": "object"}),
            truncated={"type": "boolean"},
            **{"from": _NULLABLE_STRING, "to": _NULLABLE_STRING},
        ),
        "description": "Rows by the names of the columns; what nobody measured is null. `asOf`: "
        "the position in the log up to which it counts. `truncated`: there are more rows.",
        "examples": [
            {
                "report": "tools",
                "by": ["tool"],
                "asOf": 345,
                "from": "2026-01-05T00:00:00.000000Z",
                "to": None,
                "columns": [
                    {"name": "tool", "unit": None, "comment": "name of the tool"},
                    {"name": "calls", "unit": "calls", "comment": "calls of the tool"},
                    {"name": "error_rate", "unit": "share", "comment": "failed of answered"},
                ],
                "rows": [{"tool": "track", "calls": 12, "error_rate": 0.25}],
                "truncated": False,
            }
        ],
    },
    "AnalyticsTables": _object(items=_list_of(reference("AnalyticsTable")), next=_NULLABLE_STRING),
    "AnalyticsTable": _object(
        name=_STRING,
        comment=_NULLABLE_STRING,
        columns=_list_of(_object(name=_STRING, type=_STRING, comment=_NULLABLE_STRING)),
    ),
    "CloseBody": {
        "type": "object",
        "properties": {"reason": _STRING},
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
    "Blob": _object(sha256=_STRING, bytes=_INTEGER),
    "File": {"type": "string", "format": "binary", "description": "The bytes themselves."},
    "Health": _object(status=_STRING),
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
