"""OpenAPI schemas of keys and accesses."""

from api.http.openapi.parts import (
    INTEGER,
    NULLABLE_STRING,
    STRING,
    Schema,
    object_of,
    page_of,
)
from domain.access import SCOPES

_SCOPES: Schema = {
    "type": "array",
    "items": {"type": "string", "enum": list(SCOPES)},
    "minItems": 1,
}


_KEY: Schema = {
    "id": STRING,
    "tenant": STRING,
    "name": STRING,
    "scopes": _SCOPES,
    "createdAt": STRING,
    "createdBy": NULLABLE_STRING,
    "expiresAt": NULLABLE_STRING,
    "revokedAt": NULLABLE_STRING,
    "revokedBy": NULLABLE_STRING,
}
_ACCESS: Schema = {
    "number": INTEGER,
    "at": STRING,
    "keyId": NULLABLE_STRING,
    "method": STRING,
    "route": STRING,
    "threadId": NULLABLE_STRING,
    "status": INTEGER,
    "requestId": NULLABLE_STRING,
}


ACCESS_SHAPES: dict[str, Schema] = {
    "Key": {
        **object_of(**_KEY),
        "description": "What is on record of a key. `createdBy` and `revokedBy` are ids of keys.",
    },
    "Keys": page_of("Key"),
    "NewKey": {
        **object_of(**_KEY, key=STRING),
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
    "Access": object_of(**_ACCESS),
    "Accesses": page_of("Access"),
}
