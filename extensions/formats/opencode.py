"""Reader of opencode's sessions, as `opencode export` prints them: `info` and `messages`.

A message has `info` and `parts`; shapes are those that version 1.18.33 checks (SessionV1). Ids of
messages come from those of parts, so that a later version of a session adds only what is new.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_at, text_at
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at, file_of_uri
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "opencode"
_KNOWN = (
    "id sessionID messageID parentID time role agent mode path cost tokens model modelID variant "
    "providerID summary system tools format finish error structured metadata synthetic ignored "
    "mime filename url source state status title attachments raw slug projectID workspaceID share "
    "version permission revert type"
).split()
_PARTS = frozenset(
    "step-start step-finish snapshot patch file agent subtask compaction retry tool text".split()
)
_FIGURES = TokenWords(
    "input",
    "output",
    "total",
    read="cache.read",
    written="cache.write",
    thoughts="reasoning",
    cache_beside=True,
    thoughts_beside=True,
)
"""`Session.getUsage` takes cached tokens off the input, and thoughts off the output."""
_TEXTS = {"user": "input", "assistant": "reply"}


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    info, messages = whole.inner("info"), whole.item.get("messages")
    if info is None or not isinstance(messages, list):
        raise InvalidMessage.at("", "no session with info and messages")
    whole.take("messages")
    reading = Reading(_NAME, known=_KNOWN)
    for n, value in enumerate(messages):
        message = Fields(value, f"messages[{n}]")
        _read_message(reading, message)
    own_id, parent = info.text("id"), info.text("parentID")
    facts = {"title": "title", "directory": "cwd", "version": "version"}
    metadata = {ours: text for theirs, ours in facts.items() if (text := info.text(theirs))}
    with reading.by_content():
        reading.keep_left(whole, "session")
    yield reading.history(id=own_id, parent=parent, metadata={"agent": _NAME, **metadata})


def _read_message(reading: Reading, message: Fields) -> None:
    info = message.inner("info")
    role = None if info is None else info.item.get("role")
    parts = message.item.get("parts")
    says = _TEXTS.get(role) if isinstance(role, str) else None
    if info is None or says is None or not isinstance(parts, list):
        reading.keep(Fields(message.item, message.place), "message")
        return
    message.take("parts")
    info.take("role")
    own_id = text_at(info.item, "id") or message.place
    of_draft: Draft = {}
    if (at := _time(info.item, "created")) is not None:
        of_draft["timestamp"] = at
    # what is left of a message changes later: it stands beside the first that is made of it
    beside = [message]
    if role == "assistant":
        info.text("id")
        of_draft["metadata"] = {"responseId": own_id}
        answered: Draft = {**of_draft, "id": derived_message_id(_NAME, own_id)}
        reading.add({**answered, **_response(info)}, *beside)
        beside = []
    for n, value in enumerate(parts):
        part = Fields(value, f"{message.place}.parts[{n}]")
        _read_part(reading, part, says, of_draft, beside)
        beside = []
    match error := object_at(info.item, "error"):
        case {"name": str(name)}:
            text = text_at(object_at(error, "data"), "message") or name
            failed: Draft = {**of_draft, "id": derived_message_id(_NAME, own_id, "error")}
            reading.add({**failed, "type": "runtime_error", "error": text}, *beside)
        case _ if beside:
            reading.keep(Fields(message.item, message.place), "message", of_draft=of_draft)
        case _:
            pass


def _response(info: Fields) -> Draft:
    draft: Draft = {"type": "llm_response"}
    names = {"providerID": "provider", "modelID": "model", "finish": "finishReason"}
    draft |= {ours: text for theirs, ours in names.items() if (text := info.text(theirs))}
    figures = _FIGURES.figures(info.item.get("tokens"))
    if any(figures.values()):
        draft["usage"] = figures
    if cost := amount_at(info.item, "cost"):
        info.take("cost")
        draft["costUsd"] = cost
    return draft


def _read_part(
    reading: Reading, part: Fields, says: str, of_message: Draft, beside: Sequence[Fields]
) -> None:
    own_id = text_at(part.item, "id") or part.place
    of_draft: Draft = {**of_message, "id": derived_message_id(_NAME, own_id)}
    if (at := _time(part.item, "start")) is not None:
        of_draft["timestamp"] = at
    match part.item:
        case {"type": "text", "text": str(text)}:
            part.drop("type", "text")
            is_made = part.item.get("synthetic") is True and says == "input"
            draft: Draft = {"type": "system" if is_made else says, "text": text}
        case {"type": "reasoning", "text": str(text)}:
            part.drop("type", "text")
            draft = {"type": "reasoning", "title": "", "summary": text}
        case {"type": "file", "url": url} if (
            says == "input" and (file := file_of_uri(url, part.item.get("filename"))) is not None
        ):
            part.drop("type", "url")
            part.text("filename")
            if part.item.get("mime") == file["mimeType"]:
                part.drop("mime")
            draft = {"type": "input", "files": [file]}
        case {"type": "tool", "callID": str(call_id), "tool": str(tool), "state": dict()} if (
            call_id
        ):
            _read_call(reading, part, {"callId": call_id, "name": tool}, of_draft, beside)
            return
        case {"type": str(kind)}:
            is_known = kind in _PARTS
            reading.keep(part, kind, beside=beside, is_known=is_known, of_draft=of_draft)
            return
        case _:
            reading.keep(part, "part", beside=beside, of_draft=of_draft)
            return
    reading.add({**of_draft, **draft}, part, *beside)


def _read_call(
    reading: Reading, part: Fields, result: Item, of_draft: Draft, beside: Sequence[Fields]
) -> None:
    """Add a call, and its result once there is one."""
    state = part.inner("state")
    if state is None:
        return
    part.drop("type", "callID", "tool")
    args = state.take("input")
    began, ended = _time(state.item, "start"), _time(state.item, "end")
    if began is not None:
        of_draft = {**of_draft, "timestamp": began}
    call: Item = {"id": result["callId"], **call_fields(str(result["name"]), args)}
    called: Draft = {**of_draft, "type": "tool_calls", "calls": [call]}
    match state.item:
        case {"status": "completed", "output": output}:
            state.drop("status", "output")
            result = {**result, "output": output, "error": None}
        case {"status": "error", "error": str(text)}:
            state.drop("status", "error")
            result = {**result, "output": None, "error": text}
        case _:
            reading.add(called, part, *beside)
            return
    reading.add(called, part, *beside)
    if ended is not None:
        of_draft = {**of_draft, "timestamp": ended}
    answered: Draft = {**of_draft, "id": derived_message_id(str(of_draft["id"]), "result")}
    reading.add({**answered, "type": "tool_results", "results": [result]})


def _time(item: Item, key: str) -> int | None:
    at = object_at(item, "time").get(key)
    return at if isinstance(at, int) and not isinstance(at, bool) and 0 <= at < 2**53 else None


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"info": {"id": str(), "directory": str()}, "messages": list()}:
            return True
        case _:
            return False


FORMAT = Format(_NAME, "opencode sessions", _read, _is_document, unit="session")
