"""Tracing, off by default; OpenTelemetry is imported only where it is enabled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from starlette.types import ASGIApp

from agentlog.infrastructure.appending.commit_plan import Commit
from agentlog.infrastructure.settings import TraceSettings


def _as_it_is(app: ASGIApp) -> ASGIApp:
    return app


@dataclass(frozen=True, slots=True)
class Traces:
    """Tracing hooks of a service: `around` its application, and at each commit; or none.

    `notice` is a message for the operator at start.
    """

    around: Callable[[ASGIApp], ASGIApp] = _as_it_is
    on_commit: Callable[[Commit], None] | None = None
    notice: str = ""


@contextmanager
def open_traces(settings: TraceSettings) -> Iterator[Traces]:
    """Trace until the block ends, if the settings enable it and it is available."""
    if not settings.exporters:
        yield Traces()
        return
    try:
        from agentlog.api.http.middleware.tracing import Traced  # noqa: PLC0415 - an optional extra
        from agentlog.infrastructure.appending.commit_tracing import EXPORTERS, Tracing  # noqa: PLC0415 - an optional extra
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("opentelemetry"):
            raise
        yield Traces(
            notice="no traces: OpenTelemetry is configured but not installed; "
            "install it by pip install 'agentlog[otel]'"
        )
        return
    unknown = ", ".join(sorted(settings.exporters - EXPORTERS))
    if unknown:
        yield Traces(notice=f"no traces: OTEL_TRACES_EXPORTER names {unknown}: use otlp or console")
        return
    with Tracing(settings.exporters) as tracing:
        yield Traces(
            around=partial(Traced, tracer=tracing.tracer),
            on_commit=tracing.committed,
            notice=f"traces go to {' and '.join(sorted(settings.exporters))}",
        )
