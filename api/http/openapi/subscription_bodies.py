"""OpenAPI schemas of the bodies of subscriptions, with examples."""

from agentlog.api.http.openapi.answers import Schema, fields
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.subscriptions.conditions import CONDITIONS
from agentlog.infrastructure.subscriptions.terms import (
    LEASE_PATTERN,
    MOST_ATTEMPTS,
    MOST_IDS,
    MOST_KEYS,
    MOST_PULLED,
    MOST_TYPES,
    MOST_WAIT,
    NAME_PATTERN,
    THREADS_PATTERN,
    USUAL_ATTEMPTS,
)

_LEASE: Schema = {"type": "string", "pattern": LEASE_PATTERN}
_IDS: Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": BIGGEST},
    "minItems": 1,
    "maxItems": MOST_IDS,
    "description": "Of deliveries; all without it.",
}

BODIES: dict[str, Schema] = {
    "SubscriptionBody": fields(
        {
            "name": {"type": "string", "pattern": NAME_PATTERN},
            "types": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "maxItems": MOST_TYPES,
                "description": "Of events, as tool_calls, thread.closed or vendor.name, and "
                f"conditions: {', '.join(CONDITIONS)}. All events without it.",
            },
            "threads": {
                "type": "string",
                "pattern": THREADS_PATTERN,
                "description": "How the ids of threads begin.",
            },
            "metadata": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": MOST_KEYS,
                "description": "Top-level keys of the thread's metadata, and their values.",
                "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
            },
            "from": {
                "type": "string",
                "pattern": "^(now|start|@[0-9]{1,18})$",
                "default": "now",
                "description": "After which event it begins: a position as @345.",
            },
            "maxAttempts": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_ATTEMPTS,
                "default": USUAL_ATTEMPTS,
                "description": "After which a delivery is parked.",
            },
            "webhook": fields(
                {
                    "url": {"type": "string", "format": "uri", "maxLength": 2048},
                    "content": {
                        "type": "boolean",
                        "default": False,
                        "description": "Whether the message itself is posted, not its place alone.",
                    },
                },
                "url",
                examples=[{"url": "https://example.com/hook"}],
            ),
        },
        "name",
        examples=[{"name": "approvals", "types": ["approval_request"], "threads": "support-"}],
    ),
    "PullBody": fields(
        {
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST_PULLED, "default": 10},
            "seconds": {
                "type": "number",
                "minimum": 1,
                "maximum": 3600,
                "default": 30,
                "description": "How long they are yours.",
            },
            "wait": {
                "type": "number",
                "minimum": 0,
                "maximum": MOST_WAIT,
                "default": 0,
                "description": "Seconds to wait for the first, where there is none.",
            },
        },
        examples=[{"limit": 10, "seconds": 30}],
    ),
    "AckBody": fields(
        {"lease": _LEASE, "ids": _IDS}, "lease", examples=[{"lease": "0123456789abcdef"}]
    ),
    "NackBody": fields(
        {
            "lease": _LEASE,
            "ids": _IDS,
            "error": {"type": "string", "description": "Why, as the list of parked ones shows it."},
            "seconds": {"type": "number", "minimum": 0, "maximum": 86_400, "default": 5},
            "park": {"type": "boolean", "default": False, "description": "No further attempt."},
        },
        "lease",
        examples=[{"lease": "0123456789abcdef", "ids": [7], "error": "no such order"}],
    ),
    "ParkedBody": fields({"ids": _IDS}, examples=[{"ids": [7]}]),
}
