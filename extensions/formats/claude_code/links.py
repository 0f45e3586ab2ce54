"""How lines of Claude Code's sessions follow each other, and what its compactions leave out.

A line names its parent by `parentUuid`; of parallel calls each result names its own call, and the
next answer only the last result. A `compact_boundary` begins anew, and names what came before it by
`logicalParentUuid`; the user's line after it, `isCompactSummary`, is the summary. What a compaction
keeps stands behind that, unless its `anchorUuid` is the boundary's own. Names of fields are those
of versions 1.0 to 2.1.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_at, text_at, texts_of
from agentlog.domain.messages import SystemMessage, ToolResultsMessage
from agentlog.projections.context.links import (
    WRITTEN,
    Change,
    Keeps,
    Link,
    LinkReader,
    all_but,
    nothing,
    only,
    segment,
)
from agentlog.projections.readers.fields import id_of_uuid
from agentlog.projections.view import Item


def claude_code_links() -> LinkReader:
    """Return what reads the links of a session."""
    return _Lines().link


class _Lines:
    """What was read so far.

    `_is_tree`: some line named a parent, so that a line without one is a root. `_answers` has the
    lines of each answer, `_place` where a summary stands among what a compaction kept.
    """

    def __init__(self) -> None:
        self._is_tree = False
        self._answers = set[str]()
        self._is_users = False
        self._is_prompt = False
        self._place: int | None = None

    def link(self, event: Event, fields: Item) -> Link | None:
        """Return the link of the message of a line."""
        if "parentUuid" not in fields:
            sent = self._as_user(event) if self._is_users else None
            return Link(sent=sent, is_prompt=self._is_prompt)
        if event.type == "claude-code.repeated":
            return None
        self._is_prompt = False
        key = _key(fields.get("uuid")) or event.message_id
        parent = _key(fields.get("parentUuid"))
        self._is_tree = self._is_tree or parent is not None
        match fields:
            case {"subtype": "compact_boundary"}:
                return self._compaction(key, _key(fields.get("logicalParentUuid")), fields)
            case {"subtype": "snip_boundary", "snipMetadata": {"removedUuids": list(removed)}}:
                keeps = all_but({_key(uuid) or "" for uuid in removed})
                return Link(key, parent, change=Change("deletion", keeps))
            case {"isCompactSummary": True}:
                self._is_users, place, self._place = True, self._place, None
                begins = None if parent else Change("compaction", nothing)
                sent = self._as_user(event)
                return Link(key, parent, sent=sent, at=place, change=begins, is_summary=True)
            case _:
                return self._line(event, key, parent, fields)

    def _line(self, event: Event, key: str, parent: str | None, fields: Item) -> Link:
        is_result = type(event.message) is ToolResultsMessage
        is_users = type(event.message) is SystemMessage and "attachment" not in fields
        self._is_users = is_users and "message" not in fields
        answer = event.response_id
        goes_on = answer is not None and answer in self._answers
        if answer is not None:
            self._answers.add(answer)
        sent: list[Item] | None = None
        if self._is_users:
            sent = self._as_user(event)
        elif is_users and fields.get("isApiErrorMessage") is not True:
            sent = [{"type": "reply", "text": _text(event)}]  # put in the model's mouth
        self._is_prompt = type(event.message) is SystemMessage and "attachment" in fields
        is_root = parent is None and self._is_tree and not (is_result or answer is not None)
        return Link(
            key,
            parent,
            is_root,
            stays_with=is_result or goes_on,
            sent=sent,
            is_prompt=self._is_prompt,
        )

    def _compaction(self, key: str, before: str | None, fields: Item) -> Link:
        self._is_users = False
        about = object_at(fields, "compactMetadata")
        keeps, anchor = _kept(about)
        is_anchored = anchor not in {None, key}
        self._place = 0 if is_anchored else None
        change = Change("compaction", keeps, is_summed_up=True)
        return Link(key, before, sent=(), change=change)

    @staticmethod
    def _as_user(event: Event) -> list[Item] | None:
        """Return what the program wrote as the API has it: the user's."""
        if type(event.message) is not SystemMessage:
            return None
        return [{"type": "input", "text": event.message.text, "metadata": {WRITTEN: True}}]


def _kept(about: Item) -> tuple[Keeps, str | None]:
    """Return what a compaction keeps, and the line that this follows."""
    messages, part = object_at(about, "preservedMessages"), object_at(about, "preservedSegment")
    anchor = _key(messages.get("anchorUuid") or part.get("anchorUuid"))
    if uuids := texts_of(messages.get("uuids")):
        return only({_key(uuid) or "" for uuid in uuids}), anchor
    if part:
        return segment(_key(part.get("headUuid")), _key(part.get("tailUuid"))), anchor
    return nothing, None


def _key(uuid: JsonValue) -> str | None:
    return id_of_uuid(uuid) or (uuid if isinstance(uuid, str) and uuid else None)


def _text(event: Event) -> str:
    return text_at({"text": getattr(event.message, "text", None)}, "text") or ""
