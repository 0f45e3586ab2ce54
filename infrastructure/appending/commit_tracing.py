"""OpenTelemetry spans of commits; an optional extra, imported only if traces are enabled.

There is no global tracer; it is passed in. A commit serves many requests, and each of their traces
gets a span of it. A thread of its own makes the spans; the committing thread only queues a note.
"""

import logging
import sys
import threading
import time
from collections.abc import Collection
from queue import SimpleQueue
from typing import NamedTuple

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SimpleSpanProcessor,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from typing_extensions import override

from agentlog.infrastructure.appending.commit_plan import Commit
from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")

EXPORTERS = frozenset({"otlp", "console"})
"""The exporters that can be named."""

_MOST_NOTES = 1024
_PARTING_SECONDS = 2.0


class _Note(NamedTuple):
    """A commit's data for its spans: the traces it served, and when it ended, in ns."""

    traces: Collection[str]
    ended: int
    commit: tuple[int, int, str, float]


class Tracing(Closing):
    """Sends spans to the named exporters until it is closed."""

    def __init__(self, exporters: Collection[str]) -> None:
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        for name in sorted(exporters):
            self._provider.add_span_processor(_processor(name))
        self.tracer = self._provider.get_tracer("agentlog")
        self._propagator = TraceContextTextMapPropagator()
        self._notes: SimpleQueue[_Note | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="tracing", daemon=True)
        self._thread.start()

    def committed(self, commit: Commit) -> None:
        """Queue a commit for the traces of its requests; dropped if the queue is full."""
        traceparents = {request.request.origin.traceparent for request in commit.requests}
        traces = [trace for trace in traceparents if trace is not None]
        if traces and self._notes.qsize() < _MOST_NOTES:
            # not the requests themselves: that would keep their bodies in memory
            facts = len(commit.requests), commit.events, commit.way, commit.seconds
            self._notes.put(_Note(traces, time.time_ns(), facts))

    @override
    def close(self) -> None:
        """Send the remaining spans; waits only briefly for a collector that does not answer."""
        parting = threading.Thread(target=self._part, name="tracing-parting", daemon=True)
        parting.start()
        parting.join(_PARTING_SECONDS)
        if parting.is_alive():
            logger.warning("traces were left unsent: their collector does not answer")

    def _part(self) -> None:
        self._notes.put(None)
        self._thread.join()
        self._provider.shutdown()

    def _work(self) -> None:
        while (note := self._notes.get()) is not None:
            requests, events, way, seconds = note.commit
            for trace in note.traces:
                span = self.tracer.start_span(
                    "commit",
                    context=self._propagator.extract({"traceparent": trace}),
                    start_time=note.ended - int(seconds * 1e9),
                    attributes={
                        "agentlog.commit.requests": requests,
                        "agentlog.commit.events": events,
                        "agentlog.commit.way": way,
                    },
                )
                span.end(end_time=note.ended)


def _processor(name: str) -> SpanProcessor:
    if name == "console":
        return SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stdout))
    return BatchSpanProcessor(OTLPSpanExporter())


def _resource() -> Resource:
    """Return the service's resource: from the environment, with our name as the default."""
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        return resource.merge(Resource({SERVICE_NAME: "agentlog"}))
    return resource
