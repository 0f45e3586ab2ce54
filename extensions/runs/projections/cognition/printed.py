"""Inputs, decisions and errors of engines as JSON: `type`, then the fields by their names."""

from dataclasses import fields, is_dataclass

from agentlog.domain.cognition.decisions import (
    AgentDecision,
    ApprovalRequest,
    LLMRequest,
    RequestLLM,
    ToolCall,
    WorkerSpec,
)
from agentlog.domain.cognition.inputs import InputEvent, LLMUsage
from agentlog.domain.cognition.rules import CognitiveError
from agentlog.domain.json.values import JsonObject, JsonValue, object_of

_PARTS = ApprovalRequest | LLMRequest | LLMUsage | ToolCall | WorkerSpec
"""Values of which their field says what they are."""


def contract_json(value: InputEvent | AgentDecision | CognitiveError) -> JsonObject:
    """Return an input, a decision or an error as JSON."""
    if isinstance(value, CognitiveError):
        return {"type": type(value).__name__, "message": str(value)}
    return object_of(_json(value))


def recorded_json(decision: AgentDecision) -> JsonObject:
    """Return a recorded decision as JSON, without the prompt, which the log has not."""
    printed = contract_json(decision)
    if isinstance(decision, RequestLLM):
        object_of(printed["request"]).pop("context")
    return printed


def _json(value: object) -> JsonValue:
    if is_dataclass(value) and not isinstance(value, type):
        kind: JsonObject = {} if isinstance(value, _PARTS) else {"type": type(value).__name__}
        return {
            **kind,
            **{field.name: _json(getattr(value, field.name)) for field in fields(value)},
        }
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    return value  # type: ignore[return-value] # JSON, or refused when it is printed
