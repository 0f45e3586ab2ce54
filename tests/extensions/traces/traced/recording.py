"""Runs an agent's program, and records what its model was sent and the spans that came of it."""

import gzip
import json
import os
import socket
import subprocess
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.extensions.traces.traced.matrix import Traced
from tests.extensions.traces.traced.provider import Provider
from tests.extensions.traces.traced.stand_in import served

ROOT = Path(__file__).parents[4]
SETTINGS = {
    "LANGFUSE_FLUSH_AT": "1",
    "LANGFUSE_PUBLIC_KEY": "k",
    "LANGFUSE_SECRET_KEY": "k",
    "LANGSMITH_TRACING": "false",
    "OPENAI_API_KEY": "k",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
}
_IDS = {"traceId", "spanId", "parentSpanId"}


@dataclass(frozen=True, slots=True)
class Recording:
    """The last request that the provider got, and each request of OTLP, as its JSON has it."""

    sent: Any
    spans: list[Any]

    def save(self, path: Path) -> None:
        """Write a file that is the same for the same recording."""
        body = json.dumps({"sent": self.sent, "spans": self.spans}, separators=(",", ":"))
        path.write_bytes(gzip.compress(body.encode(), mtime=0))

    @staticmethod
    def load(path: Path) -> "Recording":
        """Return the recording in a file."""
        return Recording(**json.loads(gzip.decompress(path.read_bytes())))


def record(python: Path, traced: Traced) -> Recording:
    """Run a program, in the environment of `python`."""
    provider, spans = Provider(), list[Any]()

    def answer(path: str, body: bytes) -> tuple[str, bytes]:
        if path.endswith("/v1/traces"):
            spans.append(_as_json(ExportTraceServiceRequest.FromString(body)))
            return "application/x-protobuf", b""
        return provider.answer(path, json.loads(body))

    with served(answer) as url:
        own = {
            "LANGFUSE_BASE_URL": url,
            "OPENAI_BASE_URL": f"{url}/v1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        }
        program = f"tests.extensions.traces.traced.programs.{traced.agent}"
        subprocess.run(
            [python, "-m", program, traced.instrumentation, traced.api, traced.mode],
            cwd=ROOT,
            env={**os.environ, **SETTINGS, **own},
            check=True,
            timeout=300,
        )
    assert spans, "nothing was traced"
    text = json.dumps(spans).replace(json.dumps(socket.gethostname()), '"host"')
    for path in (python.parents[1], ROOT):
        text = text.replace(f"{path}/", "")
    return Recording(provider.requests[-1], json.loads(text))


def _as_json(request: ExportTraceServiceRequest) -> Any:
    """Return a request in OTLP's JSON: as protobuf's, but for ids in hexadecimal."""
    return _with_ids(MessageToDict(request, use_integers_for_enums=True))


def _with_ids(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: b64decode(inner).hex() if key in _IDS else _with_ids(inner)
                for key, inner in value.items()
            }
        case list():
            return list(map(_with_ids, value))
        case _:
            return value
