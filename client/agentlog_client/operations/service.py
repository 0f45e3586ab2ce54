"""The service itself: keys, accesses, projections, health."""

from collections.abc import Sequence

from agentlog_client.models import (
    Access,
    Caller,
    Key,
    NewKey,
    Projection,
    Readiness,
    Rule,
    SavedFilter,
)
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


def health() -> Operation[Readiness]:
    """What the service is, the writer or what only reads: 503 where it cannot answer."""
    return Operation(request("GET", "/readyz"), as_model(Readiness))


def _order(name: str, order: str) -> Operation[list[Projection]]:
    asked = request("POST", "/v1/projections/{}/{}", name, order)
    return Operation(asked, _projections, repeatable=False)


def _projections(answer: Answer) -> list[Projection]:
    return [Projection.model_validate(item) for item in answer.json()["items"]]


def rules() -> Listing[Rule]:
    """List the rules that are set: what success is, which tools are shells."""
    return Listing(request("GET", "/v1/rules"), as_page(Rule))


def set_rule(name: str, value: str) -> Operation[Rule]:
    """Set a rule, as `success` to `metadata.reward>=1`."""
    return Operation(request("PUT", "/v1/rules/{}", name, body={"value": value}), as_model(Rule))


def remove_rule(name: str) -> Operation[Rule]:
    """Go back to what a rule says by default."""
    return Operation(request("DELETE", "/v1/rules/{}", name), as_model(Rule))


def rule_changes(name: str) -> Listing[Rule]:
    """List what a rule said when, the latest first."""
    return Listing(request("GET", "/v1/rules/{}/changes", name), as_page(Rule))


def filters() -> Listing[SavedFilter]:
    """List the saved filters."""
    return Listing(request("GET", "/v1/filters"), as_page(SavedFilter))


def save_filter(name: str, text: str, *, place: str = "list") -> Operation[SavedFilter]:
    """Save a filter; `place` is list or thread."""
    body = {"filter": text, "place": place}
    return Operation(request("PUT", "/v1/filters/{}", name, body=body), as_model(SavedFilter))


def remove_filter(name: str) -> Operation[SavedFilter]:
    """Take a saved filter away."""
    return Operation(request("DELETE", "/v1/filters/{}", name), as_model(SavedFilter))
