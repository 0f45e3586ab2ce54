"""Facts of a thread: events in the log that are not messages."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from agentlog.domain.fields import (
    REDACTED,
    Content,
    Count,
    Dropped,
    Json,
    MessageId,
    Model,
    Number,
    OptionalText,
    ThreadId,
)
from agentlog.domain.messages import KernelMessage

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]

Policy = Literal["strict", "record"]
"""strict: what breaks a rule is refused. record: everything is kept, each breach an anomaly."""


class Limits(Model):
    """How far the agent may go; what is not given is the kernel's default."""

    max_steps: Count | None = None
    max_delegations: Count | None = None
    max_rejections: Count | None = None


class ForkEdit(Model):
    """A change of a fork to the messages that it copied.

    It drops the message of a version of the origin, replaces it, or inserts another after it; after
    version 0 it stands first.
    `sha256` is of the message that was put in, as the caller gave it, in canonical JSON.
    """

    kind: Literal["drop", "replace", "insert"]
    version: Count
    sha256: Sha256 | None = None

    @model_validator(mode="after")
    def _says_what_it_put_in(self) -> Self:
        if (self.sha256 is None) != (self.kind == "drop"):
            raise ValueError("an edit has the SHA-256 of the message that it puts in, if any")
        return self


class ForkedFrom(Model):
    """Where a fork comes from: the messages of a thread up to a version.

    `link` is that of the origin's hash chain at the version, in hexadecimal.
    """

    thread: ThreadId
    version: Annotated[int, Field(ge=1)]
    link: Sha256
    edits: Annotated[tuple[ForkEdit, ...], Field(strict=False)] = ()

    def layout(self, versions: Iterable[int]) -> Iterator[tuple[int, int | None]]:
        """Yield the events that a fork begins with, of the origin's messages up to its version.

        `versions` are theirs, in order. Each event comes with the version that it stands at in the
        origin, and the index of the edit that put it there; None where it is copied.
        """
        changed: dict[int, tuple[int, ForkEdit]] = {}
        inserted: defaultdict[int, list[int]] = defaultdict(list)
        for index, edit in enumerate(self.edits):
            if edit.kind == "insert":
                inserted[edit.version].append(index)
            else:
                changed[edit.version] = index, edit
        for version in chain((0,), versions):
            index_there, change = changed.get(version, (None, None))
            if version and (change is None or change.kind == "replace"):
                yield version, index_there
            yield from ((version, index) for index in inserted.get(version, ()))


class Start(KernelMessage):
    """The first fact of a thread, with what it is for."""

    type: str
    goal: OptionalText = None
    parent: ThreadId | None = None
    limits: Limits | None = None
    policy: Policy = "strict"
    metadata: Annotated[dict[str, Json], Dropped()] = Field(default_factory=dict)


class ThreadStarted(Start):
    """The thread was started."""

    type: Literal["thread.started"] = "thread.started"


class ThreadForked(Start):
    """The thread was started as a copy of another; its own events follow those copied."""

    type: Literal["thread.forked"] = "thread.forked"
    forked_from: ForkedFrom


class ThreadClosed(KernelMessage):
    """The thread was closed: nothing follows."""

    type: Literal["thread.closed"] = "thread.closed"
    reason: OptionalText = None


class ThreadAnnotated(KernelMessage):
    """Someone added to the thread's metadata; a null takes a key away."""

    type: Literal["thread.annotated"] = "thread.annotated"
    # what is left removes a key that does not exist
    metadata: Annotated[dict[str, Json], Field(min_length=1), Content({REDACTED: None})]


class ThreadHidden(KernelMessage):
    """The thread was hidden from lists, reads, reports and searches; the log keeps it."""

    type: Literal["thread.hidden"] = "thread.hidden"
    import_id: MessageId | None = None
    reason: OptionalText = None


class ThreadShown(KernelMessage):
    """The thread, hidden before, is shown again."""

    type: Literal["thread.shown"] = "thread.shown"
    import_id: MessageId | None = None


class RedactionPlace(Model):
    """The place of a redaction."""

    thread: ThreadId
    version: Annotated[int, Field(ge=1)]


class ThreadRedacted(KernelMessage):
    """Contents before it were erased: of some messages, or of all there were.

    With `blob`, the SHA-256 of a file in hexadecimal, only that file went from the messages. `left`
    has the `left_digest` of what stays of each message that is named, in hexadecimal and in their
    order; of all messages, one SHA-256 over those digests, by version.
    Older redactions have none. `follows` is the redaction that was asked for, where this one erases
    what else has its texts: copies in forks, and what a recorded run holds of them. Nothing follows
    one that is `alone`: by rules of retention, those threads go when they are due themselves.
    """

    type: Literal["thread.redacted"] = "thread.redacted"
    messages: Annotated[tuple[MessageId, ...], Field(strict=False)] = ()
    all: bool = False
    blob: Sha256 | None = None
    left: Annotated[tuple[Sha256, ...], Field(strict=False)] = ()
    follows: RedactionPlace | None = None
    alone: bool = False
    reason: Annotated[str, StringConstraints(pattern=r"\S")]

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if self.all == bool(self.messages):
            raise ValueError("a redaction names messages, or is of all")
        if self.all and self.blob is not None:
            raise ValueError("a file is erased from the messages that are named")
        if self.left and len(self.left) != (1 if self.all else len(self.messages)):
            raise ValueError("`left` has a digest for each message that is named, or one for all")
        return self


Word = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=64)]
"""A label, the name of a criterion, or a verdict in a word."""

Version = Annotated[int, Field(ge=1)]
"""The version of an event of the thread."""

Labels = Annotated[tuple[Word, ...], Field(strict=False, max_length=100), Content(left=[])]


class ThreadNoted(KernelMessage):
    """Someone commented on the thread, or on the event of version `on`.

    `replaces` is the version of the note that this one changes; without a text it takes it back.
    """

    type: Literal["thread.noted"] = "thread.noted"
    text: Annotated[str | None, Field(pattern=r"\S"), Content()] = None
    on: Version | None = None
    replaces: Version | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.text is None and self.replaces is None:
            raise ValueError("a note has a text, or the version of the note that it takes back")
        if self.on is not None and self.replaces is not None:
            raise ValueError("a note that replaces another stays where that is: leave out `on`")
        return self


class ThreadLabelled(KernelMessage):
    """Someone gave labels to the thread, or took some away."""

    type: Literal["thread.labelled"] = "thread.labelled"
    add: Labels = ()
    remove: Labels = ()


class ThreadJudged(KernelMessage):
    """Someone judged the thread, or the event of version `on`, by a criterion.

    It takes the place of the judgement before it by that criterion; with neither verdict nor score
    there is none any more.
    """

    type: Literal["thread.judged"] = "thread.judged"
    criterion: Word | None = None
    verdict: Word | None = None
    score: Annotated[Number | None, Field(allow_inf_nan=False)] = None
    comment: OptionalText = None
    on: Version | None = None

    @model_validator(mode="after")
    def _says_what(self) -> Self:
        if not {"verdict", "score"} & self.model_fields_set:
            raise ValueError("give a verdict or a score; null takes the judgement back")
        return self


Remark = ThreadNoted | ThreadLabelled | ThreadJudged
"""What people and programs say about a thread. It is no part of what the agent did."""

Fact = (
    ThreadStarted
    | ThreadForked
    | ThreadClosed
    | ThreadAnnotated
    | ThreadHidden
    | ThreadShown
    | ThreadRedacted
    | Remark
)
