"""Thread heads: a thread's current state in one row, without its events."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from psycopg.rows import TupleRow

from agentlog.domain.events import Event
from agentlog.domain.facts import (
    Fact,
    Policy,
    Start,
    ThreadAnnotated,
    ThreadHidden,
    ThreadJudged,
    ThreadLabelled,
    ThreadRedacted,
    ThreadShown,
)
from agentlog.domain.fields import REDACTED
from agentlog.domain.integrity.hash_chain import GENESIS
from agentlog.domain.json.text import parse_stored, print_bytes, print_to_keep
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    object_at,
    object_of,
    objects_of,
    text_at,
    texts_of,
)
from agentlog.domain.messages import Message
from agentlog.domain.threads import LedgerEntry, LedgerKey, Status, Thread, mentions, replay
from agentlog.infrastructure.eventlog.blob_store import Contents
from agentlog.infrastructure.eventlog.body_deduplication import left_out, whole


class Head(NamedTuple):
    """A thread's row; `version` 0 is a thread that has no row yet.

    `updated_at` is of its last activity, see `domain.catalogue.is_activity`.
    """

    tenant: str
    thread_id: str
    version: int = 0
    position: int = 0
    chain: bytes = GENESIS
    policy: Policy = "strict"
    status: Status = "open"
    anomalies: int = 0
    facts: bytes | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    hidden: bool = False

    @property
    def thread(self) -> Thread:
        """The aggregate, without its ledger."""
        return Thread(self.thread_id, self.version, self.policy, self.status)

    @property
    def goal(self) -> str | None:
        """The thread's goal."""
        goal = self.read_facts().get("goal")
        return goal if isinstance(goal, str) else None

    @property
    def parent(self) -> str | None:
        """The id of the parent thread."""
        parent = self.read_facts().get("parent")
        return parent if isinstance(parent, str) else None

    @property
    def origin(self) -> str | None:
        """The id of the thread that a fork was copied from."""
        return text_at(object_at(self.read_facts(), "forkedFrom"), "thread")

    @property
    def metadata(self) -> JsonObject:
        """The thread's metadata, empty where it has none."""
        return object_of(self.read_facts().get("metadata"))

    @property
    def labels(self) -> list[str]:
        """The thread's labels, in the order in which they were given."""
        return texts_of(self.read_facts().get("labels"))

    @property
    def judgements(self) -> list[JsonObject]:
        """The judgements of the thread, one a criterion, the latest last."""
        return objects_of(self.read_facts().get("verdicts"))

    def read_facts(self) -> dict[str, JsonValue]:
        """Return those of goal, parent, limits, metadata, forkedFrom and of remarks there are."""
        return _read(self.facts)


@dataclass(frozen=True, slots=True)
class ThreadFilter:
    """Which threads to list; None is any.

    `text`: each part of it, between spaces, stands in goal or id from the beginning of a word.
    `metadata`: top-level keys and the scalars that they have.
    """

    status: Status | None = None
    parent: str | None = None
    text: str | None = None
    metadata: Mapping[str, JsonValue] | None = None

    @property
    def searched(self) -> dict[str, str | bytes | None]:
        """`text` and `facts`, the metadata, as statements take them; None where any will do."""
        text = (self.text or "").strip().replace("\x00", "\ufffd") or None
        facts = print_bytes({"metadata": dict(self.metadata)}) if self.metadata else None
        return {"text": text, "facts": facts}


def replayed(
    head: Head,
    ledger: Mapping[LedgerKey, LedgerEntry],
    version: int,
    message: Message | Fact,
    body: bytes,
) -> tuple[Head, Mapping[LedgerKey, LedgerEntry]]:
    """Return the head after an event of the log, without its position, and the new ledger entries.

    `ledger` has at least the existing entries that the message mentions.
    """
    known = {key: ledger[key] for key in mentions(message) if key in ledger}
    after, breaches = replay(head.thread._replace(version=version - 1, ledger=known), message)
    counted = len(breaches) if after.policy == "record" else 0
    return head._replace(
        policy=after.policy,
        status=after.status,
        anomalies=head.anomalies + counted,
        facts=facts_after(head.facts, message, body),
        hidden=hidden_after(message, before=head.hidden),
    ), after.ledger


def hidden_after(message: Message | Fact, *, before: bool) -> bool:
    """Return whether a thread is hidden after a message or fact: the last fact about it counts."""
    match message:
        case ThreadHidden():
            return True
        case ThreadShown():
            return False
        case _:
            return before


_KEPT = ("goal", "parent", "limits", "metadata", "forkedFrom")


def facts_after(facts: bytes | None, message: Message | Fact, body: bytes) -> bytes | None:
    """Return the facts of a head with a fact of the thread applied."""
    match message:
        case Start():
            raw = object_of(parse_stored(body))
            kept: JsonObject = {k: raw[k] for k in _KEPT if k in raw}
        case ThreadAnnotated():
            before = _read(facts)
            added = object_at(before, "metadata") | object_at(
                object_of(parse_stored(body)), "metadata"
            )
            kept = {**before, "metadata": {k: v for k, v in added.items() if v is not None}}
        case ThreadLabelled(add=add, remove=remove):
            before = _read(facts)
            labels = dict.fromkeys([*texts_of(before.get("labels")), *add])
            left: list[JsonValue] = [label for label in labels if label not in remove]
            kept = {**before, "labels": left}
        case ThreadJudged(on=None):
            before = _read(facts)
            kept = {**before, "verdicts": _judgements_after(before.get("verdicts"), message)}
        case ThreadRedacted(all=True) if facts is not None:
            before = _read(facts)
            kept = {k: before[k] for k in _LEFT if k in before}
            if before.get("goal") is not None:
                kept = {"goal": REDACTED, **kept}
        case _:
            return facts
    return print_to_keep(kept)


_LEFT = ("parent", "limits", "forkedFrom", "verdicts")
"""Ids and figures, which a redaction leaves."""


def _judgements_after(judgements: JsonValue, message: ThreadJudged) -> list[JsonValue]:
    others = [
        judgement
        for judgement in objects_of(judgements)
        if judgement.get("criterion") != message.criterion
    ]
    given = {
        "criterion": message.criterion,
        "verdict": message.verdict,
        "score": message.score,
    }
    taken_back = message.verdict is None and message.score is None
    return [*others, *(() if taken_back else (given,))]


def _read(facts: bytes | None) -> dict[str, JsonValue]:
    known = None if facts is None else parse_stored(facts)
    return object_of(known)


def ledger_digest(key: LedgerKey) -> bytes:
    """Return the digest under which the ledger stores a key's id."""
    return sha256(key.id.encode()).digest()


def searchable(goal: object) -> str | None:
    """Return a goal as the search column stores it: without NUL."""
    return goal.replace("\x00", "\ufffd") if isinstance(goal, str) else None


def event_of(
    row: TupleRow,
    contents: Contents,
    *,
    thread_id: str | None = None,
) -> Event:
    """Return the event of a row of `select_events` and the like, with the contents cut out of it.

    `thread_id` is for rows without that column.
    """
    (
        own_thread_id,
        version,
        type_name,
        body,
        message_id,
        position,
        recorded_at,
        metadata,
        cuts,
        redacted,
        origin_version,
    ) = row
    text, missing = (body, ()) if cuts is None else whole(body, cuts, contents.texts)
    size = len(text)
    if cuts is not None and contents.sizes is not None:
        size += left_out(cuts, contents.texts, contents.sizes)
    # positional: keywords take a quarter longer, and a long thread has many events
    return Event(
        own_thread_id if thread_id is None else thread_id,
        version,
        type_name,
        text,
        message_id,
        position,
        recorded_at,
        None if metadata is None else object_of(parse_stored(metadata)),
        redacted,
        missing,
        size,
        origin_version,
    )
