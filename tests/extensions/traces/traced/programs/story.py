"""What every agent is asked and can do, and where its spans go.

A program is called with the name of an instrumentation, of an API, and how that is to answer.
"""

import json
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

SYSTEM = "You are the parcel desk. Be brief."
QUESTIONS = ("Good day.", "Where are 4711 and 4712?")
INSTRUMENTATION, API, MODE = sys.argv[1:]
FOUND = 4711
IS_STREAMED = MODE != "plain"
MODEL = "gpt-x-without-roles" if MODE == "streamed-without-roles" else "gpt-x"


def track(parcel: int) -> str:
    """Return where a parcel is."""
    return f"{parcel} is in Hamburg" if parcel == FOUND else json.dumps({"lost": parcel})


def refund(parcel: int) -> str:
    """Refund a parcel."""
    raise ValueError(f"no such order: {parcel}")


def provider() -> TracerProvider:
    """Return what sends each span to OTEL_EXPORTER_OTLP_ENDPOINT when it ends."""
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(tracing)
    return tracing
