"""The thread aggregate and its rules.

A thread holds only what its rules need: its state, and for each call, approval and worker that a
decision mentions, the versions that asked and answered. The cost of a decision does not depend on
the thread's length: only the ledger entries of `mentions(message)` are loaded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from agentlog.domain.errors import Flaw, RuleBroken
from agentlog.domain.facts import (
    Fact,
    Policy,
    Remark,
    Start,
    ThreadAnnotated,
    ThreadClosed,
    ThreadHidden,
    ThreadRedacted,
    ThreadShown,
)
from agentlog.domain.fields import Answers, Asks, Kind, Model, mark_of, models_in
from agentlog.domain.messages import ExitMessage, LogMessage, Message

Status = Literal["open", "exited", "closed"]
Rule = Literal[
    "duplicate_call",
    "orphan_result",
    "answered_twice",
    "orphan_approval",
    "approved_twice",
    "duplicate_worker",
    "orphan_worker_result",
    "worker_answered_twice",
    "after_exit",
    "after_close",
]


class LedgerKey(NamedTuple):
    """Key of a ledger entry: a tool call, an approval or a worker, by its id."""

    kind: Kind
    id: str


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The version that asked, and the one that answered (None while open)."""

    asked: int
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a message breaks, and where in the message."""

    rule: Rule
    flaw: Flaw


class Thread(NamedTuple):
    """The state of a thread; `ledger` has at least the entries that the next message mentions."""

    id: str
    version: int = 0
    policy: Policy = "strict"
    status: Status = "open"
    ledger: Mapping[LedgerKey, LedgerEntry] = {}


def mentions(message: Message | Fact) -> tuple[LedgerKey, ...]:
    """Return the ledger keys that deciding about `message` needs, in the message's order."""
    mention = _MENTIONS.get(type(message))
    if mention is None:
        return ()
    kind, _asks, items, name, _key = mention
    if items is None:
        return (LedgerKey(kind, getattr(message, name)),)
    return tuple([LedgerKey(kind, getattr(item, name) or "") for item in getattr(message, items)])


def decide(thread: Thread, message: Message | Fact) -> tuple[Thread, Sequence[Breach]]:
    """Return the thread after `message`, and the rules that it breaks.

    Policy strict refuses a breach; policy record accepts the message and returns each breach as an
    anomaly.

    Raises:
        RuleBroken: policy strict, and the message breaks a rule.
    """
    thread_id, version, policy, status, ledger = thread
    version += 1
    if status == "open" and type(message) in PLAIN:
        return Thread(thread_id, version, policy, status, ledger), ()
    breaches = [] if status == "open" else list(_breaches_of_status(thread, message))
    changes: dict[LedgerKey, LedgerEntry] = {}
    take = _ask if type(message) in _ASKING else _answer
    for index, key in enumerate(mentions(message)):
        known = changes.get(key) or ledger.get(key)
        changes[key], broken = take(key, known, version)
        if broken is not None:
            rule, reason = broken
            where = _MENTIONS[type(message)].place(index)
            breaches.append(Breach(rule, Flaw(where, reason)))
    if breaches and policy == "strict":
        raise RuleBroken(thread_id, [breach.flaw for breach in breaches], rule=breaches[0].rule)
    after = Thread(
        thread_id,
        version,
        message.policy if isinstance(message, Start) else policy,
        _status_after(status, message),
        {**ledger, **changes} if changes else ledger,
    )
    return after, breaches


def replay(thread: Thread, message: Message | Fact) -> tuple[Thread, Sequence[Breach]]:
    """Return the thread after a recorded message, and the rules that it broke."""
    after, breaches = decide(thread._replace(policy="record"), message)
    policy = after.policy if isinstance(message, Start) else thread.policy
    return after._replace(policy=policy), breaches


class _Mention(NamedTuple):
    """Where a type of message names what it asks for or answers."""

    kind: Kind
    asks: bool
    items: str | None
    """The field with the items that name it, one each; None where the message does."""
    name: str
    key: str
    """The field's name, and its key in JSON."""

    def place(self, index: int) -> str:
        """Return the place in a message of the key with that index."""
        return self.key if self.items is None else f"{self.items}[{index}].{self.key}"


def _mention(model: type[Model], items: str | None = None) -> _Mention | None:
    for name, field in model.model_fields.items():
        if mark := mark_of(field, Asks) or mark_of(field, Answers):
            return _Mention(mark.kind, isinstance(mark, Asks), items, name, str(field.alias))
        for nested in models_in(field.annotation):
            if mention := _mention(nested, name):
                return mention
    return None


_MENTIONS: Mapping[type[object], _Mention] = {
    model: mention for model in get_args(Message) if (mention := _mention(model))
}

_ASKING = frozenset(model for model, mention in _MENTIONS.items() if mention.asks)

PLAIN = frozenset({*get_args(Message)} - {*_MENTIONS, ExitMessage})
"""Messages that ask for nothing, answer nothing and end nothing: over half of all."""

_Taken = tuple[LedgerEntry, tuple[Rule, str] | None]
"""A ledger's entry after a message, and the rule that the message broke, with the reason."""


def _ask(key: LedgerKey, known: LedgerEntry | None, version: int) -> _Taken:
    """Add a request under a new id."""
    if known is None or key.kind == "approval":  # an approval may be requested again
        return LedgerEntry(version), None
    taken = f"is taken by version {known.asked}: ids are unique in a thread"
    if key.kind == "call":
        return LedgerEntry(version), ("duplicate_call", f"call id {key.id!r} {taken}")
    return LedgerEntry(version), ("duplicate_worker", f"worker {key.id!r} {taken}")


def _answer(key: LedgerKey, known: LedgerEntry | None, version: int) -> _Taken:
    """Record the answer to a request."""
    if known is not None and known.answered is None:
        return LedgerEntry(known.asked, version), None
    words = _ANSWERS[key.kind]
    what = f"{words.what} {key.id!r}" if key.id else f"{words.what} (no id given)"
    if known is None:
        reason = f"nothing asked for {what}: {words.way_out}"
        return LedgerEntry(version, version), (words.orphan, reason)
    reason = f"{what} was answered by version {known.answered} already"
    return known, (words.twice, reason)


@dataclass(frozen=True, slots=True)
class _Words:
    what: str
    orphan: Rule
    twice: Rule
    way_out: str


_ANSWERS: Mapping[Kind, _Words] = {
    "call": _Words("call", "orphan_result", "answered_twice", "append its tool_calls first"),
    "approval": _Words(
        "approval of call", "orphan_approval", "approved_twice", "append its approval_request first"
    ),
    "worker": _Words(
        "worker",
        "orphan_worker_result",
        "worker_answered_twice",
        "append its worker_spawned first",
    ),
}


def _breaches_of_status(thread: Thread, message: Message | Fact) -> Iterator[Breach]:
    match thread.status, message:
        case "open", _:
            pass
        case _, ThreadAnnotated() | ThreadHidden() | ThreadShown() | ThreadRedacted():
            pass
        case _, message if isinstance(message, Remark):
            pass
        case "exited", LogMessage() | ThreadClosed():
            pass
        case "exited", _:
            reason = "the agent has exited: only log messages follow; start another thread"
            yield Breach("after_exit", Flaw("", reason))
        case _:
            yield Breach("after_close", Flaw("", "the thread is closed: start another thread"))


def _status_after(status: Status, message: Message | Fact) -> Status:
    match message:
        case ThreadClosed():
            return "closed"
        case ExitMessage() if status == "open":
            return "exited"
        case _:
            return status
