"""Reader of Gemini CLI's sessions, `~/.gemini/tmp/*/chats/session-*.json` and `.jsonl`.

Shapes: `packages/core/src/services/chatRecordingTypes.ts` of github.com/google-gemini/gemini-cli.
Lines begin with what holds for the session; a message is written again, under its id, when its
calls have ended, and then adds only what is new.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.gemini import KNOWN, read_parts
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_KNOWN = (
    *KNOWN,
    *(
        "id timestamp type content displayContent tokens status agentId displayName description "
        "resultDisplay renderOutputAsMarkdown lastUpdated summary memoryScratchpad directories "
        "toolCalls thoughts model"
    ).split(),
)
_FIGURES = TokenWords(
    "input",
    "output",
    "total",
    read="cached",
    tool="tool",
    thoughts="thoughts",
    thoughts_beside=True,
)
"""As Gemini's API counts them (`TokensSummary`)."""
_FACTS = {"projectHash": "project", "startTime": "startedAt", "kind": "kind"}
_TYPES = ("user", "gemini", "info", "warning", "error")


def _read(document: JsonValue) -> Iterator[History]:
    session = Session()
    match document:
        case list(lines):
            for n, value in enumerate(lines):
                session.add_line(Fields(value, f"[{n}]"))
        case {"messages": list(messages)}:
            whole = Fields(document, "")
            whole.take("messages")
            session.take_facts(whole)
            for n, value in enumerate(messages):
                session.add_line(Fields(value, f"messages[{n}]"))
            with session.by_content():
                session.keep_left(whole, "session")
        case _:
            raise InvalidMessage.at("messages", "not an array of messages")
    yield session.history(id=session.own_id, metadata=session.facts)


class Session(Reading):
    """The messages of a session; `facts` are what its first line says."""

    def __init__(self) -> None:
        super().__init__("gemini-cli", known=_KNOWN)
        self.own_id: str | None = None
        self.facts: Item = {}
        self._messages: dict[str, Item] = {}
        self._counted = set[tuple[str, str]]()
        self._told = dict[str, Item]()

    def take_facts(self, whole: Fields) -> None:
        """Take the facts of the session, once."""
        if self.own_id is None:
            self.own_id = whole.text("sessionId")
        for theirs, ours in _FACTS.items():
            value = whole.item.get(theirs)
            if isinstance(value, str) and self.facts.setdefault(ours, value) == value:
                whole.take(theirs)

    def add_line(self, line: Fields) -> None:
        """Add the messages of a line, or of an item of `messages`."""
        match line.item:
            case {"type": str(kind)} if kind in _TYPES:
                self._add(line, kind)
            case {"sessionId": _}:
                self.take_facts(line)
                self.keep_left(line, "session")
            case {"$set": _} | {"$rewindTo": _}:
                self.keep(line, next(iter(line.item)).removeprefix("$"), is_known=True)
            case _:
                self.keep(line, "line")

    def _add(self, message: Fields, kind: str) -> None:
        of_draft = message.time("timestamp")
        own_id = message.item.get("id")
        before = self._messages.setdefault(own_id, {}) if isinstance(own_id, str) else {}
        if not before and (message_id := id_of_uuid(own_id)) is not None:
            of_draft["id"] = message_id
            message.take("id")
        if kind == "gemini" and isinstance(own_id, str) and own_id:
            of_draft["metadata"] = {"responseId": own_id}
        entry = Entry(self, message, **of_draft)
        if kind == "gemini":
            self._add_answer(entry, message, before)
        elif before:
            message.take_equal(before)
        elif kind == "user":
            if not self._is_told(message.item.get("content")):
                self._add_content(entry, message, "input")
        elif kind == "error":
            self._add_note(entry, message, {"type": "runtime_error"}, "error")
        else:
            self._add_note(entry, message, {"type": "log"}, "text")
        if not entry.count and (not before or message.left()):
            entry.keep(message, kind, is_known=True)
        before |= message.item

    def _add_answer(self, entry: Entry, message: Fields, before: Item) -> None:
        """Add what an answer says and calls; of one written again only what is new."""
        response, calls = self._response(message), list(message.items("toolCalls"))
        is_again = bool(before) and before.get("content") == message.item.get("content")
        if is_again:
            message.take_equal(before)
        thoughts, content = list(message.items("thoughts")), message.take("content")
        message.take_equal({"type": "gemini"})
        if response is not None:
            entry.add(response)
        for thought in thoughts:
            subject, text = thought.text("subject"), thought.text("description")
            entry.add({"type": "reasoning", "title": subject or "", "summary": text or ""}, thought)
        if content not in ("", [], None) and not is_again:
            read_parts(entry, content, message.within("content"), "reply")
        for call in calls:
            self._add_call(entry, call)

    def _response(self, message: Fields) -> Draft | None:
        """Return the figures of an answer, once they are known, and again where they differ."""
        own_id = value_text(message.item.get("id"))
        figures = _FIGURES.figures(message.item.get("tokens"))
        if not figures or self._told.get(own_id) == figures:
            return None
        self._told[own_id] = figures
        response: Draft = {"type": "llm_response", "provider": "gcp.gemini", "usage": figures}
        if isinstance(model := message.item.get("model"), str):
            response["model"] = model
        return response

    def _add_content(self, entry: Entry, message: Fields, says: str) -> None:
        content = message.take("content")
        if content not in ("", [], None):
            message.take("type")
            read_parts(entry, content, message.within("content"), says)

    def _is_told(self, content: JsonValue) -> bool:
        """Return whether a content is nothing but results that stand with their calls already."""
        results = results_of(content)
        return bool(results) and all(("result", call) in self._counted for call in results)

    def _add_note(self, entry: Entry, message: Fields, draft: Draft, key: str) -> None:
        if (text := message.text("content")) is not None:
            entry.add({**draft, key: text})

    def _add_call(self, entry: Entry, call: Fields) -> None:
        """Add a call and its result, where they were not told before."""
        match call.item:
            case {"id": str(call_id), "name": str(name), "args": _} if call_id:
                pass
            case _:
                entry.keep(call, "call")
                return
        parts = Fields(call.item, call.place)
        call.drop(*call.item)
        parts.drop("id", "name", "args", "result")
        output, status = call.item.get("result"), call.item.get("status")
        is_new = ("call", call_id) not in self._counted
        if is_new:
            self._counted.add(("call", call_id))
            asked: Item = {"id": call_id, "name": name, "args": call.item.get("args")}
            entry.add({"type": "tool_calls", "calls": [asked]}, parts)
        if status in ("success", "error", "cancelled") and ("result", call_id) not in self._counted:
            self._counted.add(("result", call_id))
            result: Item = {"callId": call_id, "name": name, "output": _output(call.item)}
            failed = None if status == "success" else value_text(result["output"]) or status
            entry.add(
                {"type": "tool_results", "results": [{**result, "error": failed}]},
                *([] if is_new else [parts]),
            )
        elif not is_new or output is not None:
            entry.keep(Fields(call.item, call.place), "call", is_known=True)


def results_of(content: JsonValue) -> list[str]:
    """Return the calls whose results a content is; none where it is anything else."""
    parts = [object_at(part, "functionResponse") for part in objects_of(content)]
    calls = [text_at(part, "id") or "" for part in parts]
    return calls if all(calls) else []


def _output(call: Item) -> JsonValue:
    """Return what a call gave back: its output alone, where nothing else is told with it."""
    match call.get("result"):
        case [{"functionResponse": {"response": {"output": output, **rest}, **own}, **more}] if (
            not rest and not more and all(call.get(str(key)) == value for key, value in own.items())
        ):
            return output
        case result:
            return result


def _is_line(value: JsonValue) -> bool:
    match value:
        case {"sessionId": str(), "projectHash": str(), **rest}:
            return "messages" not in rest
        case {"id": str(), "timestamp": str(), "type": "gemini", "content": _}:
            return True
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"sessionId": str(), "projectHash": str(), "messages": list()}:
            return True
        case _:
            return False


FORMAT = Format(
    "gemini-cli",
    "Gemini CLI sessions",
    _read,
    _is_document,
    _is_line,
    unit="session",
)
