"""Names in Claude Code's session files, and how they tell lines apart."""

import re

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.readers.messages.anthropic import KNOWN as OF_BLOCKS
from agentlog.projections.readers.messages.anthropic import text_of
from agentlog.projections.view import Item

FACTS = ("sessionId", "cwd", "version", "gitBranch", "entrypoint", "userType")
"""Fields that are the same on most lines: facts of the thread."""

KNOWN = OF_BLOCKS.union(
    """
    agentId apiBlockIndex apiErrorStatus attachment compactMetadata cwd effort entrypoint error
    gitBranch id isApiErrorMessage isCompactSummary isMeta isSidechain isVisibleInTranscriptOnly
    level logicalParentUuid madeBy maxRetries message model origin parentUuid perTurnEffort
    permissionDecision permissionMode promptCacheRequested promptId promptSource rendered
    renderedBesideToolResult renderedRole requestId requestRef requestedModel retryAttempt
    retryInMs sandboxed sessionId slug sourceToolAssistantUUID stop_reason subtype
    thinkingDisplay thinkingDurationMs timestamp toolDenialKind toolInputStreamMs toolUseResult
    turnOrigin turnPosition userType uuid version
    """.split()
)
"""Fields of lines that are kept beside as a matter of course."""

KINDS = frozenset(
    """
    agent-name ai-title api-request api-request-blob api-request-shape atis-latch attachment
    cost-state costState custom-title file-history-delta file-history-snapshot last-prompt mode
    permission-mode pr-link progress queue-operation result summary system tools-used worktree-state
    """.split()
)
"""Kinds of lines that are no messages, and are kept whole."""

_WRITTEN = re.compile(
    r"<(command-|local-command-|bash-std|system-reminder>|task-notification>)"
    r"|\[Request interrupted by user"
)


def is_scaffold(line: Item) -> bool:
    """Return whether the program wrote all of a user's line."""
    return line.get("isMeta") is True or line.get("isCompactSummary") is True


def is_written(text: str) -> bool:
    """Return whether the program wrote a text that stands as the user's."""
    return _WRITTEN.match(text) is not None


def is_text(content: JsonValue) -> bool:
    """Return whether a content is nothing but texts."""
    blocks = array_of(content)
    return bool(blocks) and all(map(_is_plain_text, blocks))


def _is_plain_text(block: JsonValue) -> bool:
    match block:
        case {"type": "text", "text": str(), **rest}:
            return not rest
        case _:
            return False


def decision(line: Item, result: Item) -> Item | None:
    """Return what a person decided about the call of a result, None if no person was asked."""
    match line:
        case {"permissionDecision": {"decision": "accept", "source": str(source)}} if (
            source.startswith("user")
        ):
            return {"approved": True}
        case {"permissionDecision": {"decision": "reject", "source": str(source)}} if (
            source.startswith("user")
        ):
            pass
        case {"toolDenialKind": "user-rejected"} | {"toolUseResult": "User rejected tool use"}:
            pass
        case _:
            return None
    reason = text_of(result.get("content"))
    return {"approved": False, **({"reason": reason} if reason else {})}


def results_in(content: JsonValue) -> list[Item]:
    """Return the results of calls in the content of a user's line."""
    return [
        part
        for part in (array_of(content))
        if isinstance(part, dict)
        and part.get("type") == "tool_result"
        and isinstance(part.get("tool_use_id"), str)
    ]


def failure(error: JsonValue) -> str | None:
    """Return the message in an API's error, which may stand several objects deep."""
    while isinstance(error, dict):
        if isinstance(error.get("message"), str):
            return str(error["message"])
        error = error.get("error") or error.get("cause")
    return error if isinstance(error, str) else None


def thread_of(line: Item) -> str | None:
    """Return the thread of a line: its session, or the sub-agent in it."""
    match line:
        case {"sessionId": str(session), "agentId": str(agent), "isSidechain": True} if session:
            return worker_thread(session, agent)
        case {"sessionId": str(session)} if session:
            return session
        case _:
            return None


def worker_thread(session: str, agent: str) -> str:
    """Return the thread of a sub-agent."""
    return f"{session}:{agent}"


def is_line(value: JsonValue) -> bool:
    """Return whether a value is a line of a session file."""
    match value:
        case {"type": str(), "sessionId": str(), "uuid": str(), "parentUuid": _}:
            return True
        case {"type": "user" | "assistant", "sessionId": str(), "message": {"content": _}}:
            return True
        case {
            "type": "user" | "assistant" as kind,
            "message": {"role": str(role), "content": _},
            **line,
        } if "sessionId" not in line and "id" not in line:  # trimmed, or exported
            return role == kind
        case {"type": str(kind), "sessionId": str()}:
            return kind in KINDS
        case {"type": "summary", "summary": str(), "leafUuid": str()}:
            return True
        case {"type": "file-history-snapshot", "messageId": str(), "snapshot": dict()}:
            return True
        case _:
            return False


def is_of_qwen(value: JsonValue) -> bool:
    """Return whether a value is a line of Qwen Code's, which has Gemini's contents."""
    match value:
        case {"message": {"parts": list()}}:
            return True
        case _:
            return False
