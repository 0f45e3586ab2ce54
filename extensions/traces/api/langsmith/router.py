"""Routes of LangSmith's ingest, under the address that `LANGSMITH_ENDPOINT` names."""

from collections.abc import Callable

from fastapi import Request, Response

from agentlog.api.http.codec.caller import append_origin, request_limits, tenant_of
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import array_of, object_of
from agentlog.extensions.traces.api.langsmith.feedback import Feedback
from agentlog.extensions.traces.api.langsmith.multipart import read_multipart
from agentlog.extensions.traces.api.langsmith.operations import Operations
from agentlog.extensions.traces.api.otlp.requests import taken
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.lazy import lazy_imports
from agentlog.projections.view import Item

with lazy_imports():
    from agentlog.extensions.traces.infrastructure import ingest

router = Router(prefix="/langsmith", in_document=False)

_INGEST: Item = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
}
"""How the SDK shall send: as it does of itself; without any one of these it fails."""


@router.add("GET /info", "any key")
async def read_info(request: Request) -> Response:
    """Return what the SDK asks first: how it may send runs."""
    most_bytes: int = request.app.state.max_body_bytes
    return json_answer(
        {
            "version": request.app.version,
            "instance_flags": {"zstd_compression_enabled": True},
            "batch_ingest_config": {**_INGEST, "size_limit_bytes": most_bytes},
        }
    )


@router.add("POST /runs/multipart", "append")
async def take_multipart(request: Request) -> Response:
    """Take runs in parts, as the SDK sends them."""
    content_type = request.headers.get("content-type", "")
    return await _take(request, lambda body, into: read_multipart(body, content_type, into))


@router.add("POST /runs/batch", "append")
async def take_batch(request: Request) -> Response:
    """Take runs that begin, in `post`, and runs that end, in `patch`."""

    def read(body: bytes, into: Operations) -> None:
        batch = object_of(into.json_in(body, ""))
        for n, run in enumerate(array_of(batch.get("post"))):
            into.add_run("post", run, f"post[{n}]")
        for n, run in enumerate(array_of(batch.get("patch"))):
            into.add_run("patch", run, f"patch[{n}]")

    return await _take(request, read)


@router.add("POST /runs", "append")
async def take_run(request: Request) -> Response:
    """Take a run."""
    return await _take(request, lambda body, into: into.add_run("post", into.json_in(body, ""), ""))


@router.add("PATCH /runs/{run_id}", "append")
async def end_run(request: Request, run_id: str) -> Response:
    """Take what a run ended with."""
    return await _take(
        request, lambda body, into: into.add_run("patch", into.json_in(body, ""), "", run_id)
    )


@router.add("POST /feedback", "append")
async def take_feedback(request: Request) -> Response:
    """Take what was said of a run; 404 before the run is here, after which the SDK tries again."""
    limits, origin = await request_limits(request), await append_origin(request)
    tenant = tenant_of(request)

    def take(body: bytes, work: Work) -> Item:
        operations = Operations(limits, work)
        operations.add_feedback(operations.json_in(body, ""), "")
        (feedback,) = operations.feedback
        Feedback(tenant, origin).take(feedback)
        return feedback

    return json_answer(await taken(request, take))


async def _take(request: Request, read: Callable[[bytes, Operations], None]) -> Response:
    limits, origin = await request_limits(request), await append_origin(request)
    tenant = tenant_of(request)
    traces = ingest.traces_of(tenant)

    def take(body: bytes, work: Work) -> None:
        operations = Operations(limits, work)
        read(body, operations)
        most = work.most_added
        refused = traces.take_runs(operations.runs, most=most, origin=origin)
        early = Feedback(tenant, origin).take_all(operations.feedback)
        others = traces.take_runs((), early, most=most, origin=origin)
        if refused.count + others.count:
            reasons = "; ".join({**refused.reasons, **others.reasons})
            raise InvalidMessage.at("", f"{refused.count + others.count} refused: {reasons}")

    await taken(request, take)
    return json_answer({}, status=202)
