"""Reader of Google ADK's sessions: events in their order, as JSON in camel or snake case.

Shapes: google-adk 2.13, `Session` and `Event`. A session is a thread.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid, milliseconds_of_seconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.gemini import KNOWN, read_parts
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import GEMINI
from agentlog.projections.view import Item

_KNOWN = (
    *KNOWN,
    *"""
    actions author branch content errorCode error_code id invocationId invocation_id
    isolationScope isolation_scope longRunningToolIds long_running_tool_ids nodeInfo node_info
    output partial role timestamp turnComplete turn_complete
    """.split(),
)
_OF_SESSIONS = (
    ("appName", "app_name"),
    ("userId", "user_id"),
)


def _read(document: JsonValue) -> Iterator[History]:
    session = _Session()
    match document:
        case list(events):
            place = ""
        case {"events": list(events)}:
            place, whole = "events", Fields(document, "")
            whole.take("events")
            session.begin(whole)
        case _:
            raise InvalidMessage.at("", "no array of events")
    for n, value in enumerate(events):
        session.add(Fields(value, f"{place}[{n}]"))
    yield session.facts()


class _Session:
    """What was read so far."""

    def __init__(self) -> None:
        self.reading = Reading("adk", known=_KNOWN)
        self._id: str | None = None
        self._metadata: Item = {"agent": "adk"}

    def begin(self, whole: Fields) -> None:
        """Take the facts of a session; its state and times follow from its events, and are kept."""
        self._id = whole.text("id")
        for name, other in _OF_SESSIONS:
            if (text := whole.text(name) or whole.text(other)) is not None:
                self._metadata[name] = text
        with self.reading.by_content():
            if left := whole.left():
                self.reading.keep(Fields(left, ""), "session", is_known=True)

    def read(self, item: Item, place: str) -> Sequence[Draft]:
        """Return the messages of the next event."""
        self.add(Fields(item, place))
        return self.reading.taken()

    def add(self, event: Fields) -> None:
        """Add the messages of an event."""
        of_draft: Item = {}
        if (message_id := id_of_uuid(event.item.get("id"))) is not None:
            of_draft["id"] = message_id
            event.take("id")
        if (time := milliseconds_of_seconds(event.item.get("timestamp"))) is not None:
            of_draft["timestamp"] = time
        content = event.inner("content")
        is_user = content is None or content.item.get("role") != "model"
        if response := _response(event):
            of_answer = {**of_draft}
            if message_id is not None:
                of_draft["metadata"] = {"responseId": message_id}
                of_answer["id"] = derived_message_id(message_id, "answer")
                of_answer["metadata"] = of_draft["metadata"]
            self.reading.add({**of_answer, "type": "llm_response", **response})
        entry = Entry(self.reading, event, **of_draft)
        if (error := event.text("errorMessage") or event.text("error_message")) is not None:
            entry.add({"type": "runtime_error", "error": error})
        if content is not None and isinstance(content.item.get("parts"), list):
            says = "input" if is_user else "reply"
            read_parts(entry, content.take("parts"), f"{content.place}.parts", says)
        if not entry.count:
            entry.keep(event, "event", is_known=True)

    def facts(self) -> History:
        """Return what was read so far."""
        return self.reading.history(id=self._id, metadata=self._metadata)


def _response(event: Fields) -> Item:
    """Take the figures of the model's answer that an event is, if it is one."""
    response: Item = {}
    for name, other, ours in (
        ("modelVersion", "model_version", "model"),
        ("finishReason", "finish_reason", "finishReason"),
    ):
        if (text := event.text(name) or event.text(other)) is not None:
            response[ours] = text
    for name in ("usageMetadata", "usage_metadata"):
        if figures := GEMINI.figures(event.item.get(name)):
            response["usage"] = figures
    return response


def _is_event(value: JsonValue) -> bool:
    match value:
        case {"author": str(), "actions": dict(), **fields}:
            return "invocationId" in fields or "invocation_id" in fields
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"events": [_, *_] as events}:
            return all(map(_is_event, events))
        case _:
            return False


FORMAT = Format(
    "adk",
    "Google ADK sessions",
    _read,
    _is_document,
    _is_event,
    unit="session",
    begin=_Session,
)
