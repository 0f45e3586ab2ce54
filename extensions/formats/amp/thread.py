"""Reader of Amp's threads: `~/.local/share/amp/threads/T-*.json`, and `amp threads export`.

Shapes as the npm package `@sourcegraph/amp` reads and changes a thread. Messages have Anthropic's
blocks, with results of their own: `toolUseID`, and the `run` with its status. An edit of the user
replaces what came after. Old threads state the figures of their answers in `usageLedger` alone.
"""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.anthropic import draft_of, read_block
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "amp"
_KNOWN = frozenset(
    """
    v id created messages agentMode env meta nextMessageId relationships mainThreadID usageLedger
    originThreadID maxTokens draft autoSubmitDraft queuedMessages archived pendingNavigation
    creatorUserID ~debug role messageId userState fileMentions discoveredGuidanceFiles source state
    usage interrupted parentToolUseId originalToolUseInput signature provider type complete
    inputPartialJSON inputIncomplete sourcePath run userInput summary args toolRun hidden title
    status reason error progress trackFiles cache_control
    """.split()
)
_SAYS = {"user": "input", "assistant": "reply", "info": "system"}
_FIGURES = TokenWords(
    "inputTokens input",
    "outputTokens output",
    read="cacheReadInputTokens cacheRead",
    written="cacheCreationInputTokens cacheWrite",
    cache_beside=True,
)
"""As Amp sums them up: `totalInputTokens` is the input, what was read and what was written."""
_TOTAL = TokenWords("", "", "totalTokens total")
_FAILED = frozenset({"error", "cancelled", "rejected-by-user"})
_LAST_TIME = 253_402_300_799_999


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    messages, own_id = whole.objects("messages"), whole.text("id")
    reading = Reading(_NAME, known=_KNOWN)
    ledger = [*objects_of(object_at(whole.item, "usageLedger").get("events"))]
    for message in messages:
        _read_message(reading, message, own_id or "", ledger)
    facts: Item = {"agent": _NAME, **whole.texts({"title": "title", "agentMode": "mode"})}
    for tree in objects_of(object_at(whole.item, "env", "initial").get("trees"))[:1]:
        if (uri := text_at(tree, "uri")) is not None:
            facts["cwd"] = uri.removeprefix("file://")
    with reading.by_content():
        for event in ledger:
            _count(reading, event)
        reading.keep_left(whole, "thread")
    yield reading.history(id=own_id, parent=_parent(whole.item), metadata=facts)


def _parent(thread: Item) -> str | None:
    """Return the thread of which this is a sub-agent, or a fork, or that was handed over to it."""
    others = objects_of(thread.get("relationships"))
    made = (other for other in others if text_at(other, "type") in {"fork", "handoff"})
    parents = (text_at(other, "threadID") for other in made if other.get("role") == "child")
    return text_at(thread, "mainThreadID") or next(parents, None)


def _read_message(reading: Reading, message: Fields, thread: str, ledger: list[Item]) -> None:
    role, content = message.item.get("role"), message.item.get("content")
    says = _SAYS.get(role) if isinstance(role, str) else None
    of_draft: Draft = {}
    sent = object_at(message.item, "meta").get("sentAt")
    if type(sent) is int and 0 <= sent <= _LAST_TIME:
        of_draft["timestamp"] = sent
    if says is None or not isinstance(content, str | list):
        reading.keep(message, "message", of_draft=of_draft)
        return
    message.drop("content", *([] if role == "info" else ["role"]))
    response: Draft | None = None
    if says == "reply":
        own = message.item.get("messageId")
        event = _of_ledger(ledger, own)
        answer_id = text_at(event, "id") or (f"{thread}:{own}" if type(own) is int else None)
        if answer_id is not None:
            of_draft["metadata"] = {"responseId": answer_id}
        response, time = _response(message, event)
        of_draft |= time
    entry = Entry(reading, message, **of_draft)
    if response is not None:
        entry.add(response)
    if content not in ("", []):
        read_content(entry, content, message.within("content"), says, Kinds(_draft_of, _read_block))
    match message.item.get("state"):
        case {"type": "error", "error": {"message": str(text)}}:
            entry.add({"type": "runtime_error", "error": text})
        case _ if not entry.count:
            entry.keep(message, "message", is_known=True)
        case _:
            pass


def _of_ledger(ledger: list[Item], message_id: JsonValue) -> Item:
    """Take the first event of the ledger that is of a message."""
    for n, event in enumerate(ledger):
        if type(message_id) is int and event.get("toMessageId") == message_id:
            return ledger.pop(n)
    return {}


def _response(message: Fields, event: Item) -> tuple[Draft | None, Item]:
    """Return the figures of an answer, of its own usage or of the ledger's, and its time."""
    stated = {**event, **object_at(message.item, "usage")}
    figures = _figures({**object_at(event, "tokens"), **object_at(message.item, "usage")})
    draft: Draft = {"type": "llm_response"}
    if (model := text_at(stated, "model")) is not None:
        draft["model"] = model
    if (reason := text_at(object_at(message.item, "state"), "stopReason")) is not None:
        draft["finishReason"] = reason
    if figures:
        draft["usage"] = figures
    return draft if len(draft) > 1 else None, Fields(stated, "").time("timestamp")


def _figures(counts: Item) -> Item:
    """Return token figures; a total is told of input and output alone, and counts without them."""
    figures = _FIGURES.figures(counts)
    return figures if any(figures.values()) else _TOTAL.figures(counts)


def _count(reading: Reading, event: Item) -> None:
    """Add the figures of a call that no message is of: its answer was taken back, or not kept."""
    if figures := _figures(object_at(event, "tokens")):
        of_draft = Fields(event, "").time("timestamp")
        if (own := text_at(event, "id")) is not None:
            of_draft["metadata"] = {"responseId": own}
        model = {} if (name := text_at(event, "model")) is None else {"model": name}
        reading.add({**of_draft, "type": "llm_response", **model, "usage": figures})


def _draft_of(block: Fields, says: str) -> Draft | None:
    match block.item:
        case {
            "type": "image",
            "source": {"type": "base64", "mediaType": mime, "data": data, **rest},
        } if says == "input" and not rest and (file := file_of(data, mime)) is not None:
            block.drop("type", "source")
            return {"files": [file]}
        case {"type": "summary", "summary": {"type": "message", "summary": str(text)}}:
            summary = block.inner("summary") or block
            summary.take("summary")
            return {"text": text}
        case _:
            return draft_of(block, says)


def _read_block(entry: Entry, block: Fields) -> None:
    match block.item:
        case {"type": "tool_result", "toolUseID": str(call_id), "run": dict()} if call_id:
            run = block.inner("run") or block
            result = _outcome(run)
            if result is None:
                entry.keep(Fields(block.item, block.place), "tool_result", is_known=True)
                return
            block.drop("type", "toolUseID")
            answer: Item = {"callId": call_id, **result}
            entry.add({"type": "tool_results", "results": [answer]}, block)
        case {"type": "manual_bash_invocation", "args": {"cmd": str(cmd)}, "toolRun": dict()}:
            result = object_at(block.item, "toolRun", "result")
            output = text_at(result, "output") or ""
            entry.add({"type": "log", "text": f"$ {cmd}\n{output}"}, block)
        case {"type": "summary"}:
            entry.keep(block, "summary", is_known=True)
        case _:
            read_block(entry, block)


def _outcome(run: Fields) -> Item | None:
    """Take what a call gave back, None if it is still at work."""
    match run.item:
        case {"status": "done", **rest}:
            run.drop("status", "result")
            return {"output": rest.get("result"), "error": None}
        case {"status": str(status), **rest} if status in _FAILED:
            reason = text_at(object_at(rest, "error"), "message") or text_at(rest, "reason")
            output = run.take("result") if "result" in rest else run.take("error")
            return {"output": output, "error": reason or value_text(output or status)}
        case _:
            return None


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"id": str(own_id), "messages": list(messages), **rest}:
            is_thread = own_id.startswith("T-") and ("created" in rest or "v" in rest)
            return is_thread and all(isinstance(it, dict) and "role" in it for it in messages)
        case _:
            return False


FORMAT = Format(_NAME, "Amp threads", _read, _is_document, unit="thread")
