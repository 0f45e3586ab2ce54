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
    404: "Not there, or not yet: the detail says what is.",
    405: "The path takes another method.",
    409: "The log as it stands forbids it.",
    412: "The thread is at another version.",
    413: "The body is too large.",
    422: "The words are off: `errors` names each place and reason.",
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
    "Difference": {
        "type": "object",
        "description": "`patch` (RFC 6902) for a state, else `added`, `changed` and `removed`.",
    },
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
