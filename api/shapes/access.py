"""Keys and accesses as JSON, for HTTP and the command line. Never a secret."""

from api.shapes.threads import time_text
from domain.json.text import JsonValue
from infrastructure.keys.accesses import RecordedAccess
from infrastructure.keys.key import Key


def key_json(key: Key) -> dict[str, JsonValue]:
    """Return a stored key as JSON."""
    return {
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "scopes": list(key.scopes),
        "createdAt": time_text(key.created_at),
        "createdBy": key.created_by,
        "expiresAt": None if key.expires_at is None else time_text(key.expires_at),
        "revokedAt": None if key.revoked_at is None else time_text(key.revoked_at),
        "revokedBy": key.revoked_by,
    }


def access_json(access: RecordedAccess) -> JsonValue:
    """Return a recorded access as JSON."""
    return {
        "number": access.number,
        "at": time_text(access.at),
        "keyId": access.key_id,
        "method": access.method,
        "route": access.route,
        "threadId": access.thread_id,
        "status": access.status,
        "requestId": access.request_id,
    }
