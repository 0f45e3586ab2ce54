"""Names in Codex's rollouts, and what its events say of calls and figures."""

import json
import re
from collections.abc import Iterator

from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import JsonValue, integer_at, object_at
from agentlog.extensions.formats.workers import came_back
from agentlog.projections.readers.messages.responses_items import KNOWN as OF_ITEMS
from agentlog.projections.readers.messages.responses_items import is_of_model
from agentlog.projections.token_words import RESPONSES
from agentlog.projections.view import Item

LINES = frozenset(
    """
    compacted event_msg inter_agent_communication inter_agent_communication_metadata
    response_item security_risk_score session_meta state token_usage_record turn_context
    world_state
    """.split()
)
EVENTS = frozenset(
    """
    agent_message agent_reasoning agent_reasoning_raw_content collab_close_end
    collab_waiting_end context_compacted entered_review_mode exec_approval_request
    exec_command_end exited_review_mode item_completed mcp_tool_call_end patch_apply_end
    task_complete task_started thread_goal_updated thread_rolled_back thread_settings_applied
    token_count turn_aborted user_message web_search_end
    """.split()
)
"""Events that are kept whole: they repeat items, or tell what no message has."""

KNOWN = OF_ITEMS.union(
    """
    base_instructions git internal_chat_message_metadata_passthrough instructions line metadata
    ordinal payload timestamp
    """.split()
)
"""Fields of lines and items that are kept beside as a matter of course."""

_FACTS = {
    "cwd": "cwd",
    "cli_version": "version",
    "originator": "originator",
    "source": "source",
    "model_provider": "provider",
    "forked_from_id": "forkedFrom",
    "agent_nickname": "nickname",
    "agent_role": "role",
}
_FIGURES = RESPONSES._replace(
    read=f"cached_input_tokens {RESPONSES.read}",
    thoughts=f"reasoning_output_tokens {RESPONSES.thoughts}",
)
_WRITTEN = re.compile(
    r"<(environment_context|user_instructions|turn_aborted|subagent_notification|skill|INSTRUCTIONS)>"
    r"|# AGENTS\.md instructions"
)
_EXIT = re.compile(
    r"(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?Process exited with code (?P<new>-?\d+)\n"
    r"|Exit code: (?P<old>-?\d+)\n"
)


def is_written(item: Item) -> bool:
    """Return whether Codex wrote the texts of a user's message."""
    if item.get("role") != "user":
        return False
    match item.get("internal_chat_message_metadata_passthrough"):
        case {"content_item_kinds": [*kinds]} if kinds:
            return not any(isinstance(kind, str) and kind.startswith("user.") for kind in kinds)
        case _:
            pass
    match item.get("content"):
        case [{"text": str(text)}, *_]:
            return _WRITTEN.match(text) is not None
        case _:
            return False


def figures(given: JsonValue) -> Item:
    """Return the token figures of a call of the model."""
    return _FIGURES.figures(given)


def ended(payload: Item) -> tuple[str, Item] | None:
    """Return the call that an event ends, and its `error`; None where it says neither."""
    match payload:
        case {"type": "item_completed", "item": {"type": "CommandExecution", "id": str(i)}}:
            return i, error_of(object_at(payload, "item"))
        case {"type": "exec_command_end", "call_id": str(i)}:
            return i, error_of(payload)
        case {"type": "patch_apply_end", "call_id": str(i), "success": bool(well)}:
            return i, {"error": None if well else "failed"}
        case {"type": "mcp_tool_call_end", "call_id": str(i), "result": {"Err": error}}:
            return i, {"error": error if isinstance(error, str) else "failed"}
        case {"type": "mcp_tool_call_end", "call_id": str(i), "result": {"Ok": {**rest}}}:
            return i, {"error": "failed" if rest.get("is_error") is True else None}
        case _:
            return None


def error_of(end: Item) -> Item:
    """Return the `error` of a command that ended; empty where nothing is said."""
    code, status = integer_at(end, "exit_code"), end.get("status")
    if code is not None:
        return {"error": f"exit code {code}" if code else None}
    if status in ("failed", "declined"):
        return {"error": status}
    return {}


def error_in(output: JsonValue) -> Item:
    """Return the `error` that the head of a command's output tells."""
    if not isinstance(output, str):
        return {}
    if (match := _EXIT.match(output)) is not None:
        return error_of({"exit_code": int(match["new"] or match["old"])})
    if output.startswith('{"output"'):
        try:
            match json.loads(output):
                case {"metadata": {"exit_code": int(code)}}:
                    return error_of({"exit_code": code})
                case _:
                    return {}
        except (ValueError, RecursionError):
            return {}
    return {}


def worker_in(payload: Item) -> Item | None:
    """Return the fields of the sub-agent that an event tells to have started."""
    match payload:
        case {"type": "collab_agent_spawn_end", "new_thread_id": str(thread), **rest}:
            pass
        case {
            "type": "item_completed",
            "item": {
                "type": "CollabAgentToolCall",
                "tool": "spawnAgent",
                "receiver_thread_ids": [str(thread)],
                **rest,
            },
        }:
            pass
        case _:
            return None
    prompt, model = rest.get("prompt"), rest.get("model")
    if not is_thread_id(thread) or not isinstance(prompt, str):
        return None
    sent: Item = {"workerId": thread, "objective": prompt, "threadId": thread}
    return {**sent, "model": model} if isinstance(model, str) else sent


def workers_ended(payload: Item) -> Iterator[tuple[str, Item]]:
    """Yield the sub-agents that an event tells to have ended, and what they came back with."""
    match payload:
        case {"type": "collab_close_end", "receiver_thread_id": str(thread), "status": status}:
            states: Item = {thread: status}
        case {"type": "item_completed", "item": {"agents_states": dict(states)}}:
            pass
        case {"type": "collab_waiting_end", "statuses": dict(states)}:
            pass
        case _:
            return
    for thread, state in states.items():
        match state:
            case {"completed": text} | {"status": "completed", "message": text}:
                yield thread, came_back(text, "completed")
            case {"errored": text} | {"status": "errored", "message": text}:
                yield thread, came_back(text, "errored")
            case _:
                pass


def facts_of(meta: Item) -> Item:
    """Return what the first line says of the thread."""
    facts = {ours: meta[key] for key, ours in _FACTS.items() if isinstance(meta.get(key), str)}
    match meta.get("git"):
        case {"branch": str(branch)}:
            return {**facts, "gitBranch": branch}
        case _:
            return facts


def parent_of(meta: Item) -> str | None:
    """Return the thread that sent off a sub-agent."""
    match meta:
        case {"source": {"subagent": {"thread_spawn": {"parent_thread_id": str(parent)}}}}:
            return parent
        case {"parent_thread_id": str(parent)}:
            return parent
        case _:
            return None


def instructions_in(meta: Item) -> tuple[str | None, Item]:
    """Return the instructions in a first line, None where there are none, and the rest of it."""
    match meta:
        case {"base_instructions": {"text": str(text)}, **rest} if text.strip():
            more = {**object_at(meta, "base_instructions")}
            del more["text"]
            return text, {**rest, "base_instructions": more} if more else rest
        case {"instructions": str(text), **rest} if text.strip():
            return text, rest
        case _:
            return None, meta


def is_kind(kind: str) -> bool:
    """Return whether a line without envelope is an item, by its type."""
    return kind == "message" or kind.endswith("_output") or is_of_model({"type": kind})


def is_line(value: JsonValue) -> bool:
    """Return whether a value is a line of a rollout, new or old."""
    match value:
        case {"type": str(kind), "payload": dict()}:
            return kind in LINES
        case {"record_type": "state", **rest}:
            return not rest
        case {"id": str(), "timestamp": str(), **rest}:
            return rest.keys() <= {"instructions", "git"}
        case _:
            return False
