"""How lines of Claude Code's sessions follow each other, and what its compactions leave out.

A line names its parent by `parentUuid`; of parallel calls each result names its own call, and the
next answer only the last result. A `compact_boundary` begins anew, and names what came before it by
`logicalParentUuid`; the user's line after it, `isCompactSummary`, is the summary. What a compaction
keeps stands behind that, unless its `anchorUuid` is the boundary's own; the next line may name the
last that was kept for its parent, and then follows the summary all the same. Names of fields are
those of versions 1.0 to 2.1.
"""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_at, text_at, texts_of
from agentlog.domain.messages import SystemMessage, ToolResultsMessage
from agentlog.extensions.formats.keeping import all_but, cleared, only, segment, through
from agentlog.projections.context.links import WRITTEN, Change, Keeps, Link, LinkReader, nothing
from agentlog.projections.readers.fields import id_of_uuid
from agentlog.projections.view import Item


def claude_code_links() -> LinkReader:
    """Return what reads the links of a session."""
    return _Lines().link


class _Lines:
    """What was read so far.

    `_is_tree`: some line named a parent, so that a line without one is a root. `_answers` has the
    lines of each answer, `_place` where a summary stands among what a compaction kept. `_parents`
    has that of each line, `_kept` the line that those follow now which a compaction kept, `_ends`
    the first and the last of the latter, `_tails` the last by the summary that they stand behind.
    """

    def __init__(self) -> None:
        self._is_tree = False
        self._answers = set[str]()
        self._is_users = False
        self._is_prompt = False
        self._place: int | None = None
        self._parents: dict[str, str | None] = {}
        self._kept: dict[str, str] = {}
        self._ends: tuple[str, str] | None = None
        self._tails: dict[str, str] = {}

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
        self._parents[key] = self._tails.get(parent or "", parent)
        self._kept.pop(key, None)  # it stands again, behind the summary
        match fields:
            case {"subtype": "compact_boundary"}:
                return self._compaction(key, _key(fields.get("logicalParentUuid")), fields)
            case {"subtype": "snip_boundary", "snipMetadata": {"removedUuids": list(removed)}}:
                keeps = all_but({_key(uuid) or "" for uuid in removed})
                return Link(key, parent, change=Change("deletion", keeps))
            case {"microcompactMetadata": {"compactedToolIds": list(calls)}}:
                return Link(
                    key, parent, sent=(), change=Change("truncation", cleared(texts_of(calls)))
                )
            case {"isCompactSummary": True}:
                self._is_users, place, self._place = True, self._place, None
                begins = None if parent else Change("compaction", nothing)
                self._stand_behind(key, parent, place)
                sent = self._as_user(event)
                return Link(key, parent, sent=sent, at=place, change=begins, is_summary=True)
            case _:
                return self._line(event, key, parent, fields)

    def _line(self, event: Event, key: str, parent: str | None, fields: Item) -> Link:
        is_result = type(event.message) is ToolResultsMessage
        attached = object_at(fields, "attachment")
        is_written = type(event.message) is SystemMessage
        self._is_prompt = is_written and "attachment" in fields and "commandMode" not in attached
        is_users = is_written and not self._is_prompt
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
        is_root = parent is None and self._is_tree and not (is_result or answer is not None)
        after = self._kept.get(parent or "")
        kind = text_at(attached, "type")
        return Link(
            key,
            after or parent,
            is_root,
            stays_with=is_result or goes_on,
            sent=sent,
            change=Change("branch", through(parent)) if after and parent else None,
            is_prompt=self._is_prompt,
            missing=kind and f"what was written of attachments of the kind {kind!r}",
        )

    def _compaction(self, key: str, before: str | None, fields: Item) -> Link:
        self._is_users = False
        about = object_at(fields, "compactMetadata")
        keeps, anchor, kept = self._preserved(about)
        before = self._kept.get(before or "", before)
        self._kept |= dict.fromkeys(kept, key)
        self._ends = (kept[0], kept[-1]) if kept else None
        is_anchored = anchor not in {None, key}
        self._place = 0 if is_anchored else None
        change = Change("compaction", keeps, is_summed_up=True)
        return Link(key, before, sent=(), change=change)

    def _stand_behind(self, summary: str, boundary: str | None, place: int | None) -> None:
        """Let what a compaction kept follow its summary or the boundary, as it is loaded."""
        self._kept |= {line: summary for line, at in self._kept.items() if at == boundary}
        if self._ends is not None:
            first, last = self._ends
            self._parents[first] = boundary if place is None else summary
            if place is None:
                self._parents[summary] = last
            else:
                self._tails[summary] = last

    def _preserved(self, about: Item) -> tuple[Keeps, str | None, Sequence[str]]:
        """Return what a compaction keeps, the line that this follows, and the keys of it."""
        messages, part = object_at(about, "preservedMessages"), object_at(about, "preservedSegment")
        anchor = _key(messages.get("anchorUuid") or part.get("anchorUuid"))
        if uuids := texts_of(messages.get("uuids")):
            keys = [_key(uuid) or "" for uuid in uuids]
            return only(keys), anchor, keys
        if not part:
            return nothing, None, ()
        head, tail = _key(part.get("headUuid")), _key(part.get("tailUuid"))
        return segment(head, tail), anchor, self._way(head, tail)

    def _way(self, head: str | None, tail: str | None) -> Sequence[str]:
        """Return the keys from a line to another; none where that does not follow it."""
        way, at = dict[str, None](), tail
        while at is not None and at not in way:
            way[at] = None
            at = None if at == head else self._parents.get(at)
        return [*reversed(way)] if head in way else ()

    @staticmethod
    def _as_user(event: Event) -> list[Item] | None:
        """Return what the program wrote as the API has it: the user's."""
        if type(event.message) is not SystemMessage:
            return None
        return [{"type": "input", "text": event.message.text, "metadata": {WRITTEN: True}}]


def _key(uuid: JsonValue) -> str | None:
    return id_of_uuid(uuid) or (uuid if isinstance(uuid, str) and uuid else None)


def _text(event: Event) -> str:
    return text_at({"text": getattr(event.message, "text", None)}, "text") or ""
