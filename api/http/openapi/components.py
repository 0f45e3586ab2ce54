"""The named schemas of the OpenAPI document that no answer has, with examples.

Bodies are parsed by `domain.json.text`, not by the framework, which would lose digits of numbers;
so their schemas are generated here, from the models that validate them.
"""

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema
from typing_extensions import override

from agentlog.api.http.openapi import bodies
from agentlog.api.http.openapi.answers import PLAIN, Problem, Schema, fields, reference
from agentlog.domain.catalogue import MESSAGE_TYPES
from agentlog.domain.facts import ThreadJudged, ThreadLabelled, ThreadNoted, ThreadStarted
from agentlog.domain.fields import Model
from agentlog.domain.messages import CustomMessage, FileAttachment
from agentlog.infrastructure.forks.edits import MOST_EDITS
from agentlog.infrastructure.subscriptions.terms import (
    AckBody,
    NackBody,
    ParkedBody,
    PullBody,
    SubscriptionBody,
)
from agentlog.infrastructure.transfer.uploads.order import ImportBody

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

_BODIES: tuple[type[Model], ...] = (
    bodies.RedactBody,
    bodies.ForkBody,
    bodies.RunBody,
    bodies.CloseBody,
    bodies.AnnotateBody,
    bodies.KeyBody,
    bodies.RuleBody,
    bodies.FilterBody,
    bodies.Query,
    ImportBody,
    SubscriptionBody,
    PullBody,
    AckBody,
    NackBody,
    ParkedBody,
)


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
    return {**schemas, **_bodies(), **PLAIN}


class _Sent(GenerateJsonSchema):
    """Schemas of bodies: a field that may be null may be left out, which is enough to say."""

    @override
    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    @override
    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    @override
    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        generated = super().default_schema(schema)
        if generated.get("default") is None:
            generated.pop("default", None)
        return generated


def _bodies() -> dict[str, Schema]:
    _, generated = models_json_schema(
        [(body, "validation") for body in _BODIES], schema_generator=_Sent
    )
    schemas: dict[str, Schema] = generated["$defs"]
    webhook = schemas.pop("WebhookTerms")
    schemas["SubscriptionBody"]["properties"]["webhook"] = webhook
    schemas["ForkBody"]["properties"]["edits"] = {
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
    }
    return schemas


def _as_sent(schema: Schema) -> Schema:
    """Return a message's schema as callers send it: id and timestamp optional, metadata beside."""
    properties = {**schema["properties"], "metadata": _METADATA}
    required = [name for name in schema.get("required", []) if name not in {"id", "timestamp"}]
    return {**schema, "properties": properties, "required": sorted({*required, "type"})}
