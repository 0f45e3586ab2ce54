"""The service itself: keys, accesses, projections, health."""

from collections.abc import Sequence

from agentlog_client.models import Access, Caller, Health, Key, NewKey, Projection
from agentlog_client.operation import (
    Answer,
    Listing,
    Operation,
    as_model,
    as_page,
    request,
)


def own_key() -> Operation[Caller]:
    """What the key of this client may do."""
    return Operation(request("GET", "/v1/keys/self"), as_model(Caller))


def keys(*, limit: int | None = None) -> Listing[Key]:
    """List keys."""
    return Listing(request("GET", "/v1/keys", query={"limit": limit}), as_page(Key))


def create_key(
    name: str, scopes: Sequence[str], *, expires: str | None = None
) -> Operation[NewKey]:
    """Make a key; the answer alone has it. `expires` is a span, as `90d`, or a time."""
    body = {"name": name, "scopes": list(scopes), "expires": expires}
    asked = request("POST", "/v1/keys", body=body)
    return Operation(asked, as_model(NewKey), repeatable=False)


def revoke_key(key_id: str) -> Operation[Key]:
    """Take a key's rights away."""
    return Operation(request("DELETE", "/v1/keys/{}", key_id), as_model(Key))


def accesses(
    *, key: str | None = None, thread: str | None = None, limit: int | None = None
) -> Listing[Access]:
    """List recorded accesses, the latest first."""
    query = {"key": key, "thread": thread, "limit": limit}
    return Listing(request("GET", "/v1/accesses", query=query), as_page(Access))


def projections(*, wait: int | None = None) -> Operation[list[Projection]]:
    """How far each projection has come; `wait` is an append's position."""
    return Operation(request("GET", "/v1/projections", query={"wait": wait}), _projections)


def projection(name: str, *, wait: int | None = None) -> Operation[list[Projection]]:
    """How far the builds of a projection have come."""
    asked = request("GET", "/v1/projections/{}", name, query={"wait": wait})
    return Operation(asked, _projections)


def rebuild_projection(name: str) -> Operation[list[Projection]]:
    """Build a projection anew, beside the one that answers."""
    return _order(name, "rebuild")


def pause_projection(name: str) -> Operation[list[Projection]]:
    """Stop a projection where it is."""
    return _order(name, "pause")


def resume_projection(name: str) -> Operation[list[Projection]]:
    """Let a projection go on."""
    return _order(name, "resume")


def health() -> Operation[Health]:
    """Whether the service can answer: 503 where it cannot."""
    return Operation(request("GET", "/readyz"), as_model(Health))


def _order(name: str, order: str) -> Operation[list[Projection]]:
    asked = request("POST", "/v1/projections/{}/{}", name, order)
    return Operation(asked, _projections, repeatable=False)


def _projections(answer: Answer) -> list[Projection]:
    return [Projection.model_validate(item) for item in answer.json()["items"]]
