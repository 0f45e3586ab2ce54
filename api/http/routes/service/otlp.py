"""Routes of OTLP over HTTP: spans and log records, as OpenTelemetry's exporters send them.

Exporters retry what is answered 429 or 503, and drop a batch at any other error.
"""

from anyio import to_thread
from fastapi import APIRouter, Request, Response

from agentlog.api.http.codec.bodies import body_of
from agentlog.api.http.codec.caller import append_origin, request_limits, tenant_of
from agentlog.api.http.codec.otlp import (
    JSON,
    PROTOBUF,
    Signal,
    answer,
    media_type_of,
    records_in,
    unzipped,
)
from agentlog.api.http.codec.otlp_work import Work
from agentlog.api.http.codec.parameters import header_of
from agentlog.api.http.openapi.answers import Schema, answers, content

router = APIRouter(tags=["otlp"])

_BODY: Schema = {
    "requestBody": {
        "required": True,
        "description": "An export request of OTLP; Content-Encoding may be gzip.",
        "content": content("Otlp", JSON, PROTOBUF),
    }
}
_ANSWERS = answers(200, "Otlp", 400, 413, 415)


@router.post("/otlp/v1/traces", response_class=Response, responses=_ANSWERS, openapi_extra=_BODY)
async def take_spans(request: Request) -> Response:
    """Take spans of the GenAI conventions into threads, each span once.

    Others are refused, which the answer says by `partialSuccess`.
    """
    return await _take(request, "traces")


@router.post("/otlp/v1/logs", response_class=Response, responses=_ANSWERS, openapi_extra=_BODY)
async def take_log_records(request: Request) -> Response:
    """Take log events of the GenAI conventions into threads, each record once.

    Others are refused, which the answer says by `partialSuccess`.
    """
    return await _take(request, "logs")


async def _take(request: Request, signal: Signal) -> Response:
    headers = request.scope["headers"]
    media_type = media_type_of((header_of(headers, b"content-type") or b"").decode("latin-1"))
    coding = (header_of(headers, b"content-encoding") or b"").decode("latin-1").strip().lower()
    body = await body_of(request)
    limits, origin = await request_limits(request), await append_origin(request)
    most_bytes: int = request.app.state.max_body_bytes
    traces = tenant_of(request).traces

    def take() -> bytes:
        work = Work.allowed(len(body), limits, most_bytes=most_bytes)
        records = records_in(unzipped(body, coding, work), media_type, signal, limits, work)
        into = traces.take_spans if signal == "traces" else traces.take_records
        refused = into(records, most=work.most_added, origin=origin)
        reason = "; ".join(refused.reasons)
        return answer(media_type, signal, refused=refused.count, reason=reason)

    outcome = await to_thread.run_sync(take, limiter=request.app.state.exports)
    return Response(outcome, media_type=media_type)
