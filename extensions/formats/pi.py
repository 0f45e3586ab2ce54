"""Reader of Pi's sessions, `~/.pi/agent/sessions/*/*.jsonl`, of all three versions.

Shapes: `docs/session-format.md` of the npm package `@earendil-works/pi-coding-agent`. Entries make
a tree; they are read in the order of the lines, branches that were left too.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at
from agentlog.domain.messages import LogMessage, SystemMessage
from agentlog.extensions.formats.keeping import segment
from agentlog.projections.call_texts import value_text
from agentlog.projections.context.links import Change, Link, LinkReader
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of, text_of
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import add_call
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "pi"
_KNOWN = (
    "type id parentId timestamp message role api usage details name thinkingSignature "
    "textSignature thoughtSignature redacted responseId version errorMessage exitCode cancelled "
    "truncated fullOutputPath excludeFromContext customType display firstKeptEntryId tokensBefore "
    "fromId fromHook"
).split()
_KINDS = frozenset(
    (
        "session model_change thinking_level_change compaction branch_summary custom "
        "custom_message label session_info"
    ).split()
)
_FIGURES = TokenWords(
    "input",
    "output",
    "totalTokens",
    read="cacheRead",
    written="cacheWrite",
    written_1h="cacheWrite1h",
    thoughts="reasoning",
    cache_beside=True,
)
_FAILED = ("error", "aborted")


def _read(document: JsonValue) -> Iterator[History]:
    if not isinstance(document, list):
        raise InvalidMessage.at("", "no array of lines")
    reading, session = Reading(_NAME, known=_KNOWN), dict[str, str]()
    for n, value in enumerate(document):
        _read_entry(reading, session, Fields(value, f"[{n}]"))
    own_id = session.pop("id", None)
    yield reading.history(id=own_id, metadata={"agent": "pi", **session})


def _read_entry(reading: Reading, session: dict[str, str], entry: Fields) -> None:
    of_draft = entry.time("timestamp")
    match entry.item:
        case {"type": "session", "id": str(own_id)} if own_id and "id" not in session:
            facts = ("id", "cwd", "parentSession")
            session |= {key: text for key in facts if (text := entry.text(key)) is not None}
            reading.keep_left(entry, "session", **of_draft)
        case {"type": "session_info", "name": str(name)}:
            session["title"] = name
            reading.keep(entry, "session_info", is_known=True, of_draft=of_draft)
        case {"type": "message", "message": dict()}:
            _read_message(reading, entry, of_draft)
        case {"type": "compaction" | "branch_summary", "summary": str(summary)}:
            entry.take("summary")
            reading.add({**of_draft, "type": "system", "text": summary}, entry)
        case {"type": "custom_message", "content": content}:
            entry.drop("content")
            read_content(
                Entry(reading, entry, **of_draft), content, entry.within("content"), "system", _OF
            )
        case item:
            kind = item.get("type")
            name = kind if isinstance(kind, str) else "entry"
            reading.keep(entry, name, is_known=name in _KINDS, of_draft=of_draft)


def _read_message(reading: Reading, entry: Fields, of_draft: Draft) -> None:
    message = entry.inner("message") or entry
    content = message.item.get("content")
    place = message.within("content")
    match message.item:
        case {"role": "user", "content": str() | [_, *_]}:
            message.drop("content")
            read_content(Entry(reading, entry, **of_draft), content, place, "input", _OF)
        case {"role": "custom" | "hookMessage", "content": str() | [_, *_]}:
            message.drop("content")
            read_content(Entry(reading, entry, **of_draft), content, place, "system", _OF)
        case {"role": "assistant", "content": str() | list()}:
            message.drop("content")
            _read_answer(reading, entry, message, content, of_draft)
        case {"role": "toolResult", "toolCallId": str(call_id)} if call_id:
            message.drop("content", "toolCallId")
            result: Item = {"callId": call_id, "output": _output(content)}
            if (name := message.text("toolName")) is not None:
                result["name"] = name
            if isinstance(failed := message.item.get("isError"), bool):
                message.take("isError")
                result["error"] = value_text(result["output"]) if failed else None
            reading.add({**of_draft, "type": "tool_results", "results": [result]}, entry)
        case {"role": "bashExecution", "command": str(command), "output": str(output)}:
            message.drop("command", "output")
            reading.add({**of_draft, "type": "log", "text": f"$ {command}\n{output}"}, entry)
        case _:
            reading.keep(Fields(entry.item, entry.place), "message", of_draft=of_draft)


def _read_answer(
    reading: Reading, entry: Fields, message: Fields, content: JsonValue, of_draft: Draft
) -> None:
    answer_id = entry.item.get("id")
    if isinstance(answer_id, str) and answer_id:
        of_draft = {**of_draft, "metadata": {"responseId": answer_id}}
    made = Entry(reading, entry, **of_draft)
    made.add(_response(message))
    read_content(made, content, message.within("content"), "reply", _OF)
    match message.item:
        case {"stopReason": str(reason), "errorMessage": str(text)} if reason in _FAILED and text:
            reading.add({**of_draft, "type": "runtime_error", "error": text})
        case _:
            pass


def _response(message: Fields) -> Draft:
    names = {"provider": "provider", "model": "model", "stopReason": "finishReason"}
    draft: Draft = {"type": "llm_response", **message.texts(names)}
    counts = message.item.get("usage")
    figures = _FIGURES.figures(counts)
    if any(figures.values()):  # an answer that failed has zeros
        draft["usage"] = figures
        match counts:
            case {"cost": dict(cost)}:
                total = Fields(cost, "").amount("total")
                if total:
                    draft["costUsd"] = total
            case _:
                pass
    return draft


def _output(content: JsonValue) -> JsonValue:
    """Return the text of a result, or its parts where there are others."""
    parts = array_of(content)
    return text_of(parts) if parts and all(map(_is_text, parts)) else content


def _is_text(part: JsonValue) -> bool:
    match part:
        case {"type": "text", "text": str(), **others}:
            return not others
        case _:
            return False


def _draft_of(part: Fields, says: str) -> Draft | None:
    match part.item:
        case {"type": "text", "text": str(text)}:
            part.drop("type", "text")
            return {"text": text}
        case {"type": "image", "data": data, "mimeType": mime} if says == "input":
            if (file := file_of(data, mime)) is None:
                return None
            part.drop("type", "data", "mimeType")
            return {"files": [file]}
        case _:
            return None


def _read_part(entry: Entry, part: Fields) -> None:
    match part.item:
        case {"type": "thinking", "thinking": str(text)} if text:
            part.drop("type", "thinking")
            entry.add({"type": "reasoning", "title": "", "summary": text}, part)
        case {"type": "toolCall", "name": str(name), "arguments": args}:
            part.drop("type", "name", "arguments")
            add_call(entry, part, name, args)
        case {"type": str(kind)}:
            entry.keep(part, kind, is_known=kind in ("thinking", "image"))
        case _:
            entry.keep(part, "part")


_OF = Kinds(_draft_of, _read_part)


def _is_line(value: JsonValue) -> bool:
    match object_of(value):
        case {"type": "session", "id": str(), "timestamp": str(), "cwd": str()}:
            return True
        case {"sessionId": _}:
            return False
        case {"type": "message", "timestamp": str(), "message": {"role": str(role), **message}}:
            return "timestamp" in message or role in ("toolResult", "bashExecution")
        case _:
            return False


def pi_links() -> LinkReader:
    """Return what reads the tree of a session, as its `buildSessionContext` walks it."""
    is_tree, is_users = False, False

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal is_tree, is_users
        sent = _as_user(event) if is_users else None
        key = text_at(fields, "id")
        if key is None or "parentId" not in fields:
            return Link(sent=sent)
        parent = text_at(fields, "parentId")
        is_root = parent is None and is_tree
        is_tree = is_tree or parent is not None
        kind, message = fields.get("type"), object_of(fields.get("message"))
        is_users = kind in {"message", "custom_message"} and type(event.message) is SystemMessage
        if type(event.message) is LogMessage and message.get("excludeFromContext") is not True:
            sent = [_ran(event.message.text)]
        elif kind == "compaction" and type(event.message) is SystemMessage:
            first = text_at(fields, "firstKeptEntryId")
            change = Change("compaction", segment(first))
            summary: Item = {"type": "input", "text": _COMPACTED.format(event.message.text)}
            return Link(key, parent, is_root, sent=[summary], at=0, change=change)
        elif kind == "branch_summary" and type(event.message) is SystemMessage:
            sent = [{"type": "input", "text": _LEFT.format(event.message.text)}]
        else:
            sent = _as_user(event) if is_users else None
        return Link(key, parent, is_root, sent=sent)

    return link


_COMPACTED = (
    "The conversation history before this point was compacted into the following summary:\n\n"
    "<summary>\n{}\n</summary>"
)
_LEFT = (
    "The following is a summary of a branch that this conversation came back from:\n\n"
    "<summary>\n{}</summary>"
)


def _as_user(event: Event) -> list[Item] | None:
    if type(event.message) is not SystemMessage:
        return None
    return [{"type": "input", "text": event.message.text}]


def _ran(text: str) -> Item:
    """Return a command that the user ran, as the model is sent it."""
    command, _, output = text.removeprefix("$ ").partition("\n")
    shell_text = f"```\n{output}\n```" if output else "(no output)"
    return {"type": "input", "text": f"Ran `{command}`\n{shell_text}"}


FORMAT = Format(_NAME, "Pi sessions", _read, is_item=_is_line, unit="session")
