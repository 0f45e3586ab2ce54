"""Routes of views: at any point of a history, and the difference between two points."""

from typing import Annotated

from fastapi import Path, Query, Request, Response

from agentlog.api.http.codec.caller import TheViews
from agentlog.api.http.codec.parameters import (
    After,
    At,
    Hidden,
    Limit,
    ThreadId,
    chosen_view,
    number_cursor,
    option_parameters,
)
from agentlog.api.http.codec.responses import json_answer, pieces_answer
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.model_calls import ModelCall, model_call_json
from agentlog.api.shapes.outline import Outline, outline_json
from agentlog.api.shapes.shape import shape_of
from agentlog.api.shapes.threads import bare_view_json, difference_json, view_json
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.comparison.value_changes import ValueChanges, value_changes
from agentlog.infrastructure.search.json_path import MOST_CHARACTERS
from agentlog.projections.registry import VIEWS
from agentlog.projections.why.why import Why

router = Router(prefix="/v1", tags=["views"])

ViewName = Annotated[
    str,
    Path(
        description=f"One of {', '.join(VIEWS)}.",
        examples=["openai"],
        json_schema_extra={"enum": list(VIEWS)},
    ),
]


@router.add(
    "GET /threads/{thread_id}/views/{view}",
    "read",
    responses=answers(200, "View", 404),
    options=option_parameters,
)
def read_view(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    views: TheViews,
    thread_id: ThreadId,
    view: ViewName,
    at: At,
    after: After = None,
    limit: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
    bare: Annotated[  # noqa: FBT002 - a query parameter has a name
        bool, Query(description="Just the items, ready to hand to a model or a client.")
    ] = False,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read a thread in a view: all of it unless `limit` cuts it into pages."""
    shown = views.view(
        thread_id, chosen_view(request, view), at=at, after=after, limit=limit, hidden=hidden
    )
    return pieces_answer(bare_view_json(shown) if bare else view_json(shown))


@router.add("GET /threads/{thread_id}/outline", "read", responses=answers(200, Outline, 404))
def read_outline(
    views: TheViews,
    thread_id: ThreadId,
    at: At,
    steps: Annotated[  # noqa: FBT002 - a query parameter has a name
        bool, Query(description="The steps too, not the groups of events alone.")
    ] = True,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read what a thread did, a line a step, and what of it belongs together."""
    outline = views.outline(thread_id, at=at, hidden=hidden)
    return pieces_answer(outline_json(outline, steps=steps))


@router.add("GET /threads/{thread_id}/why", "read", responses=answers(200, Why, 404))
def read_why(
    views: TheViews,
    thread_id: ThreadId,
    at: At,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read why a run went as it went: its outcome, the first failure and what came before it."""
    return json_answer(shape_of(views.why(thread_id, at=at, hidden=hidden)))


@router.add(
    "GET /threads/{thread_id}/model-calls/{version}", "read", responses=answers(200, ModelCall, 404)
)
def read_model_call(
    views: TheViews,
    thread_id: ThreadId,
    version: Annotated[int, Path(ge=1, lt=2**63)],
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read the request that produced a message, with its answer and the request before it.

    Of a message that no model made, it is the call that comes next, or else the last.
    """
    call = views.model_call(thread_id, version, hidden=hidden)
    return json_answer(model_call_json(thread_id, call))


@router.add(
    "GET /threads/{thread_id}/diff",
    "read",
    responses=answers(200, "Difference", 404),
    options=option_parameters,
)
def read_difference(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    views: TheViews,
    thread_id: ThreadId,
    view: Annotated[str, Query(description=f"One of {', '.join(VIEWS)}.")] = "agent-state",
    begin: Annotated[
        str | None, Query(alias="from", description="A moment, as `at`; default the beginning.")
    ] = None,
    end: Annotated[
        str | None, Query(alias="to", description="A moment, as `at`; default the present.")
    ] = None,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read what changed in a view between two moments."""
    difference = views.difference(
        thread_id,
        chosen_view(request, view),
        begin=None if begin is None else parse_moment(begin),
        end=None if end is None else parse_moment(end),
        hidden=hidden,
    )
    return json_answer(difference_json(difference))


@router.add(
    "GET /threads/{thread_id}/changes",
    "read",
    responses=answers(200, ValueChanges, 404),
    options=option_parameters,
)
def read_value_changes(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    views: TheViews,
    thread_id: ThreadId,
    path: Annotated[
        str,
        Query(
            description="A JSONPath (RFC 9535, without match and search) over the state.",
            max_length=MOST_CHARACTERS,
            examples=["$.pending_approval"],
        ),
    ],
    at: At,
    view: Annotated[str, Query(description="A view that is one state.")] = "agent-state",
    after: After = None,
    limit: Limit = 100,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Read after which messages the values that a JSONPath selects in a state are others.

    `after` may be any version: the changes after it are read.
    """
    changes = value_changes(
        views,
        thread_id,
        chosen_view(request, view),
        path,
        after=number_cursor(after) or 0,
        at=at,
        limit=limit,
        hidden=hidden,
    )
    return json_answer(shape_of(changes))
