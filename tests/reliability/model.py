"""The store as it should behave, in memory: the design's rules, said again as plainly as possible.

It shares no rule with the code that it is held against, neither the aggregate's nor the writer's;
but for what stays of an erased message, which is a pure function of the domain's.
A `tenant` is who asks, a `thread` its tenant and id. Contents are JSON as Python has it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.redaction import redacted_body

Content = dict[str, Any]
ThreadKey = tuple[str, str]

NO_MESSAGES: Sequence[Any] = (
    {"type": "nope"},
    {"type": "reply"},
    {"type": "reply", "text": 5},
    {"type": "tick", "timestmap": 1},
    {"type": "thread.closed"},
    {"type": "tick", "id": ["no text"]},
    {"type": "tick", "timestamp": -1},
    {"type": "tick", "metadata": {"actor": 7}},
    {"type": "tool_calls", "calls": [{}]},
    {"type": "Vendor.x"},
    "tick",
)
"""Drafts that are refused wherever they are sent."""

_ORPHAN = {"call": "orphan_result", "approval": "orphan_approval", "worker": "orphan_worker_result"}
_TWICE = {"call": "answered_twice", "approval": "approved_twice", "worker": "worker_answered_twice"}
_STILL_TAKEN = {
    "exited": {"log", "thread.closed", "thread.annotated"},
    "closed": {"thread.annotated"},
}
_BESIDE = {"id", "timestamp", "metadata"}


class RefusedError(Exception):
    """What the store should refuse with: the name of its error, and the rule that was broken."""

    def __init__(self, name: str, rule: str | None = None) -> None:
        super().__init__(name if rule is None else f"{name} ({rule})")
        self.name, self.rule = name, rule


@dataclass(slots=True)
class Recorded:
    """A message or fact in the log. `id` and `recorded_at` are the store's to say, once it has."""

    thread: ThreadKey
    version: int
    position: int
    content: Content
    metadata: Content
    id: str | None = None
    recorded_at: datetime | None = None
    redacted: int | None = None
    """The version of the redaction that its content went by."""
    original: Content | None = None
    """What it said before."""

    @property
    def type(self) -> str:
        """The word that the log has for it."""
        return str(self.content["type"])

    @property
    def body(self) -> Content:
        """The JSON that is stored."""
        return {"id": self.id, **self.content}


@dataclass(frozen=True, slots=True)
class Answered:
    """What an append came to; `replayed` says of each message whether it had been there before."""

    thread: "KnownThread"
    messages: Sequence[Recorded]
    replayed: Sequence[bool]
    breaches: Sequence[str]


@dataclass(slots=True)
class KnownThread:
    """A thread: its events, and what follows from them."""

    key: ThreadKey
    policy: str = "strict"
    status: str = "open"
    anomalies: int = 0
    facts: Content = field(default_factory=dict)
    answered: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Of each call, approval and worker that was asked for: whether there was an answer."""
    events: list[Recorded] = field(default_factory=list)

    def copy(self) -> "KnownThread":
        """Return a thread that can go its own way."""
        return replace(self, answered=dict(self.answered), events=list(self.events))

    def open(self, kind: str) -> list[str]:
        """Return the ids of what waits for an answer."""
        return [
            id_
            for (asked_kind, id_), answered in self.answered.items()
            if asked_kind == kind and not answered
        ]


class Model:
    """All threads of all tenants, and the one log; `base` is the position that it begins after."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.log: list[Recorded] = []
        self.threads: dict[ThreadKey, KnownThread] = {}

    @property
    def position(self) -> int:
        """Where the log stands."""
        return self.base + len(self.log)

    def of(self, tenant: str) -> list[Recorded]:
        """Return the log as a tenant sees it."""
        return [recorded for recorded in self.log if recorded.thread[0] == tenant]

    def threads_of(self, tenant: str) -> list[KnownThread]:
        """Return a tenant's threads, the one that moved last first."""
        own = [thread for (owner, _), thread in self.threads.items() if owner == tenant]
        return sorted(own, key=lambda thread: -thread.events[-1].position)

    def append(  # noqa: PLR0913 - the parts of a request
        self,
        key: ThreadKey,
        drafts: Sequence[Any] = (),
        *,
        now: int,
        facts: Sequence[Content] = (),
        closing: Sequence[Content] = (),
        expected: int | None = None,
    ) -> Answered:
        """Append all of it or nothing; raises `RefusedError`."""
        if any(draft in NO_MESSAGES for draft in drafts):
            raise RefusedError("InvalidMessage")
        if not (drafts or facts or closing):
            raise RefusedError("EmptyAppend")
        before = self.threads.get(key) or KnownThread(key)
        after, position = before.copy(), self.position
        receipts: list[tuple[Recorded, bool]] = []
        breaches: list[str] = []
        for draft in (*facts, *drafts, *closing):
            known = _find(after, draft, now)
            if known is not None:
                receipts.append((known, True))
                continue
            if expected is not None and expected != len(before.events):
                raise RefusedError("VersionConflict")
            if draft["type"] == "thread.started" and after.events:
                raise RefusedError("ThreadExists")
            content = _content(draft, now)
            broken = list(_breaches(after, content))
            if broken and after.policy == "strict":
                raise RefusedError("RuleBroken", broken[0])
            breaches += broken
            position += 1
            version = len(after.events) + 1
            meta = draft.get("metadata") or {} if _is_message(draft) else {}
            event = Recorded(key, version, position, content, meta, draft.get("id"))
            after.events.append(event)
            _evolve(after, content)
            receipts.append((event, False))
        new = after.events[len(before.events) :]
        after.anomalies += len(breaches)
        if new:
            self.threads[key] = after
            self.log += new
        messages, replayed = zip(*receipts, strict=True)
        return Answered(after, messages, replayed, breaches)

    def redact(
        self, key: ThreadKey, ids: Sequence[str] | None, *, reason: str, now: int
    ) -> tuple[int, bool]:
        """Erase messages of a thread, or all it has (None).

        Returns the version of the redaction, and whether it had been done before.
        """
        thread = self.threads[key]
        targets = [
            event
            for event in thread.events
            if event.type != "thread.redacted" and (ids is None or event.id in ids)
        ]
        left = [target for target in targets if target.redacted is None]
        if ids is None:
            before = [event for event in thread.events if event.content.get("all") is True]
            done = [recorded.version for recorded in before if recorded.type == "thread.redacted"]
        else:
            done = [target.redacted for target in targets if target.redacted is not None]
        if not left and done:
            return max(done), True
        named = {"all": True} if ids is None else {"messages": list(ids)}
        content = {"timestamp": now, "type": "thread.redacted", "reason": reason, **named}
        version = len(thread.events) + 1
        fact = Recorded(key, version, self.position + 1, content, {})
        thread.events.append(fact)
        self.log.append(fact)
        for recorded in left:
            _erase(recorded, by=version)
        if ids is None:
            goal: Content = {"goal": "[redacted]"} if thread.facts.get("goal") is not None else {}
            stays: Content = {k: thread.facts[k] for k in ("parent", "limits") if k in thread.facts}
            thread.facts = {**goal, **stays}
        return version, False


def printed(value: object) -> str:
    """Return JSON text to compare by: 1, 1.0 and true are three things, and order counts."""
    return json.dumps(value)


def _erase(event: Recorded, *, by: int) -> None:
    """Leave of an event what the domain says that stays: which is looked at by tests of its own."""
    event.redacted, event.original = by, event.content
    left = parse_stored(redacted_body(event.type, str(event.id), print_bytes(event.body)))
    event.content = {key: value for key, value in left.items() if key != "id"}
    event.metadata = {k: v for k, v in event.metadata.items() if k == "responseId"}


def _find(thread: KnownThread, draft: Content, now: int) -> Recorded | None:
    """Return the event that a draft is a retry of; raises where only the id is the same."""
    kind = draft["type"]
    if kind in {"thread.started", "thread.closed"}:  # there is one of each in a thread
        known = next((event for event in thread.events if event.type == kind), None)
    else:
        given = draft.get("id")
        known = next(
            (event for event in thread.events if given is not None and event.id == given), None
        )
    if known is None:
        return None
    timestamp = known.content["timestamp"]  # the clock's, where the retry gives none
    ours, theirs = _content(draft, timestamp), known.content
    # of an erased message its digest is left: the very same bytes are a retry
    same_bytes = known.original is not None and printed(_content(draft, now)) == printed(
        known.original
    )
    same = json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)
    if not (same or same_bytes):
        raise RefusedError("ThreadExists" if kind == "thread.started" else "MessageConflict")
    return known


def _is_message(draft: Mapping[str, Any]) -> bool:
    return not str(draft["type"]).startswith("thread.")


def _content(draft: Content, now: int) -> Content:
    beside = _BESIDE if _is_message(draft) else {"id", "timestamp"}
    kind = {"tool-calls": "tool_calls", "tool-results": "tool_results"}.get(draft["type"])
    rest = {key: value for key, value in draft.items() if key not in beside}
    given = {"timestamp": draft.get("timestamp", now), "type": kind or draft["type"]}
    return {**given, **{key: value for key, value in rest.items() if key != "type"}}


def _breaches(thread: KnownThread, content: Content) -> Iterator[str]:
    """Yield the rules that a message breaks, and note what it asks for and answers."""
    if thread.status != "open" and content["type"] not in _STILL_TAKEN[thread.status]:
        yield "after_exit" if thread.status == "exited" else "after_close"
    match content:
        case {"type": "tool_calls", "calls": calls}:
            for call in calls:
                yield from _ask(thread, "call", call["id"])
        case {"type": "tool_results", "results": results}:
            for result in results:
                yield from _answer(thread, "call", result.get("callId") or "")
        case {"type": "approval_request", "callId": call_id}:
            thread.answered["approval", call_id] = False  # it may be asked for again
        case {"type": "approval_response", "callId": call_id}:
            yield from _answer(thread, "approval", call_id)
        case {"type": "worker_spawned", "workerId": worker_id}:
            yield from _ask(thread, "worker", worker_id)
        case {"type": "worker_result", "workerId": worker_id}:
            yield from _answer(thread, "worker", worker_id)
        case _:
            pass


def _ask(thread: KnownThread, kind: str, id_: str) -> Iterator[str]:
    if (kind, id_) in thread.answered:
        yield f"duplicate_{kind}"
    thread.answered[kind, id_] = False


def _answer(thread: KnownThread, kind: str, id_: str) -> Iterator[str]:
    if (kind, id_) not in thread.answered:
        yield _ORPHAN[kind]
    elif thread.answered[kind, id_]:
        yield _TWICE[kind]
    thread.answered[kind, id_] = True


def _evolve(thread: KnownThread, content: Content) -> None:
    match content["type"]:
        case "thread.started":
            thread.policy = content.get("policy", "strict")
            named = ("goal", "parent", "limits", "metadata")
            thread.facts = {key: content[key] for key in named if key in content}
        case "thread.annotated":
            merged = {**thread.facts.get("metadata", {}), **content["metadata"]}
            kept = {key: value for key, value in merged.items() if value is not None}
            thread.facts = {**thread.facts, "metadata": kept}
        case "thread.closed":
            thread.status = "closed"
        case "exit" if thread.status == "open":
            thread.status = "exited"
        case _:
            pass
