"""A processor of the Agents SDK's traces: what its sessions do not say."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.tracing import (
    GenerationSpanData,
    GuardrailSpanData,
    HandoffSpanData,
    ResponseSpanData,
    Span,
    Trace,
    TracingProcessor,
)
from typing_extensions import override

from agentlog_client import Recorder
from agentlog_client.operation import Json

_FIGURES = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
}
_DETAILS = {
    ("input_tokens_details", "cached_tokens"): "cachedInputTokens",
    ("output_tokens_details", "reasoning_tokens"): "reasoningTokens",
}


class AgentlogTracingProcessor(TracingProcessor):
    """Records model calls with usage and time, errors, handoffs and tripped guardrails of traces.

    A trace is recorded into the thread that its `group_id` names: give it the id of the session.
    Without one the trace's own id names it. It records by a `Recorder`, which never stops an agent.
    """

    def __init__(
        self, *, url: str | None = None, key: str | None = None, spool: Path | str | None = None
    ) -> None:
        self._url, self._key, self._spool = url, key, spool
        self._first: Recorder | None = None
        self._recorders: dict[str, Recorder] = {}

    @override
    def on_trace_start(self, trace: Trace) -> None:
        thread = (trace.export() or {}).get("group_id") or trace.trace_id
        if self._first is None:
            recorder = Recorder(thread, url=self._url, key=self._key, spool=self._spool)
            self._first = recorder
        else:
            recorder = Recorder(thread, beside=self._first)
        self._recorders[trace.trace_id] = recorder

    @override
    def on_trace_end(self, trace: Trace) -> None:
        self._recorders.pop(trace.trace_id, None)

    @override
    def on_span_start(self, span: Span[Any]) -> None:
        pass

    @override
    def on_span_end(self, span: Span[Any]) -> None:
        recorder = self._recorders.get(span.trace_id)
        if recorder is None:
            return
        match span.span_data:
            case GenerationSpanData() | ResponseSpanData() as data:
                recorder.response(id=span.span_id, **_response(data), **_latency(span))
            case HandoffSpanData() as data:
                payload = {"from": data.from_agent, "to": data.to_agent}
                recorder.record({"id": span.span_id, "type": "agents.handoff", "payload": payload})
            case GuardrailSpanData(triggered=True) as data:
                recorder.record(
                    {"id": span.span_id, "type": "agents.guardrail", "payload": {"name": data.name}}
                )
            case _:
                pass
        if span.error is not None:
            details = span.error.get("data")
            text = span.error["message"] if not details else f"{span.error['message']}: {details}"
            recorder.error(text, id=f"{span.span_id}/error")

    @override
    def force_flush(self) -> None:
        if self._first is not None:
            self._first.flush()

    @override
    def shutdown(self) -> None:
        if self._first is not None:
            self._first.close()


def _response(data: GenerationSpanData | ResponseSpanData) -> dict[str, Json]:
    """Return model and figures of an answer, as far as they are known."""
    fields: dict[str, Json] = {}
    usage: Any = data.usage
    if isinstance(data, ResponseSpanData):
        if data.response is not None:
            fields["model"] = data.response.model
            usage = data.response.usage or usage
    elif data.model is not None:
        fields["model"] = data.model
    if figures := _figures(usage):
        fields["usage"] = figures
    return fields


def _figures(usage: Any) -> dict[str, int]:  # noqa: ANN401 - a dict, or an object of openai
    given: Mapping[str, Any] = usage.model_dump() if hasattr(usage, "model_dump") else usage or {}
    figures = {ours: given.get(theirs) for theirs, ours in _FIGURES.items()}
    for (part, name), ours in _DETAILS.items():
        figures[ours] = (given.get(part) or {}).get(name)
    return {name: count for name, count in figures.items() if isinstance(count, int)}


def _latency(span: Span[Any]) -> dict[str, Json]:
    if span.started_at is None or span.ended_at is None:
        return {}
    took = datetime.fromisoformat(span.ended_at) - datetime.fromisoformat(span.started_at)
    return {"latencyMs": round(took.total_seconds() * 1000)}
