"""Reader of Copilot Chat's sessions, VS Code's `chatSessions/*.json`.

Shapes: `ISerializableChatData` in `src/vs/workbench/contrib/chat/common/chatModel.ts` of
github.com/microsoft/vscode; `result.metadata` is that of github.com/microsoft/vscode-copilot-chat
(`toolCallRounds`, `toolCallResults`). What a request's rounds say is read; without rounds, the
parts that the page shows.
"""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue, array_of, object_of, objects_of, texts_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import read_call
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_KNOWN = (
    "requestId message parts variableData response result followups agent isCanceled timestamp "
    "contentReferences codeCitations modelId responseId timings metadata details "
    "agentOrSlashCommandDetected slashCommand modelState codeBlocks id toolInputRetries "
    "statefulMarker thinking errorDetails usedContext responseMarkdownInfo confirmation "
    "editedFileEvents modeInfo kind renderedUserMessage renderedGlobalContext toolCallResults "
    "modelMessageId sessionId agentId toolInputRetry invocationMessage pastTenseMessage source "
    "isComplete isConfirmed toolCallId toolId toolSpecificData presentation resultDetails "
    "originMessage baseUri uris supportThemeIcons supportHtml isTrusted generatedTitle value "
    "content command summary cacheKey completedAt timeSpentWaiting usage promptTokens outputTokens "
    "phase"
).split()
_FACTS = {"customTitle": "title", "responderUsername": "responder", "initialLocation": "location"}
_LAST_TIME = 253_402_300_799_999


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    requests = whole.objects("requests")
    own_id = whole.text("sessionId")
    facts: Item = {"agent": "copilot-chat", **whole.texts(_FACTS)}
    reading = Reading("copilot-chat", known=_KNOWN)
    for request in requests:
        _read_request(reading, request)
    with reading.by_content():
        if left := whole.left():
            reading.keep(Fields(left, ""), "session", is_known=True)
    yield reading.history(id=own_id or None, metadata=facts)


def _read_request(reading: Reading, request: Fields) -> None:
    of_draft: Draft = {}
    if (at := request.amount("timestamp")) is not None and at <= _LAST_TIME:
        of_draft["timestamp"] = round(at)
    match request.item.get("message"):
        case str() as text:
            request.take("message")
        case {"text": str(text)}:
            message = request.inner("message") or request
            message.take("text")
        case _:
            reading.keep(Fields(request.item, request.place), "request", of_draft=of_draft)
            return
    rounds = _rounds(request)
    parts = [] if rounds else list(request.items("response"))
    results = _results(request)
    reading.add({**of_draft, "type": "input", "text": text}, request)
    request_id = request.item.get("requestId")
    if isinstance(request_id, str) and request_id:
        of_draft = {**of_draft, "metadata": {"responseId": request_id}}
    if (response := _response(request.item)) is not None:
        reading.add({**of_draft, **response})
    for number, turn in enumerate(rounds):
        by_round = of_draft
        if "metadata" in of_draft:
            by_round = {**of_draft, "metadata": {"responseId": f"{request_id}-{number}"}}
        _read_round(reading, turn, results, by_round)
    for part in parts:
        _read_part(Entry(reading, part, **of_draft), part)
    match request.item.get("result"):
        case {"errorDetails": {"message": str(error)}} if error:
            reading.add({**of_draft, "type": "runtime_error", "error": error})
        case _:
            pass


def _rounds(request: Fields) -> list[Fields]:
    """Take the rounds of a request; what else its result says stays with it."""
    match request.item.get("result"):
        case {"metadata": {"toolCallRounds": [_, *_]}}:
            result = request.inner("result") or request
            metadata = result.inner("metadata") or result
            return list(metadata.items("toolCallRounds"))
        case _:
            return []


def _results(request: Fields) -> Item:
    match request.item.get("result"):
        case {"metadata": {"toolCallResults": dict(results)}}:
            return results
        case _:
            return {}


def _response(request: Item) -> Draft | None:
    """Return what is said of the answer; the files have no usage of each round."""
    draft: Draft = {}
    if isinstance(model := request.get("modelId"), str):
        draft["model"] = model
    match request.get("result"):
        case {"timings": {"totalElapsed": int(elapsed)}} if elapsed >= 0 and not isinstance(
            elapsed, bool
        ):
            draft["latencyMs"] = elapsed
        case _:
            pass
    return {"type": "llm_response", **draft} if draft else None


def _read_round(reading: Reading, fields: Fields, results: Item, of_draft: Draft) -> None:
    entry, thought = Entry(reading, fields, **of_draft), None
    match fields.item.get("thinking"):
        case {"text": str(text)} if text:
            thought = text
            (fields.inner("thinking") or fields).take("text")
        case _:
            pass
    calls, reply = list(fields.items("toolCalls")), fields.text("response")
    if thought is not None:
        entry.add({"type": "reasoning", "title": "", "summary": thought})
    if reply:
        entry.add({"type": "reply", "text": reply})
    for call in calls:
        read_call(entry, call)
    for call in calls:
        match call.item:
            case {"id": str(call_id), "name": str(name)} if call_id in results:
                result = {"callId": call_id, "name": name, "output": _output(results[call_id])}
                entry.add({"type": "tool_results", "results": [result]})
            case _:
                pass
    if not entry.count:
        entry.keep(Fields(fields.item, fields.place), "round", is_known=True)


def _output(result: JsonValue) -> JsonValue:
    """Return the text of a result; all of it stands with the request, or the part, too."""
    parts = result.get("content") if isinstance(result, dict) else result
    texts = texts_of([part.get("value") for part in objects_of(parts)])
    return "\n".join(texts) if texts and len(texts) == len(array_of(parts)) else result


def _read_part(entry: Entry, part: Fields) -> None:
    """Add what the page shows: a text, a thought, or a call that has ended."""
    match part.item:
        case {"kind": "thinking", "value": str(text)} if text:
            part.drop("kind", "value")
            entry.add({"type": "reasoning", "title": "", "summary": text})
        case {"kind": "markdownContent", "content": {"value": str(text)}} if text:
            entry.add({"type": "reply", "text": text})
        case {"value": str(text), **rest} if "kind" not in rest and text:
            part.take("value")
            entry.add({"type": "reply", "text": text})
        case {
            "kind": "toolInvocationSerialized",
            "toolCallId": str(call_id),
            "toolId": str(name),
        } if call_id:
            call: Item = {"id": call_id, "name": name}
            result: Item = {"callId": call_id, "name": name}
            output = part.item.get("resultDetails")
            match output:
                case {"input": str(given), "output": shown, **more}:
                    call["argumentsText"] = given
                    output = _output(shown)
                    if more.get("isError") is True:
                        result["error"] = value_text(output)
                case _:
                    pass
            entry.add({"type": "tool_calls", "calls": [call]})
            if part.item.get("isComplete") is True and output is not None:
                entry.add({"type": "tool_results", "results": [{**result, "output": output}]})
        case {"kind": str(kind)}:
            entry.keep(part, kind, is_known=True)
        case _:
            entry.keep(part, "part")


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"requests": list(), "version": int(), "responderUsername": _}:
            return True
        case {"requests": [_, *_] as requests, "version": int()}:
            return all("requestId" in object_of(request) for request in requests)
        case _:
            return False


FORMAT = Format("copilot-chat", "Copilot Chat sessions", _read, _is_document, unit="session")
