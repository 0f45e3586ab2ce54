"""What tracers name the fields of model calls and of tools' runs."""

from collections.abc import Mapping

from agentlog.extensions.traces.projections.readers.span import Kind

MODEL_ASKED = (*("gen_ai.request.model", "ai.model.id", "llm.request.model", "llm.model_name"),)
MODEL_ANSWERED = ("gen_ai.response.model", "ai.response.model", *MODEL_ASKED)
PROVIDER = (
    *("gen_ai.provider.name", "gen_ai.system", "ai.model.provider", "llm.provider", "llm.system"),
)
FINISH = ("gen_ai.response.finish_reason", "ai.response.finishReason", "llm.finish_reason")
AGENT = ("gen_ai.agent.name", "agent.name", "agent_name")
COST = ("operation.cost", "gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total")
STREAM = ("gen_ai.request.stream", "gen_ai.is_streaming", "gen_ai.request.is_stream", "stream")
MOST_TOKENS = (
    *("gen_ai.request.max_tokens", "ai.settings.maxTokens", "ai.settings.maxOutputTokens"),
    *("max_completion_tokens", "max_tokens"),
)
TEMPERATURE = ("gen_ai.request.temperature", "ai.settings.temperature", "temperature")

TOOL = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name", "tool_name")
CALL_ID = (
    *("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id", "tool_call_id"),
    *("call_id",),
)
ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "ai.toolCall.args", "ai.toolCall.input", "tool_arguments"),
    *("tool_call.function.arguments", "gen_ai.tool.arguments", "gen_ai.tool.input"),
    *("gen_ai.prompt", "mlflow.spanInputs", "traceloop.entity.input", "input.value"),
    *("input", "inputs", "arguments"),
)
RESULT = (
    *("gen_ai.tool.call.result", "ai.toolCall.result", "ai.toolCall.output", "tool_response"),
    *("gen_ai.tool.result", "gen_ai.tool.output", "gen_ai.completion", "mlflow.spanOutputs"),
    *("traceloop.entity.output", "output.value", "output", "outputs", "result"),
)

KIND_KEYS = (
    *("gen_ai.operation.name", "ai.operationId", "langsmith.span.kind", "mlflow.spanType"),
    *("openinference.span.kind", "genkit:metadata:subtype", "operation.name", "llm.request.type"),
    *("traceloop.span.kind", "gen_ai.span.kind", "lmnr.span.type", "braintrust.span_attributes"),
    *("span.type", "codex.tool.phase"),
)
"""Attributes that say the kind of a span, those that say most first."""

KINDS: Mapping[str, Kind] = {
    "agent": "agent",
    "chain": "other",
    "chat": "chat",
    "chat_model": "chat",
    "completion": "chat",
    "create_agent": "other",
    "dispatch": "tool",
    "dogenerate": "chat",
    "dostream": "chat",
    "embed": "other",
    "embedding": "other",
    "embeddings": "other",
    "execute_tool": "tool",
    "generate_content": "chat",
    "generateobject": "agent",
    "generatetext": "agent",
    "interaction": "agent",
    "invoke_agent": "agent",
    "invoke_workflow": "agent",
    "llm": "chat",
    "llm_call": "chat",
    "llm_request": "chat",
    "model": "chat",
    "rerank": "other",
    "retriever": "other",
    "streamobject": "agent",
    "streamtext": "agent",
    "text_completion": "chat",
    "tool": "tool",
    "tool_call": "tool",
    "toolcall": "tool",
    "util": "other",
    "workflow": "agent",
}
"""What the last word of such an attribute means."""
