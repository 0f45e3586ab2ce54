"""Shapes that the Letta client accepts: one per `message_type`, after letta-client 1.12.1.

The client silently turns an item that fails its validation into a `SystemMessage`. So items not
made by the view itself (from a residue, or the payload of a custom message) are checked against
these shapes first. They are as strict as JSON allows; extra keys pass, as in the client.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from agentlog.domain.json.values import JsonValue

STREAM_ONLY = frozenset({"error_message", "stop_reason", "usage_statistics"})
"""Types that only a stream has."""

LIST_ONLY = frozenset({"event_message", "summary_message"})
"""Types that only a list has."""

# accepted by both `fromisoformat` and the client: date and time, zone optional
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def read_date(text: JsonValue) -> datetime | None:
    """Return the time in an ISO 8601 text, or None; the zone is optional."""
    if not isinstance(text, str) or not _DATE.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def fits(item: JsonValue) -> bool:
    """Return whether the client parses `item` as the class of its `message_type`."""
    match item:
        case {"message_type": str(kind)} if kind in _SHAPES:
            try:
                _SHAPES[kind].model_validate(item)
            except ValidationError:
                return False
            return True
        case _:
            return False


def _is_date(text: str) -> str:
    if read_date(text) is None:
        raise ValueError("not an ISO 8601 time")
    return text


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", protected_namespaces=())


class _Listed(_Shape):
    id: str
    date: Annotated[str, AfterValidator(_is_date)]
    name: str | None = None
    otid: str | None = None
    sender_id: str | None = None
    step_id: str | None = None
    run_id: str | None = None
    is_err: bool | None = None
    seq_id: int | None = None


class _Text(_Shape):
    text: str
    signature: str | None = None
    type: Literal["text"] | None = None


class _UrlSource(_Shape):
    url: str
    type: Literal["url"]


class _Base64Source(_Shape):
    data: str
    media_type: str
    detail: str | None = None
    type: Literal["base64"]


class _LettaSource(_Shape):
    file_id: str
    data: str | None = None
    detail: str | None = None
    media_type: str | None = None
    type: Literal["letta"]


class _Image(_Shape):
    source: Annotated[_UrlSource | _Base64Source | _LettaSource, Field(discriminator="type")]
    type: Literal["image"] | None = None


class _Call(_Shape):
    tool_call_id: str
    name: str
    arguments: str


class _CallDelta(_Shape):
    tool_call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class _Return(_Shape):
    tool_call_id: str
    status: Literal["success", "error"]
    tool_return: str | list[_Text | _Image]
    stdout: list[str] | None = None
    stderr: list[str] | None = None
    type: Literal["tool"] | None = None


class _Approval(_Shape):
    tool_call_id: str
    approve: bool
    reason: str | None = None
    type: Literal["approval"] | None = None


class _System(_Listed):
    message_type: Literal["system_message"]
    content: str


class _User(_Listed):
    message_type: Literal["user_message"]
    content: str | list[_Text | _Image]


class _Assistant(_Listed):
    message_type: Literal["assistant_message"]
    content: str | list[_Text]


class _Reasoning(_Listed):
    message_type: Literal["reasoning_message"]
    reasoning: str
    source: Literal["reasoner_model", "non_reasoner_model"] | None = None
    signature: str | None = None


class _HiddenReasoning(_Listed):
    message_type: Literal["hidden_reasoning_message"]
    state: Literal["redacted", "omitted"]
    hidden_reasoning: str | None = None


class _ToolCall(_Listed):
    message_type: Literal["tool_call_message", "approval_request_message"]
    tool_call: _Call
    tool_calls: list[_Call] | _CallDelta | None = None


class _ToolReturn(_Listed):
    message_type: Literal["tool_return_message"]
    tool_return: str
    status: Literal["success", "error"]
    tool_call_id: str
    stdout: list[str] | None = None
    stderr: list[str] | None = None
    tool_returns: list[_Return] | None = None


class _ApprovalResponse(_Listed):
    message_type: Literal["approval_response_message"]
    approvals: list[_Approval | _Return] | None = None
    approve: bool | None = None
    approval_request_id: str | None = None
    reason: str | None = None


class _Compaction(_Shape):
    context_window: int
    messages_count_after: int
    messages_count_before: int
    trigger: str
    context_tokens_after: int | None = None
    context_tokens_before: int | None = None


class _Summary(_Listed):
    message_type: Literal["summary_message"]
    summary: str
    compaction_stats: _Compaction | None = None


class _Event(_Listed):
    message_type: Literal["event_message"]
    event_type: Literal["compaction"]
    event_data: dict[str, JsonValue]


class _Error(_Shape):
    message_type: Literal["error_message"]
    run_id: str
    error_type: str
    message: str
    detail: str | None = None
    seq_id: int | None = None


class _Stop(_Shape):
    message_type: Literal["stop_reason"]
    stop_reason: Literal[
        "end_turn",
        "error",
        "llm_api_error",
        "invalid_llm_response",
        "invalid_tool_call",
        "max_steps",
        "max_tokens_exceeded",
        "no_tool_call",
        "tool_rule",
        "cancelled",
        "insufficient_credits",
        "requires_approval",
        "context_window_overflow_in_system_prompt",
    ]


class _Usage(_Shape):
    message_type: Literal["usage_statistics"]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    step_count: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    context_tokens: int | None = None
    run_ids: list[str] | None = None


_SHAPES: Mapping[str, type[_Shape]] = {
    "system_message": _System,
    "user_message": _User,
    "assistant_message": _Assistant,
    "reasoning_message": _Reasoning,
    "hidden_reasoning_message": _HiddenReasoning,
    "tool_call_message": _ToolCall,
    "approval_request_message": _ToolCall,
    "tool_return_message": _ToolReturn,
    "approval_response_message": _ApprovalResponse,
    "summary_message": _Summary,
    "event_message": _Event,
    "error_message": _Error,
    "stop_reason": _Stop,
    "usage_statistics": _Usage,
}
