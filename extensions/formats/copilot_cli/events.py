"""Events of Copilot CLI: their kinds and fields, and what single ones come to.

Names are those of `session-events.ts` of github.com/github/copilot-sdk. An event has `type`,
`data`, `id`, `timestamp` and the `parentId` of the event before it; one of a sub-agent has its
`agentId`, in old files the `parentToolCallId` of the call that sent it off.
"""

from agentlog.domain.json.values import JsonValue, array_of, object_at, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of
from agentlog.projections.readers.reading import Entry
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

KINDS = frozenset(
    """
    session.start session.resume session.error session.warning session.info
    session.remote_steerable_changed session.schedule_created
    session.schedule_cancelled session.schedule_rearmed session.autopilot_objective_changed
    session.model_change session.mode_changed session.session_limits_changed
    session.permissions_changed session.plan_changed session.workspace_file_changed session.handoff
    session.truncation session.snapshot_rewind session.shutdown session.usage_checkpoint
    session.context_changed session.context_cleared session.compaction_start
    session.compaction_complete session.task_complete session.title_changed session.binary_asset
    session.auto_mode_resolved session.canvas.recorded session.canvas.removed
    user.message assistant.turn_start assistant.turn_end assistant.reasoning assistant.message
    abort tool.user_requested tool.execution_start tool.execution_complete tool_search.activated
    skill.invoked subagent.started subagent.completed subagent.failed subagent.selected
    subagent.deselected hook.start hook.end system.message system.notification permission.requested
    permission.completed external_tool.requested external_tool.completed
    """.split()
)
"""Kinds that are written to files; those that are only printed have `ephemeral`."""
KNOWN = frozenset(
    """
    id parentId ephemeral agentId interactionId turnId messageId transformedContent attachments
    source agentMode reasoningOpaque encryptedContent reasoningWireField phase parentToolCallId
    toolTelemetry model apiCallId requestId serviceRequestId clientRequestId result toolName
    toolRequests toolDescription mcpServerName mcpToolName isUserRequested intentionSummary
    toolTitle type data infoType warningType errorType errorCode stack statusCode url
    providerCallId rte originatingMessageId detailedContent contents binaryResultsForLlm mcpMeta
    structuredContent uiResource citableSources citations serverTools chunkCount chunkIndex
    delivery isAutopilotContinuation nativeDocumentPathFallbackPaths parentAgentTaskId success
    supportedNativeDocumentMimeTypes sandboxed error code role name metadata outputTokens
    preCompactionTokens preCompactionMessagesLength messagesRemoved postCompactionTokens trigger
    checkpointNumber checkpointPath compactionTokensUsed customInstructions systemTokens
    conversationTokens toolDefinitionsTokens tokensRemoved tokenLimit
    """.split()
)
"""Fields of events that are read, kept beside their messages as a matter of course."""
_FIGURES = TokenWords(
    "inputTokens input",
    "outputTokens output",
    read="cacheReadTokens cachedInput",
    written="cacheWriteTokens",
    thoughts="reasoningTokens",
)


def figures_of(counts: JsonValue) -> Item:
    """Return token figures; the input has what was read from caches and written to them."""
    return _FIGURES.figures(counts)


def opened(event: Fields, *taken: str) -> Fields:
    """Take the type of an event, and fields of its data, which keeps the rest of them."""
    event.take("type")
    data = event.inner("data") or event
    data.drop(*taken)
    return data


def add_input(entry: Entry, data: Fields) -> None:
    """Add what the user said, with the files in it; what a program said for him is `system`."""
    text, files = data.text("content"), list[JsonValue]()
    left: list[JsonValue] = []
    for attached in array_of(data.item.get("attachments")):
        file = _file(attached)
        if file is None:
            left.append(attached)
        else:
            files.append(file)
    if text_at(data.item, "source") not in {None, "user"}:
        entry.add({"type": "system", "text": text})
        return
    if files:
        data.take("attachments")
        if left:
            data.put("attachments", left)
    entry.add({"type": "input", "text": text, **({"files": files} if files else {})})


def _file(attached: JsonValue) -> Item | None:
    match attached:
        case {"type": "blob", "data": data, "mimeType": mime, "displayName": str(name), **rest}:
            return None if rest else file_of(data, mime, name)
        case {"type": "blob", "data": data, "mimeType": mime, **rest}:
            return None if rest else file_of(data, mime)
        case _:
            return None


def response_of(data: Fields, model: JsonValue) -> Draft:
    """Return the figures of an answer, of a model that it names or of the session's."""
    named = text_at(data.item, "model") or model
    draft: Draft = {"type": "llm_response", **({"model": named} if isinstance(named, str) else {})}
    draft |= data.texts({"finishReason": "finishReason"})
    if figures := figures_of(data.item):
        draft["usage"] = figures
    if (duration := data.amount("duration")) is not None:
        draft["latencyMs"] = duration
    return draft


def outcome_of(data: Fields) -> Item:
    """Take what a tool gave back: the text that the model was sent, else all of it."""
    match data.item.get("result"):
        case {"content": str(output)}:
            result = data.inner("result") or data
            result.take("content")
        case output:
            data.take("result")
    match data.item:
        case {"success": True}:
            data.take("success")
            return {"output": output, "error": None}
        case {"success": False, **rest}:
            error = text_at(object_at(rest, "error"), "message")
            return {"output": output, "error": error or value_text(rest.get("error") or output)}
        case _:
            return {"output": output}
