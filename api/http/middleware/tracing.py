"""Server spans for HTTP requests; imported only with tracing enabled.

The request's `traceparent` header is replaced by that of the span. So readers of the header, such
as appends for the metadata of their messages, find the span. Requests of exporters have no span:
where traces come back here, directly or by a collector, each export would cause the next one.
"""

from opentelemetry.trace import SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agentlog.api.http.middleware.request_metrics import NO_ROUTE, ROUTE

_CONTEXT = frozenset({b"traceparent", b"tracestate"})
_EXPORTS = ("/v1/traces", "/v1/logs", "/v1/metrics")
"""The ends of OTLP's paths."""
_EXPORTER = b"OTel-OTLP-Exporter-"
"""How exporters name themselves, by OTLP's specification."""
_DEFECT = 500


class Traced:
    """An application with traced requests."""

    def __init__(self, app: ASGIApp, tracer: Tracer) -> None:
        self._app = app
        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request in a span of its own."""
        if scope["type"] != "http" or _is_export(scope):
            await self._app(scope, receive, send)
            return
        method: str = scope["method"]
        given = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
            if name in _CONTEXT
        }
        span = self._tracer.start_span(
            method,
            context=self._propagator.extract(given),
            kind=SpanKind.SERVER,
            attributes={
                "http.request.method": method,
                "url.path": scope["path"],
                "url.scheme": scope["scheme"],
            },
        )
        ours: dict[str, str] = {}
        self._propagator.inject(ours, set_span_in_context(span))
        headers = [header for header in scope["headers"] if header[0] not in _CONTEXT]
        headers += [
            (name.encode("latin-1"), value.encode("latin-1")) for name, value in ours.items()
        ]
        traced: Scope = {**scope, "headers": headers}

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                span.set_attribute("http.response.status_code", message["status"])
                if message["status"] >= _DEFECT:
                    span.set_status(StatusCode.ERROR)
            await send(message)

        try:
            await self._app(traced, receive, noting)
        except Exception as error:
            span.record_exception(error)
            raise
        finally:
            route = traced.get(ROUTE, NO_ROUTE)
            if route != NO_ROUTE:
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
            span.end()


def _is_export(scope: Scope) -> bool:
    return scope["path"].endswith(_EXPORTS) or any(
        name == b"user-agent" and value.startswith(_EXPORTER) for name, value in scope["headers"]
    )
