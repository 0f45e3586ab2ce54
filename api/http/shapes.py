"""The shapes of HTTP for the OpenAPI document: bodies with examples, answers, problems.

Bodies are parsed by `domain.json_text`, not by the framework, which would lose numbers; so their
schemas are given here, generated from the same models that validate them.
"""

from typing import Any

from pydantic.json_schema import models_json_schema

from domain.catalogue import MESSAGE_TYPES
from domain.facts import ThreadStarted
from domain.messages import CustomMessage, FileAttachment, Model

Schema = dict[str, Any]

EXAMPLE_MESSAGES: list[Schema] = [
    {"type": "input", "text": "Where is my parcel?"},
    {
        "type": "tool_calls",
        "calls": [{"id": "call_1", "name": "track", "args": {"parcel": 4711}}],
    },
    {
        "type": "tool_results",
        "results": [{"callId": "call_1", "name": "track", "output": {"status": "in transit"}}],
    },
    {"type": "reply", "text": "It is on its way."},
]

_METADATA: Schema = {
    "type": "object",
    "description": "actor, source, causationId, correlationId, responseId and traceparent are "
    "strings; all other keys are free.",
    "additionalProperties": True,
    "examples": [{"actor": "agent-7", "responseId": "resp_1"}],
}


def components() -> dict[str, Schema]:
    """Return the schemas that the document refers to."""
    models: list[type[Model]] = [*MESSAGE_TYPES.values(), CustomMessage, ThreadStarted]
    _, found = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Schema] = dict(found["$defs"])
    for model in models:
        schemas[model.__name__] = _as_sent(schemas[model.__name__])
    file = schemas[FileAttachment.__name__]
    file["properties"]["sha256"] = {
        "type": "string",
        "pattern": "^[0-9a-f]{64}$",
        "description": "In place of `data`: a file that PUT /v1/blobs/{digest} has sent before.",
    }
    file["required"] = []
    file["anyOf"] = [{"required": ["data"]}, {"required": ["sha256"]}]
    start = schemas.pop(ThreadStarted.__name__)
    names = [model.__name__ for model in models if model is not ThreadStarted]
    mapping = {word: f"#/components/schemas/{cls.__name__}" for word, cls in MESSAGE_TYPES.items()}
    schemas["Message"] = {
        "anyOf": [_ref(name) for name in names],
        "description": "A kernel message. `id` (a ULID) and `timestamp` (ms since the epoch) are "
        f"filled in where missing. Types: {', '.join(mapping)}, and vendor.name.",
        "examples": EXAMPLE_MESSAGES,
    }
    schemas["AppendBody"] = {
        "anyOf": [
            _ref("Message"),
            {"type": "array", "items": _ref("Message"), "minItems": 1},
            {
                "type": "object",
                "properties": {
                    "messages": {"type": "array", "items": _ref("Message"), "minItems": 1}
                },
                "required": ["messages"],
                "additionalProperties": False,
            },
        ],
        "examples": [EXAMPLE_MESSAGES[0], EXAMPLE_MESSAGES],
    }
    schemas["StartBody"] = {
        **start,
        "properties": {
            "threadId": {"type": "string", "pattern": r"^[A-Za-z0-9._:~-]{1,128}$"},
            **{
                k: v for k, v in start["properties"].items() if k not in {"type", "id", "timestamp"}
            },
        },
        "required": [],
        "examples": [{"threadId": "support-42", "goal": "Find the parcel", "policy": "strict"}],
    }
    return {**schemas, **_ANSWERS}


TRACEPARENT: Schema = {
    "name": "traceparent",
    "in": "header",
    "required": False,
    "description": "The trace that this belongs to (W3C Trace Context): it goes into the metadata "
    "of whatever is appended and names none itself. What is no trace context is ignored.",
    "schema": {"type": "string"},
    "example": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
}


def json_body(schema: str, *, description: str) -> Schema:
    """Return what `openapi_extra` takes to describe a JSON body."""
    content = {"application/json": {"schema": _ref(schema)}}
    return {"requestBody": {"required": True, "description": description, "content": content}}


def answers(
    ok: int, schema: str, *problems: int, media_type: str = "application/json"
) -> dict[int | str, Schema]:
    """Return what `responses` takes: the answer's schema, and the problems that may come."""
    found: dict[int | str, Schema] = {
        ok: {"description": "As asked.", "content": {media_type: {"schema": _ref(schema)}}}
    }
    for status in (*problems, 422, 503):
        found[status] = {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": {"schema": _ref("Problem")}},
        }
    return found


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _as_sent(schema: Schema) -> Schema:
    """Return a message's schema as callers send it: id and timestamp optional, metadata beside."""
    properties = {**schema["properties"], "metadata": _METADATA}
    required = [name for name in schema.get("required", []) if name not in {"id", "timestamp"}]
    return {**schema, "properties": properties, "required": sorted({*required, "type"})}


_PROBLEMS = {
    400: "Not JSON that the log can keep, or a header off.",
    403: "Not yours: the detail says what is.",
    404: "Not there, or not yet: the detail says what is.",
    405: "The path takes another method.",
    409: "The log as it stands forbids it.",
    412: "The thread is at another version.",
    413: "The body is too large.",
    422: "The words are off: `errors` names each place and reason.",
    501: "An extra of agentlog is not installed: the detail says which.",
    503: "The database does not answer; retrying with the same message ids is safe.",
}

_NULLABLE_STRING = {"type": ["string", "null"]}
_INTEGER = {"type": "integer"}
_STRING = {"type": "string"}
_ANY: Schema = {}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


_ANSWERS: dict[str, Schema] = {
    "Problem": {
        **_object(type=_STRING, title=_STRING, status=_INTEGER, detail=_STRING),
        "properties": {
            "type": _STRING,
            "title": _STRING,
            "status": _INTEGER,
            "detail": _STRING,
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
    "Threads": _object(items=_list_of(_ref("Thread")), next=_NULLABLE_STRING),
    "Event": {
        **_object(
            version=_INTEGER,
            position=_INTEGER,
            recordedAt=_STRING,
            type=_STRING,
            kind={"enum": ["message", "fact"]},
            message=_ANY,
            metadata={"type": "object"},
        ),
        "description": "A recorded message, or a fact of the thread (started, closed, annotated).",
    },
    "Events": _object(items=_list_of(_ref("Event")), next=_NULLABLE_STRING),
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
    "Projections": _object(items=_list_of(_ref("Projection")), next=_NULLABLE_STRING),
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
                columns=_list_of(_ref("ReportColumn")),
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
            columns=_list_of(_ref("ReportColumn")),
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
    "AnalyticsTables": _object(items=_list_of(_ref("AnalyticsTable")), next=_NULLABLE_STRING),
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
