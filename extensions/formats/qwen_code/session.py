"""Reader of Qwen Code's sessions, `~/.qwen/projects/*/chats/*.jsonl`; older ones are Gemini CLI's.

Shapes: `ChatRecord` in `packages/core/src/services/chatRecordingService.ts` of
github.com/QwenLM/qwen-code. A line has a content of Gemini's API, and names its parent; what was
rewound stays.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_at, object_of, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import answer_unnamed
from agentlog.projections.readers.messages.gemini import KNOWN, is_content, read_parts
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import GEMINI
from agentlog.projections.view import Item

_NAME = "qwen-code"
_KINDS = frozenset(
    """
    session_notes chat_compression slash_command ui_telemetry at_command attribution_snapshot
    notification background_task_completed cron mid_turn_user_message custom_title parent_session
    session_source session_execution_engine omni_recall session_model session_approval_mode rewind
    agent_bootstrap agent_launch_prompt agent_retry agent_session_ready file_history_snapshot
    user_text_elements session_artifact_event session_artifact_snapshot session_sources_snapshot
    branch_checkpoint goal_state goal_runtime goal_turn_end realtime_message turn_result
    """.split()
)
_KNOWN = frozenset(
    """
    uuid parentUuid sessionId timestamp type subtype cwd version gitBranch message usageMetadata
    model contextWindowSize toolCallResult systemPayload provenance goalContext backgroundTurn
    deliveredTurn promptId daemonPromptId agentId agentName agentColor isSidechain agentRunId
    agentRound externalInputKind forkedFrom role
    """.split()
) | frozenset(KNOWN)
_WRITTEN = frozenset({"notification", "background_task_completed", "cron", "goal_runtime"})
"""Kinds of lines of the user that a program wrote."""
_SPOKEN = ("user", "assistant", "tool_result")
_FACTS = {"cwd": "cwd", "version": "version", "gitBranch": "gitBranch"}


def _read(document: JsonValue) -> Iterator[History]:
    if not isinstance(document, list):
        raise InvalidMessage.at("", "no array of lines")
    session = _Session()
    for n, value in enumerate(document):
        session.add_line(Fields(value, f"[{n}]"))
    answer_unnamed(session.drafts)
    yield session.history(id=session.own_id, parent=session.parent, metadata=session.facts)


class _Session(Reading):
    """The messages of a session; `facts` are what its lines say of it."""

    def __init__(self) -> None:
        super().__init__(_NAME, known=_KNOWN)
        self.own_id: str | None = None
        self.parent: str | None = None
        self.facts: Item = {"agent": _NAME}
        self._seen = set[str]()

    def add_line(self, line: Fields) -> None:
        """Add the messages of a line."""
        self._note_facts(line)
        of_draft = line.time("timestamp")
        uuid = text_at(line.item, "uuid")
        message_id = id_of_uuid(uuid)
        if message_id is not None and message_id not in self._seen:
            self._seen.add(message_id)
            line.take("uuid")
            of_draft["id"] = message_id
        kind, content = line.item.get("type"), line.item.get("message")
        if kind == "assistant" and uuid:
            of_draft["metadata"] = {"responseId": uuid}
        entry = Entry(self, line, **of_draft)
        parts: JsonValue = None
        if kind in _SPOKEN and isinstance(content, dict) and is_content(content):
            line.take("type")
            message = line.inner("message") or line
            parts = message.take("parts")
        if kind == "assistant" and (response := _response(line)) is not None:
            entry.add(response)
        if parts is not None:
            is_written = text_at(line.item, "subtype") in _WRITTEN
            says = "reply" if kind == "assistant" else "system" if is_written else "input"
            first = len(self.drafts)
            read_parts(entry, parts, f"{line.within('message')}.parts", says)
            if kind == "tool_result":
                _judge(self.drafts[first:], object_at(line.item, "toolCallResult"))
        if not entry.count:
            name = text_at(line.item, "subtype") or (kind if isinstance(kind, str) else "line")
            is_known = name in _KINDS or kind in ("assistant", "user")
            entry.keep(line, name, is_known=is_known)

    def _note_facts(self, line: Fields) -> None:
        session, agent = text_at(line.item, "sessionId"), text_at(line.item, "agentId")
        if self.own_id is None and session is not None:
            self.own_id = session if agent is None else f"{session}:{agent}"
            self.parent = None if agent is None else session
        if session is not None and session in (self.own_id, self.parent):
            line.take("sessionId")
        for theirs, ours in _FACTS.items():
            value = line.item.get(theirs)
            if isinstance(value, str) and self.facts.setdefault(ours, value) == value:
                line.take(theirs)
        match line.item:
            case {"systemPayload": {"customTitle": str(title)}}:
                self.facts["title"] = title
            case {"systemPayload": {"parentSessionId": str(parent)}}:
                self.parent = parent
            case {"forkedFrom": {"sessionId": str(parent)}} if self.parent is None:
                self.parent = parent
            case _:
                pass


def _response(line: Fields) -> Draft | None:
    """Return the figures of an answer, None where it states none."""
    figures = GEMINI.figures(line.item.get("usageMetadata"))
    if not figures:
        return None
    model = text_at(line.item, "model")
    named: Draft = {} if model is None else {"model": model}
    return {"type": "llm_response", **named, "usage": figures}


def _judge(drafts: Sequence[Draft], outcome: Item) -> None:
    """Set the errors of results that only the line's own `toolCallResult` tells."""
    status, error = outcome.get("status"), text_at(object_at(outcome, "error"), "message")
    for result in (it for draft in drafts for it in objects_of(draft.get("results"))):
        if outcome.get("callId") not in (None, result.get("callId")) or result.get("error"):
            continue
        if status in ("error", "cancelled"):
            output = object_at(result, "output").get("output") or result.get("output")
            result["error"] = error or value_text(output or status)
        elif status == "success":
            result["error"] = None


def _is_line(value: JsonValue) -> bool:
    match value:
        case {"uuid": str(), "parentUuid": _, "sessionId": str(), "type": str(), **line}:
            has_payload = line.get("subtype") is not None and "systemPayload" in line
            return has_payload or is_content(object_of(value).get("message"))
        case _:
            return False


FORMAT = Format(_NAME, "Qwen Code sessions", _read, is_item=_is_line, unit="session")
