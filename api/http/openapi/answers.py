"""What routes tell the OpenAPI document: answers by their types, problems, bodies by name."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from agentlog.domain.fields import Model

Schema = dict[str, Any]


class ProblemFlaw(BaseModel):
    """A place of what was sent, and why it was refused."""

    place: str
    reason: str


class Problem(BaseModel):
    """RFC 9457: what is wrong, where, and the way out."""

    type: str
    title: str
    status: int
    detail: str
    instance: Annotated[
        str, Field(description="urn:agentlog:request: and the answer's X-Request-Id.")
    ] = ""
    errors: list[ProblemFlaw] = []


PLAIN: dict[str, Schema] = {
    "View": {
        "description": "`items` (or `state`) with the thread's place; with bare=true just those. "
        "With messages=sent `dropped` has the messages that left the context, each since which "
        "version (`at`) and why (`cause`), and `missing` what of it is not on record.",
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
    "StreamedEvent": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("event", "id", "data")},
        "description": "Each server-sent event, as the HTML standard has them; its data is JSON.",
        "examples": [{"event": "item", "id": "1.0", "data": '{"type":"reply","text":"Hello"}'}],
    },
    "Csv": {
        "type": "string",
        "description": "A line of names, then a line a row (RFC 4180).",
    },
    "Evidence": {
        "type": "object",
        "description": "A bundle, as docs/reference/proof.md describes it.",
    },
    "File": {"type": "string", "format": "binary", "description": "The bytes themselves."},
    "Otlp": {
        "type": "object",
        "description": "A message of OTLP, in the encoding of its Content-Type.",
        "examples": [{}],
    },
    "Metrics": {"type": "string", "description": "Samples, a line each."},
    "FindingLines": {
        "type": "string",
        "description": 'For each finding {"kind", "place", "reason"}.',
    },
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
"""Schemas of what is no object of fixed fields."""

TRACEPARENT: Schema = {
    "name": "traceparent",
    "in": "header",
    "required": False,
    "description": "The trace that this belongs to (W3C Trace Context): it goes into the metadata "
    "of whatever is appended and names none itself. What is no trace context is ignored.",
    "schema": {"type": "string"},
    "example": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
}


def reference(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def fields(properties: Schema, *required: str, examples: list[Schema]) -> Schema:
    """Return it, with these examples; other fields than these are refused."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        "examples": examples,
    }


def content(name: str, *media_types: str) -> Schema:
    """Return the `content` of a body or an answer: a named schema in each media type."""
    return {media_type: {"schema": reference(name)} for media_type in media_types}


def parameter(name: str, description: str, schema: Schema, **more: Any) -> Schema:  # noqa: ANN401 - JSON
    """Return a query parameter that a route reads itself."""
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": description,
        "schema": schema,
        **more,
    }


def body(
    kind: type[Model] | str,
    *parameters: Schema,
    description: str,
    media_type: str = "application/json",
) -> Schema:
    """Return a route's `openapi_extra` for a body, and parameters that it reads itself.

    `kind` is the model of the body, or the name of a schema.
    """
    name = kind if isinstance(kind, str) else kind.__name__
    asked = {"required": True, "description": description, "content": content(name, media_type)}
    return {"requestBody": asked, "parameters": [*parameters]}


def answers(
    ok: int,
    shape: Any,  # noqa: ANN401 - a type, as pydantic takes it
    *problems: int,
    media_type: str = "application/json",
) -> dict[int | str, Schema]:
    """Return a route's `responses`: the type of the answer, or a name in `PLAIN`; its problems."""
    described = (
        {"content": content(shape, media_type)} if isinstance(shape, str) else {"model": shape}
    )
    by_status: dict[int | str, Schema] = {ok: {"description": "As asked.", **described}}
    for status in (*problems, 422, 503):
        by_status[status] = {
            "description": _PROBLEMS[status],
            "content": content("Problem", "application/problem+json"),
        }
    return by_status


_PROBLEMS = {
    400: "Not JSON that the log can keep, or a header off.",
    403: "Not yours: the detail says what is.",
    404: "Not there, or not yet: the detail says what is.",
    405: "The path takes another method.",
    409: "The log as it stands forbids it.",
    412: "The thread is at another version.",
    413: "The body is too large.",
    429: "Too much at once: the detail says what to wait for.",
    415: "The body is of a kind, or compressed in a way, that is not read here.",
    422: "The words are off: `errors` names each place and reason.",
    501: "An extra of agentlog is not installed: the detail says which.",
    503: "The database does not answer; retrying with the same message ids is safe.",
}
