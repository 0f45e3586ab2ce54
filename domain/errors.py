"""Errors: each says how to proceed, and has what is read of it as attributes.

AgentlogError
├── InvalidInput          the caller's input is invalid
│   ├── InvalidJson       not JSON, not Unicode, or nested too deep
│   ├── InvalidMessage    JSON, but no message of the catalogue
│   ├── InvalidThreadId / InvalidMoment / InvalidCursor
│   ├── UnknownView / InvalidViewOption / UnknownFormat
│   └── EmptyAppend
├── NotThere              the requested object does not exist (yet)
│   ├── UnknownThread / UnknownMessage
│   └── FutureMoment
├── ContentMissing        the log has lost a content that it took in
└── Refused               well formed, but the log as it stands forbids it
    ├── RuleBroken        the thread's rules, under policy strict
    ├── MessageConflict   the same message id with other content
    ├── VersionConflict   someone appended first
    └── ThreadExists      started already, with other facts
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from typing_extensions import override

Kind = Literal[
    "unreadable",
    "unauthenticated",
    "forbidden",
    "absent",
    "stalled",
    "conflict",
    "gone",
    "stale",
    "too large",
    "unsupported",
    "elsewhere",
    "invalid",
    "too many",
    "headers too large",
    "defect",
    "unimplemented",
    "unavailable",
    "unknown version",
]
"""What an error is to its caller; over HTTP each kind has a status (`api.http.codec.statuses`)."""


class AgentlogError(Exception):
    """Whatever agentlog refuses or cannot do.

    A class says its kind as `class Late(AgentlogError, kind="unavailable")`, and whether it is
    `transient`: the same request may succeed a little later. Those below have both.
    """

    kind: ClassVar[Kind] = "defect"
    transient: ClassVar[bool] = False

    @override
    def __init_subclass__(cls, *, kind: Kind | None = None, transient: bool | None = None) -> None:
        super().__init_subclass__()
        if kind is not None:
            cls.kind = kind
        if transient is not None:
            cls.transient = transient

    def detached(self) -> Self:
        """Return the error without its traceback, cause and context.

        Those refer to the request. An error kept as a value, or raised again where a variable holds
        it, would keep the request in memory until a garbage collection.
        """
        self.__cause__ = self.__context__ = None
        return self.with_traceback(None)

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        """Let it pass between processes as it is: its class makes its text of other arguments."""
        return _rebuild, (type(self), self.args), self.__dict__


def _rebuild(kind: type[AgentlogError], args: tuple[object, ...]) -> AgentlogError:
    return kind.__new__(kind, *args)


class InvalidInput(AgentlogError, kind="invalid"):
    """The caller's words are off: mend them and ask again."""


class NotThere(AgentlogError, kind="absent"):
    """What was asked for does not exist, or not yet."""


class Refused(AgentlogError, kind="conflict"):
    """Well formed, but the log as it stands forbids it."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing wrong with an input: where (a path such as `messages[2].calls[0].id`) and why."""

    place: str
    reason: str

    @override
    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


def _under(place: str, flaws: Sequence[Flaw]) -> list[Flaw]:
    return [Flaw(f"{place}.{flaw.place}" if flaw.place else place, flaw.reason) for flaw in flaws]


class InvalidJson(InvalidInput, kind="unreadable"):
    """The text is not the JSON that the log can keep."""

    def __init__(self, reason: str, *, place: str = "") -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.flaws: tuple[Flaw, ...] = (Flaw(place, reason),)


class InvalidMessage(InvalidInput):
    """JSON, but not a message of the catalogue."""

    def __init__(self, flaws: Sequence[Flaw]) -> None:
        super().__init__("; ".join(map(str, flaws)))
        self.flaws = tuple(flaws)

    @classmethod
    def at(cls, place: str, reason: str) -> "InvalidMessage":
        """Return the error of a single flaw."""
        return cls([Flaw(place, reason)])

    def within(self, place: str) -> "InvalidMessage":
        """Return the same error seen from outside: each place stands under `place`."""
        return InvalidMessage(_under(place, self.flaws))


class InvalidThreadId(InvalidInput):
    """A thread id has characters or a length that the log does not take."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"{thread_id[:140]!r} is no thread id: "
            "use 1 to 128 of the characters A-Z a-z 0-9 . _ : ~ -"
        )
        self.thread_id = thread_id


class InvalidMoment(InvalidInput):
    """The text names no point of a history."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:64]!r} is no point of a history: use a version (12), a position (@345), "
            "a message id (ULID) or an RFC 3339 time with its zone (2026-11-21T10:00:00Z)"
        )
        self.text = text


class InvalidCursor(InvalidInput):
    """The text is no cursor that a page gave out."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"{cursor[:64]!r} is no cursor: pass the `next` of the page before")


class UnknownView(InvalidInput, kind="absent"):
    """There is no view of that name."""

    def __init__(self, name: str, *, known: Sequence[str]) -> None:
        super().__init__(f"there is no view {name[:64]!r}: choose one of {', '.join(known)}")


class InvalidViewOption(InvalidInput):
    """The view does not have that option, or not with that value."""

    def __init__(self, view: str, option: str, *, known: Sequence[str]) -> None:
        choice = f"it takes {', '.join(known)}" if known else "it takes none"
        super().__init__(f"view {view!r} does not take the option {option[:64]!r}: {choice}")


class UnknownFormat(InvalidInput):
    """There is no wire format of that name to import."""

    def __init__(self, name: str, *, known: Sequence[str]) -> None:
        super().__init__(f"there is no format {name[:64]!r}: choose one of {', '.join(known)}")
        self.name, self.known = name, tuple(known)


class EmptyAppend(InvalidInput):
    """An append without a message."""

    def __init__(self) -> None:
        super().__init__("there is nothing to append: send at least one message")


class UnknownThread(NotThere):
    """No thread of that id has been started, or it is hidden."""

    def __init__(
        self, thread_id: str, *, is_hidden: bool = False, similar: Sequence[str] = ()
    ) -> None:
        if is_hidden:
            reason = (
                f"thread {thread_id!r} is hidden: read it with hidden=true, or show it again by "
                "`agentlog imports redo`"
            )
        elif similar:
            reason = f"there is no thread {thread_id!r}: similar are {', '.join(similar)}"
        else:
            reason = (
                f"there is no thread {thread_id!r}: `agentlog threads` and GET /v1/threads list "
                "them; append a message to it to start it"
            )
        super().__init__(reason)


class UnknownMessage(NotThere):
    """The thread has no message of that id."""

    def __init__(self, thread_id: str, message_id: str) -> None:
        super().__init__(f"thread {thread_id!r} has no message {message_id!r}")


class ContentMissing(AgentlogError, kind="gone"):
    """The log has lost a content that it took in, or it was altered there."""

    def __init__(self, what: str, missing: Sequence[str]) -> None:
        super().__init__(
            f"{what} lacks content that the log took in (SHA-256 {', '.join(missing)}): "
            "`agentlog verify` lists all that is missing; put it back from a backup"
        )
        self.missing = tuple(missing)


class FutureMoment(NotThere):
    """The point of the history has not come yet."""

    def __init__(self, asked: str, *, present: str) -> None:
        super().__init__(f"{asked} is not there yet: {present}")


class RuleBroken(Refused):
    """The thread's rules forbid the message, under policy strict."""

    def __init__(self, thread_id: str, flaws: Sequence[Flaw], *, rule: str) -> None:
        super().__init__(
            f"thread {thread_id!r} refuses this ({rule}): {'; '.join(map(str, flaws))}"
        )
        self.thread_id, self.rule, self.flaws = thread_id, rule, tuple(flaws)

    def within(self, place: str) -> "RuleBroken":
        """Return the same error seen from outside: each place stands under `place`."""
        return RuleBroken(self.thread_id, _under(place, self.flaws), rule=self.rule)


class MessageConflict(Refused):
    """The id stands in the thread already, with other content."""

    def __init__(self, thread_id: str, message_id: str, *, version: int) -> None:
        super().__init__(
            f"message {message_id} is version {version} of thread {thread_id!r} already, with "
            "other content: a retry sends the same content, a new message needs a new id"
        )
        self.thread_id, self.message_id, self.version = thread_id, message_id, version


class VersionConflict(Refused, kind="stale"):
    """Someone appended first: read the thread again and decide anew."""

    def __init__(self, thread_id: str, *, expected: int, actual: int) -> None:
        super().__init__(
            f"thread {thread_id!r} is at version {actual}, not {expected}: "
            "read what was appended and decide anew"
        )
        self.thread_id, self.expected, self.actual = thread_id, expected, actual


class ThreadExists(Refused):
    """The thread has been started already, with other facts."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id!r} exists already: append to it, or choose another id")
        self.thread_id = thread_id
