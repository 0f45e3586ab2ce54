"""Routes of Langfuse's public API."""

import asyncio

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from agentlog.api.http.codec.bodies import body_of
from agentlog.api.http.codec.caller import TheTenant, append_origin, request_limits, tenant_of
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at
from agentlog.extensions.traces.api.langfuse.scores import Scores
from agentlog.extensions.traces.api.otlp.requests import take_otlp
from agentlog.projections.view import Item

router = Router(prefix="/api/public", in_document=False)

_TRIES, _PAUSE = 16, 0.25
"""How long a score waits for its trace: the SDK sends spans up to 5 seconds later."""


@router.add("GET /projects", "any key")
async def list_projects(tenant: TheTenant) -> Response:
    """Return the tenant of the key as a project: the SDK asks so whether its keys are valid."""
    name = tenant.name
    organization: Item = {"id": name, "name": name}
    project: Item = {"id": name, "name": name, "organization": organization, "metadata": {}}
    return json_answer({"data": [project]})


@router.add("POST /otel/v1/traces", "append")
async def take_spans(request: Request) -> Response:
    """Take spans, as `POST /otlp/v1/traces` does."""
    return await take_otlp(request, "traces")


@router.add("POST /scores", "append")
async def take_scores(request: Request) -> Response:
    """Take a score, or a list of scores."""
    limits = await request_limits(request)
    given = limits.json_in(await body_of(request))
    if isinstance(given, list):
        refusals = await _refusals(request, limits.batch(given))
        errors: list[JsonValue] = [{"message": refusal} for refusal in refusals if refusal]
        if not errors:
            return json_answer({"message": "Accepted"}, status=202)
        counts: Item = {"accepted": len(given) - len(errors), "rejected": len(errors)}
        return json_answer({**counts, "errors": errors}, status=207)
    (refusal,) = await _refusals(request, [given])
    if refusal is not None:
        raise InvalidMessage.at("", refusal)
    return json_answer({"id": text_at(object_of(given), "id")})


_ONLY_SCORES = (
    "only score-create is taken here: traces come as OpenTelemetry spans, at "
    "/api/public/otel/v1/traces, which Langfuse's SDKs send from langfuse 3 (Python) and "
    "@langfuse/tracing 4 (JavaScript, in place of the package `langfuse`) on"
)


@router.add("POST /ingestion", "append")
async def take_events(request: Request) -> Response:
    """Take the scores of a batch of events, as SDKs before version 5 send them."""
    limits = await request_limits(request)
    body = object_of(limits.json_in(await body_of(request)))
    events = [object_of(event) for event in limits.batch(array_of(body.get("batch")))]
    scores = [event for event in events if event.get("type") == "score-create"]
    refusals = iter(await _refusals(request, [event.get("body") for event in scores]))
    successes: list[JsonValue] = []
    errors: list[JsonValue] = []
    for event in events:
        is_score = event.get("type") == "score-create"
        refusal = next(refusals) if is_score else _ONLY_SCORES
        if refusal is None:
            successes.append({"id": event.get("id"), "status": 201})
        else:
            errors.append({"id": event.get("id"), "status": 400, "message": refusal})
    return json_answer({"successes": successes, "errors": errors}, status=207)


async def _refusals(request: Request, scores: list[JsonValue]) -> list[str | None]:
    """Take scores; return for each why it was refused."""
    taken = Scores(tenant_of(request), scores, await append_origin(request))
    for _ in range(_TRIES):
        if not await run_in_threadpool(taken.take):
            break
        await asyncio.sleep(_PAUSE)
    return taken.refusals
