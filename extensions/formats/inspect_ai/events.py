"""Events of an inspect_ai sample: answers of models, approvals, and what happened besides."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue
from agentlog.extensions.formats.inspect_ai.messages import call_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at
from agentlog.projections.readers.reading import Entry
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_FRAMES = frozenset(
    {"span_begin", "span_end", "step", "branch", "anchor", "checkpoint", "subtask", "sample_init"}
)
_HAPPENINGS = frozenset(
    {"compaction", "error", "info", "input", "interrupt", "logger", "sample_limit", "sandbox"}
)
_STATES = frozenset({"state", "store", "score", "score_edit"})
_KINDS = _FRAMES | _HAPPENINGS | _STATES | {"approval", "model", "tool"}
"""Kinds of events that are kept whole: calls of tools of a run inside the sample, those of models
that failed, decisions of programs."""

_OF_EVENTS = frozenset(
    """
    agent agent_span_id approver arguments cache call call_refs completed config decision error
    event explanation failed function id input message message_id metadata model modified output
    parent_id pending result retries role span_id timestamp tool_choice tools traceback
    traceback_ansi truncated type uuid view working_start working_time
    """.split()
)
_OF_MESSAGES = frozenset(
    """
    cache_breakpoint citations content context data detail document format internal parse_error
    redacted refusal signature source summary tool_call_id tool_type
    """.split()
)
_OF_SAMPLES = frozenset(
    """
    attachments choices completed_at description epoch error_retries events_data
    events_data.messages files invalidation limit message_limit metadata model_fallbacks
    model_usage role_usage sandbox scores setup started_at store target time_limit timelines
    token_limit token_limit_type token_limit_usage total_time transcript turn_count working_limit
    """.split()
)
_OF_LOGS = frozenset(
    """
    config_updates error eval invalidated log_updates metadata reductions results stats status
    tags
    """.split()
)
KNOWN = _OF_EVENTS | _OF_MESSAGES | _OF_SAMPLES | _OF_LOGS
"""Fields that are kept beside their message as a matter of course."""

_APPROVED: Mapping[JsonValue, bool] = {
    "approve": True,
    "modify": True,
    "reject": False,
    "terminate": False,
}
FIGURES = TokenWords(
    "input_tokens",
    "output_tokens",
    "total_tokens",
    read="input_tokens_cache_read",
    written="input_tokens_cache_write",
    thoughts="reasoning_tokens",
    cache_beside=True,
)
"""Cached tokens are not among inspect_ai's `input_tokens` (`ModelUsage`)."""


def read_event(entry: Entry, event: Fields) -> None:
    """Add the messages for an event that no message came of."""
    match event.item:
        case {"event": "model", "output": {"choices": [_, *_]}}:
            entry.add(response(event), event)
        case {
            "event": "approval",
            "approver": str(approver),
            "call": asked,
            "decision": str(decision),
        } if (
            (call := call_of(asked)) is not None
            and decision in _APPROVED
            and approver.rpartition("/")[2] == "human"
        ):
            request = {"callId": call.id, "tool": call.function, "args": call.arguments}
            entry.add({"type": "approval_request", **request}, event)
            approved = _APPROVED[decision]
            answer: Draft = {"type": "approval_response", "callId": call.id, "approved": approved}
            reason = event.item.get("explanation")
            entry.add({**answer, "reason": reason} if isinstance(reason, str) else answer)
        case {"event": str(kind)}:
            entry.keep(event, kind, is_known=kind in _KINDS)
        case _:
            entry.keep(event, "event")


def response(event: Fields) -> Draft:
    """Return the `llm_response` of a model event, of which it takes the figures.

    An answer from the cache has no usage: nothing was spent on it, and the log counts none.
    """
    called = event.text("model") or ""
    output = Fields(_object(event.take("output")), f"{event.place}.output")
    provider, _, bare = called.partition("/")
    draft: Draft = {"type": "llm_response", "model": output.text("model") or bare or called}
    if bare:
        draft["provider"] = provider
    if called and draft["model"] not in (bare, called):  # an alias was asked for
        event.put("model", called)
    if isinstance(reason := _finish_reason(output), str):
        draft["finishReason"] = reason
    if event.item.get("cache") != "read":
        draft |= _taken_usage(output)
    seconds = amount_at(event.item, "working_time")
    seconds = amount_at(output.item, "time") if seconds is None else seconds
    if seconds is not None:
        draft["latencyMs"] = round(seconds * 1000)
    if left := output.left():
        event.put("output", left)
    return draft


def _taken_usage(output: Fields) -> Draft:
    """Take the usage of an output, and return the `usage` and `costUsd` that it tells."""
    spent = output.item.get("usage")
    if not isinstance(spent, dict):
        return {}
    figures, counted = FIGURES.figures(spent), FIGURES.keys(spent)
    draft: Draft = {"usage": figures} if figures else {}
    if (cost := amount_at(spent, "total_cost")) is not None:
        draft["costUsd"] = cost
    output.take("usage")
    left: Item = {k: v for k, v in spent.items() if k not in counted and v is not None}
    if left:
        output.put("usage", left)
    return draft


def _finish_reason(output: Fields) -> JsonValue:
    """Return why the model stopped, from a whole output or one without its message."""
    match output.item:
        case {"stop_reason": str()}:
            return output.take("stop_reason")
        case {"choices": [{"stop_reason": str(reason)}, *_]}:
            return reason
        case _:
            return None


def _object(value: JsonValue) -> Item:
    return value if isinstance(value, dict) else {"value": value}
