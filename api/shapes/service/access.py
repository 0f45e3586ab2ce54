"""Keys and accesses, for HTTP and the command line. Never a secret."""

from dataclasses import dataclass

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape
from agentlog.domain.access import SCOPES, Principal, Scope
from agentlog.domain.json.answers import Time, TimeText, answer, time_text
from agentlog.infrastructure.keys.key import Key


@answer
@dataclass(frozen=True, slots=True)
class NewKey(Key):
    """`key` is the key itself: it is shown this once."""

    key: str


class Caller(TypedDict):
    """What the caller may do. `keyRequired`: whether requests without a key are refused.

    `user` is the person whom a trusted proxy names.
    """

    anonymous: bool
    keyRequired: bool
    keyId: str | None
    name: str | None
    user: str | None
    tenant: str
    scopes: list[Scope]
    expiresAt: TimeText | None


class Access(Shape):
    """A recorded access; `keyId` is the user where a proxy named one."""

    number: int
    at: Time
    key_id: str | None
    method: str
    route: str
    thread_id: str | None
    status: int
    request_id: str | None


def caller_json(principal: Principal, key: Key | None) -> Caller:
    """Return what a principal may do; `key` is its own, None where no key was required."""
    return {
        "anonymous": key is None,
        "keyRequired": key is not None,
        "keyId": None if key is None else key.id,
        "name": None if key is None else key.name,
        "user": principal.user,
        "tenant": principal.tenant,
        "scopes": [scope for scope in SCOPES if principal.may(scope)],
        "expiresAt": None if key is None else time_text(key.expires_at),
    }
