"""What a record may add to a thread that the log has already.

A record may have more than was imported of it before. What is another part of the thread is
refused: most formats can be read only from the beginning, and the log keeps the order of appends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from agentlog.domain.errors import (
    AgentlogError,
    MessageConflict,
    ThreadExists,
    VersionConflict,
)
from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, object_at, object_of, text_at
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest, Outcome
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.threads import ImportedThread, annotation
from agentlog.projections.outcomes.pairs import identity_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.registry import RefusedSource, Remedy


class SharedThread(RefusedSource):
    """Two records that do not name their thread come to the same id."""

    def __init__(self, thread_id: str, place: str, *, template: str | None) -> None:
        reason = f"its thread {thread_id} is that of {place} too"
        super().__init__(reason, _by_another_name(template))


class ThreadDiffers(RefusedSource):
    """The log has another history under the id of a record's thread."""

    def __init__(self, thread_id: str, how: str, *, template: str | None) -> None:
        reason = f"thread {thread_id} {how}; to keep both"
        super().__init__(reason, replace(_by_another_name(template), alone=True))


_NAMED_BY_PLACE = "{path}-{record}"


def _by_another_name(template: str | None) -> Remedy:
    """Return how to import a record as a thread of its own."""
    if template is None or not ("{path}" in template and "{record}" in template):
        return Remedy({"thread-id": _NAMED_BY_PLACE})
    return Remedy({"thread-id": f"again-{template}"}, alone=True)


def explained(error: AgentlogError, *, template: str | None) -> AgentlogError:
    """Return the log's refusal of a thread in the terms of an import."""
    match error:
        case MessageConflict():
            how = f"has message {error.version} already, with other content"
        case ThreadExists():
            how = "exists already, with another goal, parent, policy or limits"
        case VersionConflict():
            how = "is there and begins otherwise (parts of a history are imported as one file)"
        case _:
            return error
    return ThreadDiffers(error.thread_id, how, template=template)


@dataclass(frozen=True, slots=True)
class Written:
    """What was sent of a thread: messages by number and digest, its start, its version then."""

    count: int = 0
    digest: bytes = b""
    started: Draft | None = None
    version: int = 0

    @classmethod
    def of(cls, thread: ImportedThread, version: int) -> "Written":
        """Return what was sent when a thread was appended whole."""
        return cls(len(thread.drafts), _digest(thread.drafts), thread.started, version)

    def begins(self, thread: ImportedThread) -> bool:
        """Return whether a thread begins with what was sent."""
        return self.digest == _digest(thread.drafts[: self.count])


NOTHING = Written()


def _digest(drafts: Sequence[Draft]) -> bytes:
    return sha256(print_bytes(list(drafts))).digest()


def request_to_add(
    threads: Threads,
    thread: ImportedThread,
    refused: AppendRequest,
    error: ThreadExists | VersionConflict | MessageConflict,
) -> AppendRequest | Outcome:
    """Return the request for a thread that is there, after it was refused as a new one.

    If nothing is to be added, the thread as it is; the error if the log has another history.
    """
    drafts = told_again(threads, thread)
    is_rewritten = isinstance(error, MessageConflict)
    if is_rewritten and drafts == thread.drafts:
        return error
    differs = isinstance(error, ThreadExists) or (is_rewritten and bool(refused.facts))
    if thread.drafts and not grows(threads, thread):
        # without new messages it is there already, whatever its facts are
        return refused._replace(facts=()) if differs else error
    facts: Sequence[Draft] = refused.facts
    if differs:
        head = threads.head(thread.thread_id, hidden=True)
        added = annotation(head, refused.facts[0])
        if added is None:
            return error
        facts = added
        if not (facts or thread.drafts or refused.closing):
            return Appended(head.thread_id, head.version, head.position, ())
    whole = threads.request(thread.thread_id, drafts, times=thread.times)
    return refused._replace(
        drafts=whole.drafts, times=whole.times, facts=facts, expected_version=None
    )


_FIGURES = ("model", "provider", "finishReason", "costUsd", "latencyMs")


def told_again(threads: Threads, thread: ImportedThread) -> list[Draft]:
    """Return the messages of a thread, with ids of their own for figures that are others by now.

    Some agents write a message anew when it is complete: its answer is told again then.
    """
    if not any(draft["type"] == "llm_response" for draft in thread.drafts):
        return thread.drafts
    events = threads.messages(thread.thread_id, types=["llm_response"], hidden=True)
    there = {event.message_id: event for event in events if event.redacted is None}
    return [_told_again(there.get(str(draft["id"])), draft) for draft in thread.drafts]


def _told_again(event: Event | None, draft: Draft) -> Draft:
    identity = None if event is None else identity_of(event)
    if (
        event is None
        or identity is None
        or text_at(object_at(draft, "metadata"), "responseId") != identity
    ):
        return draft
    before, now = (_figures_in(of) for of in (object_of(event.raw), draft))
    if before == now:
        return draft
    figures = print_bytes(now).decode()
    return {**draft, "id": derived_message_id(event.message_id, "figures", figures)}


def _figures_in(message: JsonObject) -> JsonObject:
    usage = object_at(message, "usage")
    stated: JsonObject = {key: value for key, value in usage.items() if value is not None}
    return {**{key: message.get(key) for key in _FIGURES}, "usage": stated}


def grows(threads: Threads, thread: ImportedThread) -> bool:
    """Return whether a thread in the log is an earlier version of a record's.

    It is if the first message that the source names, and that the log has, stands in the log no
    later than in the record; or if the record has all that the log has, as it must where messages
    are sorted. What is new follows what is there, but for messages about the whole.
    """
    places = {draft["id"]: place for place, draft in enumerate(thread.drafts)}
    ids = list(threads.message_ids(thread.thread_id, hidden=True))
    there = set(ids)
    are_there = [message_id in there for message_id in places if message_id not in thread.of_whole]
    if are_there != sorted(are_there, reverse=True):
        return False
    named = thread.own_ids or places.keys()
    first = next((place for place, message_id in enumerate(ids) if message_id in named), None)
    if first is None or thread.is_sorted:
        return there <= places.keys()
    return first <= places[ids[first]]
