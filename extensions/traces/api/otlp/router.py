"""Routes of OTLP over HTTP: spans and log records, as OpenTelemetry's exporters send them.

Exporters retry what is answered 429 or 503, and drop a batch at any other error.
"""

from fastapi import Request, Response

from agentlog.api.http.openapi.answers import Schema, answers, content
from agentlog.api.http.routing import Router
from agentlog.extensions.traces.api.otlp.records import JSON, PROTOBUF
from agentlog.extensions.traces.api.otlp.requests import take_otlp

router = Router(tags=["otlp"])

_BODY: Schema = {
    "requestBody": {
        "required": True,
        "description": "An export request of OTLP; Content-Encoding may be gzip.",
        "content": content("Otlp", JSON, PROTOBUF),
    }
}
_ANSWERS = answers(200, "Otlp", 400, 413, 415)


@router.add(
    "POST /otlp/v1/traces",
    "append",
    response_class=Response,
    responses=_ANSWERS,
    openapi_extra=_BODY,
)
async def take_spans(request: Request) -> Response:
    """Take spans of the GenAI conventions into threads, each span once.

    Others are refused, which the answer says by `partialSuccess`.
    """
    return await take_otlp(request, "traces")


@router.add(
    "POST /otlp/v1/logs", "append", response_class=Response, responses=_ANSWERS, openapi_extra=_BODY
)
async def take_log_records(request: Request) -> Response:
    """Take log events of the GenAI conventions into threads, each record once.

    Others are refused, which the answer says by `partialSuccess`.
    """
    return await take_otlp(request, "logs")
