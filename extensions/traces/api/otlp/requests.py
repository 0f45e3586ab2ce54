"""Exports: request bodies of telemetry, read and taken into threads beside the event loop."""

from collections.abc import Callable
from typing import TypeVar

from anyio import to_thread
from fastapi import Request, Response

from agentlog.api.http.codec.bodies import body_of
from agentlog.api.http.codec.caller import append_origin, request_limits, tenant_of
from agentlog.api.http.codec.parameters import header_of
from agentlog.extensions.traces.api.otlp.content_coding import unzipped
from agentlog.extensions.traces.api.otlp.records import Signal, answer, media_type_of, records_in
from agentlog.extensions.traces.api.otlp.work import Work
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.extensions.traces.infrastructure import ingest

_Outcome = TypeVar("_Outcome")


async def take_otlp(request: Request, signal: Signal) -> Response:
    """Take spans or log records into threads; the answer says how many were refused.

    What was taken but is in no message is a warning: none refused, and a message.
    """
    headers = request.scope["headers"]
    media_type = media_type_of((header_of(headers, b"content-type") or b"").decode("latin-1"))
    limits, origin = await request_limits(request), await append_origin(request)
    traces = ingest.traces_of(tenant_of(request))

    def take(body: bytes, work: Work) -> bytes:
        records = records_in(body, media_type, signal, limits, work)
        into = traces.take_spans if signal == "traces" else traces.take_records
        refused = into(records, most=work.most_added, origin=origin)
        return answer(media_type, signal, refused=refused.count, reason=refused.message)

    return Response(await taken(request, take), media_type=media_type)


async def taken(request: Request, take: Callable[[bytes, Work], _Outcome]) -> _Outcome:
    """Return what `take` makes of the unzipped body, in a thread, one export at a time.

    Raises:
        UnknownCoding, InvalidOtlp, BodyTooLarge: the body cannot be unzipped.
    """
    header = header_of(request.scope["headers"], b"content-encoding") or b""
    coding = header.decode("latin-1").strip().lower()
    body = await body_of(request)
    limits = await request_limits(request)
    most_bytes: int = request.app.state.max_body_bytes

    def work_off() -> _Outcome:
        work = Work.allowed(len(body), limits, most_bytes=most_bytes)
        return take(unzipped(body, coding, work), work)

    return await to_thread.run_sync(work_off, limiter=request.app.state.exports)
