"""The thread: the aggregate that every message belongs to, and the rules it keeps.

A thread knows what its rules need and nothing else: where it stands, and of each call, approval and
worker that a decision mentions, whether it was asked for and answered. So a decision costs the same
at message 100,000 as at message 10: whoever loads a thread loads only the ledger entries of
`mentions(message)`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from domain.errors import Flaw, RuleBroken
from domain.facts import (
    Fact,
    Policy,
    ThreadAnnotated,
    ThreadClosed,
    ThreadRedacted,
    ThreadStarted,
)
from domain.messages import (
    ApprovalRequestMessage,
    ApprovalResponseMessage,
    ExitMessage,
    LogMessage,
    Message,
    ToolCallsMessage,
    ToolResultsMessage,
    WorkerResultMessage,
    WorkerSpawnedMessage,
)

Kind = Literal["call", "approval", "worker"]
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


@dataclass(frozen=True, slots=True)
class Key:
    """What is asked for and answered: a tool call, an approval or a worker, by its id."""

    kind: Kind
    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The version that asked, and the one that answered (None while open)."""

    asked: int
    answered: int | None = None


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a message breaks, and where in the message."""

    rule: Rule
    flaw: Flaw


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a thread stands; `ledger` holds at least the entries that the next message mentions."""

    id: str
    version: int = 0
    policy: Policy = "strict"
    status: Status = "open"
    ledger: Mapping[Key, Entry] = field(default_factory=dict)


def mentions(message: Message | Fact) -> tuple[Key, ...]:
    """Return the ledger keys that deciding about `message` needs."""
    return tuple([step.key for step in _steps(message)])


def decide(thread: Thread, message: Message | Fact) -> tuple[Thread, Sequence[Breach]]:
    """Return the thread after `message`, and the rules it broke on the way.

    Under policy strict no rule may be broken; under record everything is kept, and each breach is
    returned for the list of anomalies.

    Raises:
        RuleBroken: policy strict, and the message breaks a rule. Nothing has changed.
    """
    version = thread.version + 1
    breaches = [] if thread.status == "open" else list(_breaches_of_status(thread, message))
    changes: dict[Key, Entry] = {}
    for step in _steps(message):
        known = changes.get(step.key) or thread.ledger.get(step.key)
        changes[step.key], broken = step.take(known, version)
        if broken is not None:
            breaches.append(broken)
    if breaches and thread.policy == "strict":
        raise RuleBroken(thread.id, [each.flaw for each in breaches], rule=breaches[0].rule)
    after = Thread(
        id=thread.id,
        version=version,
        policy=message.policy if isinstance(message, ThreadStarted) else thread.policy,
        status=_status_after(thread.status, message),
        ledger={**thread.ledger, **changes} if changes else thread.ledger,
    )
    return after, breaches


@dataclass(frozen=True, slots=True)
class _Ask:
    """A message asks for something under a new id."""

    key: Key
    place: str

    def take(self, known: Entry | None, version: int) -> tuple[Entry, Breach | None]:
        broken: Breach | None = None
        match self.key.kind, known:
            case "call", Entry(asked=asked):
                broken = self._breach("duplicate_call", f"call id {self.key.id!r}", asked)
            case "worker", Entry(asked=asked):
                broken = self._breach("duplicate_worker", f"worker {self.key.id!r}", asked)
            case _:  # new, or an approval that is asked for again
                pass
        return Entry(version), broken

    def _breach(self, rule: Rule, what: str, asked: int) -> Breach:
        reason = f"{what} is taken by version {asked}: ids are unique in a thread"
        return Breach(rule, Flaw(self.place, reason))


@dataclass(frozen=True, slots=True)
class _Answer:
    """A message answers what was asked for."""

    key: Key
    place: str

    def take(self, known: Entry | None, version: int) -> tuple[Entry, Breach | None]:
        words = _ANSWERS[self.key.kind]
        what = f"{words.what} {self.key.id!r}" if self.key.id else f"{words.what} (no id given)"
        if known is None:
            reason = f"nothing asked for {what}: {words.way_out}"
            return Entry(version, version), Breach(words.orphan, Flaw(self.place, reason))
        if known.answered is not None:
            reason = f"{what} was answered by version {known.answered} already"
            return known, Breach(words.twice, Flaw(self.place, reason))
        return replace(known, answered=version), None


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


def _steps(message: Message | Fact) -> Sequence[_Ask | _Answer]:
    match message:
        case ToolCallsMessage(calls=calls):
            return [
                _Ask(Key("call", call.id), f"calls[{index}].id") for index, call in enumerate(calls)
            ]
        case ToolResultsMessage(results=results):
            return [
                _Answer(Key("call", result.call_id or ""), f"results[{index}].callId")
                for index, result in enumerate(results)
            ]
        case ApprovalRequestMessage(call_id=call_id):
            return [_Ask(Key("approval", call_id), "callId")]
        case ApprovalResponseMessage(call_id=call_id):
            return [_Answer(Key("approval", call_id), "callId")]
        case WorkerSpawnedMessage(worker_id=worker_id):
            return [_Ask(Key("worker", worker_id), "workerId")]
        case WorkerResultMessage(worker_id=worker_id):
            return [_Answer(Key("worker", worker_id), "workerId")]
        case _:
            return ()


def _breaches_of_status(thread: Thread, message: Message | Fact) -> Iterator[Breach]:
    match thread.status, message:
        case "open", _:
            pass
        case _, ThreadAnnotated() | ThreadRedacted():
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
