"""OpenAPI schemas of request bodies, with examples, of responses and problems.

Bodies are parsed by `domain.json.text`, not by the framework, which would lose digits of numbers;
so their schemas are defined here, generated from the models that validate them.
"""

from pydantic.json_schema import models_json_schema

from api.http.openapi.access import ACCESS_SHAPES
from api.http.openapi.analytics import ANALYTICS_SHAPES
from api.http.openapi.parts import Schema, reference
from api.http.openapi.responses import ANSWERS
from api.http.openapi.search import SEARCH_SHAPES
from domain.catalogue import MESSAGE_TYPES
from domain.facts import ThreadStarted
from domain.messages import CustomMessage, FileAttachment, Model

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
    "description": "actor, source, causationId, correlationId, responseId, traceparent and "
    "appendedBy are strings; all other keys are free. appendedBy is the server's to say where a "
    "key is used: the key's id.",
    "additionalProperties": True,
    "examples": [{"actor": "agent-7", "responseId": "resp_1"}],
}


def components() -> dict[str, Schema]:
    """Return the named schemas of the document."""
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
        "anyOf": [reference(name) for name in names],
        "description": "A kernel message. `id` (a ULID) and `timestamp` (ms since the epoch) are "
        f"filled in where missing. Types: {', '.join(mapping)}, and vendor.name.",
        "examples": EXAMPLE_MESSAGES,
    }
    schemas["AppendBody"] = {
        "anyOf": [
            reference("Message"),
            {"type": "array", "items": reference("Message"), "minItems": 1},
            {
                "type": "object",
                "properties": {
                    "messages": {"type": "array", "items": reference("Message"), "minItems": 1}
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
    return {**schemas, **ANSWERS, **ANALYTICS_SHAPES, **SEARCH_SHAPES, **ACCESS_SHAPES}


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
    """Return a route's `openapi_extra` for a JSON body."""
    content = {"application/json": {"schema": reference(schema)}}
    return {"requestBody": {"required": True, "description": description, "content": content}}


def answers(
    ok: int, schema: str, *problems: int, media_type: str = "application/json"
) -> dict[int | str, Schema]:
    """Return a route's `responses`: the schema of the response, and its problems."""
    found: dict[int | str, Schema] = {
        ok: {"description": "As asked.", "content": {media_type: {"schema": reference(schema)}}}
    }
    for status in (*problems, 422, 503):
        found[status] = {
            "description": _PROBLEMS[status],
            "content": {"application/problem+json": {"schema": reference("Problem")}},
        }
    return found


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
