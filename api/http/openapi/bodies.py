"""OpenAPI schemas of request bodies, with examples.

Bodies are parsed by `domain.json.text`, not by the framework, which would lose digits of numbers;
so their schemas are defined here, generated from the models that validate them.
"""

from pydantic.json_schema import models_json_schema

from agentlog.api.http.openapi import subscription_bodies
from agentlog.api.http.openapi.answers import PLAIN, Problem, Schema, fields, reference
from agentlog.domain.access import SCOPES
from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.facts import ThreadJudged, ThreadLabelled, ThreadNoted, ThreadStarted
from agentlog.domain.fields import Model
from agentlog.domain.messages import CustomMessage, FileAttachment
from agentlog.infrastructure.forks.edits import MOST_EDITS

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
    "key is used, or a trusted proxy names the user: the user, else the key's id.",
    "additionalProperties": True,
    "examples": [{"actor": "agent-7", "responseId": "resp_1"}],
}


_REMARKS: tuple[type[Model], ...] = (ThreadNoted, ThreadLabelled, ThreadJudged)

_BODIES: dict[str, Schema] = {
    "RedactBody": fields(
        {"reason": {"type": "string", "pattern": r"\S"}},
        "reason",
        examples=[{"reason": "erasure request 2026-118"}],
    ),
    "ForkBody": fields(
        {
            "at": {
                "type": "string",
                "description": "A version, @position, message id or RFC 3339 time; else the "
                "present.",
            },
            "threadId": {
                "type": "string",
                "pattern": r"^[A-Za-z0-9._:~-]{1,128}$",
                "description": "Of the fork; else a new one.",
            },
            "goal": {"type": "string"},
            "metadata": {"type": "object"},
            "edits": {
                "type": "array",
                "maxItems": MOST_EDITS,
                "description": "By versions of the origin; an insert stands after its version.",
                "items": {
                    "anyOf": [
                        fields({"drop": {"type": "integer"}}, "drop", examples=[{"drop": 4}]),
                        *(
                            fields(
                                {kind: {"type": "integer"}, "message": reference("Message")},
                                kind,
                                "message",
                                examples=[{kind: 3, "message": EXAMPLE_MESSAGES[3]}],
                            )
                            for kind in ("replace", "insert")
                        ),
                    ]
                },
            },
        },
        examples=[{"at": "3", "threadId": "support-42-again", "edits": [{"drop": 2}]}],
    ),
    "ImportBody": fields(
        {
            "paths": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "minItems": 1,
                "description": "Files and folders as you name them; a folder ends in `/`.",
            },
            "format": {"type": "string", "description": "Found out by default."},
            "records": {"type": "string", "description": "JSONPath to the records."},
            "messages": {"type": "string", "description": "JSONPath to a record's messages."},
            "threadId": {"type": "string", "description": "Template, as `run-{record}`."},
            "goal": {"type": "string", "description": "Template."},
            "metadata": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Templates.",
            },
            "policy": {"enum": ["record", "strict"]},
            "strict": {"type": "boolean"},
            "mask": {"type": "boolean", "description": "Mask secrets of known shapes."},
            "growing": {
                "type": "boolean",
                "description": "The files grow: each run appends what is new, and leaves a last "
                "line without its end.",
            },
        },
        "paths",
        examples=[{"paths": ["runs/"], "metadata": {"reward": "{reward?}"}}],
    ),
    "RunBody": fields(
        {
            "dryRun": {"type": "boolean", "description": "Decide all, and write nothing."},
            "passedOver": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Files that were not sent, and why: for the report.",
            },
        },
        examples=[{"dryRun": True}],
    ),
    "CloseBody": fields({"reason": {"type": "string"}}, examples=[{"reason": "resolved"}]),
    "AnnotateBody": fields(
        {"metadata": {"type": "object", "minProperties": 1}},
        "metadata",
        examples=[{"metadata": {"team": "support", "obsolete": None}}],
    ),
    "KeyBody": fields(
        {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "scopes": {"type": "array", "items": {"enum": list(SCOPES)}, "minItems": 1},
            "expires": {
                "type": ["string", "null"],
                "description": "A span from now as `90d` (m, h, d, w), or an RFC 3339 time; never "
                "without it.",
            },
        },
        "name",
        "scopes",
        examples=[{"name": "agents", "scopes": ["append", "read"], "expires": "90d"}],
    ),
    "RuleBody": fields(
        {"value": {"type": "string", "minLength": 1, "maxLength": 2000}},
        "value",
        examples=[{"value": "metadata.reward>=1"}],
    ),
    "FilterBody": fields(
        {
            "filter": {"type": "string", "minLength": 1, "maxLength": 2000},
            "place": {"enum": ["list", "thread"], "default": "list"},
        },
        "filter",
        examples=[{"filter": "failed cost>0.5", "place": "list"}],
    ),
    "Query": fields(
        {
            "sql": {
                "type": "string",
                "maxLength": 100_000,
                "description": "One SELECT, VALUES, TABLE or WITH … SELECT.",
            },
            "parameters": {
                "description": "Values for `:name`, or in a list for `$1`. The type follows from "
                "where a value stands, as for a text in quotes: else say it, as in `:n::bigint`.",
                "anyOf": [{"type": "object"}, {"type": "array", "items": {}}],
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 1000},
            "timeoutSeconds": {
                "type": "number",
                "exclusiveMinimum": 0,
                "description": "Up to AGENTLOG_ANALYST_SECONDS, which is the default.",
            },
        },
        "sql",
        examples=[
            {
                "sql": "SELECT type, count(*) FROM events WHERE thread_id = :thread GROUP BY type",
                "parameters": {"thread": "support-42"},
            },
            {"sql": "SELECT name, position FROM progress WHERE position > $1", "parameters": [0]},
        ],
    ),
}


def components() -> dict[str, Schema]:
    """Return the named schemas of the document."""
    messages: list[type[Model]] = [*MESSAGE_TYPES.values(), CustomMessage]
    models: list[type[Model]] = [*messages, *_REMARKS, ThreadStarted]
    _, generated = models_json_schema(
        [*((model, "validation") for model in models), (Problem, "validation")],
        ref_template="#/components/schemas/{model}",
    )
    schemas: dict[str, Schema] = dict(generated["$defs"])
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
    mapping = {word: f"#/components/schemas/{cls.__name__}" for word, cls in MESSAGE_TYPES.items()}
    schemas["Message"] = {
        "anyOf": [reference(model.__name__) for model in messages],
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
    schemas["RemarkBody"] = {
        "anyOf": [reference(remark.__name__) for remark in _REMARKS],
        "examples": [
            {"type": "thread.noted", "text": "Wrong flight", "on": 1, "metadata": {"actor": "sam"}},
            {"type": "thread.labelled", "add": ["flaky"], "remove": ["to do"]},
            {"type": "thread.judged", "criterion": "policy", "verdict": "fail", "score": 0.2},
        ],
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
    return {**schemas, **_BODIES, **subscription_bodies.BODIES, **PLAIN}


def _as_sent(schema: Schema) -> Schema:
    """Return a message's schema as callers send it: id and timestamp optional, metadata beside."""
    properties = {**schema["properties"], "metadata": _METADATA}
    required = [name for name in schema.get("required", []) if name not in {"id", "timestamp"}]
    return {**schema, "properties": properties, "required": sorted({*required, "type"})}
