"""Keys and accesses, for HTTP and the command line. Never a secret."""

from typing import Annotated

from pydantic import Field

from api.shapes.shape import Shape, Time
from domain.access import Scope


class Key(Shape):
    """What is on record of a key. `createdBy` and `revokedBy` are ids of keys."""

    id: str
    tenant: str
    name: str
    scopes: Annotated[list[Scope], Field(min_length=1)]
    created_at: Time
    created_by: str | None
    expires_at: Time | None
    revoked_at: Time | None
    revoked_by: str | None


class NewKey(Key):
    """`key` is the key itself: it is shown this once."""

    key: str


class Access(Shape):
    """A recorded access."""

    number: int
    at: Time
    key_id: str | None
    method: str
    route: str
    thread_id: str | None
    status: int
    request_id: str | None
