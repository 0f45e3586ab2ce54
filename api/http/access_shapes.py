"""The shapes of keys and accesses, for the OpenAPI document."""

from typing import Any

from domain.access import SCOPES

_STRING = {"type": "string"}
_NULLABLE_STRING = {"type": ["string", "null"]}
_SCOPES = {
    "type": "array",
    "items": {"type": "string", "enum": list(SCOPES)},
    "minItems": 1,
}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_KEY: dict[str, Any] = {
    "id": _STRING,
    "tenant": _STRING,
    "name": _STRING,
    "scopes": _SCOPES,
    "createdAt": _STRING,
    "createdBy": _NULLABLE_STRING,
    "expiresAt": _NULLABLE_STRING,
    "revokedAt": _NULLABLE_STRING,
    "revokedBy": _NULLABLE_STRING,
}
_ACCESS: dict[str, Any] = {
    "number": {"type": "integer"},
    "at": _STRING,
    "keyId": _NULLABLE_STRING,
    "method": _STRING,
    "route": _STRING,
    "threadId": _NULLABLE_STRING,
    "status": {"type": "integer"},
    "requestId": _NULLABLE_STRING,
}


def _page(name: str) -> dict[str, Any]:
    items = {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}
    return _object({"items": items, "next": _NULLABLE_STRING})


ACCESS_SHAPES: dict[str, dict[str, Any]] = {
    "Key": {
        **_object(_KEY),
        "description": "What is on record of a key. `createdBy` and `revokedBy` are ids of keys.",
    },
    "Keys": _page("Key"),
    "NewKey": {
        **_object({**_KEY, "key": _STRING}),
        "description": "`key` is the key itself: it is shown this once.",
    },
    "KeyBody": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "scopes": _SCOPES,
            "expires": {
                "type": ["string", "null"],
                "description": "A span from now as `90d` (m, h, d, w), or an RFC 3339 time; never "
                "without it.",
            },
        },
        "required": ["name", "scopes"],
        "additionalProperties": False,
        "examples": [{"name": "agents", "scopes": ["append", "read"], "expires": "90d"}],
    },
    "Access": _object(_ACCESS),
    "Accesses": _page("Access"),
}
