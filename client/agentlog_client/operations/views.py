"""Views: a thread in a wire's shape at any point, and what changed between two."""

from collections.abc import Sequence

from agentlog_client.models import ModelCall, Outline, ValueChange, Why
from agentlog_client.operation import Json, Listing, Moment, Operation, as_model, as_page, request
from agentlog_client.shape import Shape


class View(Shape):
    """`items` of a view, or the `state` that a view of one state has."""

    thread_id: str
    version: int
    position: int | None
    items: Sequence[Json] = ()
    state: Json = None
    next: str | None = None


class Difference(Shape):
    """`patch` (RFC 6902) for a state, else what items came, changed and went."""

    thread_id: str
    patch: list[Json] | None = None
    added: list[Json] | None = None
    changed: list[Json] | None = None
    removed: list[Json] | None = None


def view(  # noqa: PLR0913 - one parameter a choice
    thread_id: str,
    view: str = "kernel",
    *,
    at: Moment | None = None,
    after: str | None = None,
    limit: int | None = None,
    hidden: bool = False,
    wait: int | None = None,
    **options: str | bool,
) -> Operation[View]:
    """Read a thread in a view: all of it unless `limit` cuts it into pages."""
    asked = request(
        "GET",
        "/v1/threads/{}/views/{}",
        thread_id,
        view,
        query={
            "at": at,
            "after": after,
            "limit": limit,
            "hidden": hidden or None,
            "wait": wait,
            **options,
        },
    )
    return Operation(asked, as_model(View))


def outline(
    thread_id: str, *, at: Moment | None = None, hidden: bool = False, wait: int | None = None
) -> Operation[Outline]:
    """Read what a thread did, an entry a step."""
    asked = request(
        "GET",
        "/v1/threads/{}/outline",
        thread_id,
        query={"at": at, "hidden": hidden or None, "wait": wait},
    )
    return Operation(asked, as_model(Outline))


def model_call(thread_id: str, version: int, *, hidden: bool = False) -> Operation[ModelCall]:
    """Read the request that produced a message, its answer, and what the one before it shares."""
    path, query = "/v1/threads/{}/model-calls/{}", {"hidden": hidden or None}
    return Operation(
        request("GET", path, thread_id, str(version), query=query), as_model(ModelCall)
    )


def why(
    thread_id: str, *, at: Moment | None = None, hidden: bool = False, wait: int | None = None
) -> Operation[Why]:
    """Read why a run went as it went: its outcome, the first failure and what came before it."""
    asked = request(
        "GET",
        "/v1/threads/{}/why",
        thread_id,
        query={"at": at, "hidden": hidden or None, "wait": wait},
    )
    return Operation(asked, as_model(Why))


def diff(
    thread_id: str,
    view: str = "agent-state",
    *,
    begin: Moment | None = None,
    end: Moment | None = None,
    hidden: bool = False,
    **options: str | bool,
) -> Operation[Difference]:
    """Read what changed in a view from one moment to another, by default the present."""
    asked = request(
        "GET",
        "/v1/threads/{}/diff",
        thread_id,
        query={"view": view, "from": begin, "to": end, "hidden": hidden or None, **options},
    )
    return Operation(asked, as_model(Difference))


def changes(  # noqa: PLR0913 - one parameter a choice
    thread_id: str,
    path: str,
    *,
    view: str = "agent-state",
    at: Moment | None = None,
    after: str | None = None,
    limit: int | None = None,
    hidden: bool = False,
    **options: str | bool,
) -> Listing[ValueChange]:
    """List where a value of a state changed: what a JSONPath selects."""
    asked = request(
        "GET",
        "/v1/threads/{}/changes",
        thread_id,
        query={
            "path": path,
            "view": view,
            "at": at,
            "after": after,
            "limit": limit,
            "hidden": hidden or None,
            **options,
        },
    )
    return Listing(asked, as_page(ValueChange))
