"""Data passed between deciding and writing: the known state of the log, and its changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agentlog.domain.threads import LedgerEntry, LedgerKey
from agentlog.infrastructure.appending.append_request import Ready, ThreadKey
from agentlog.infrastructure.eventlog.body_deduplication import Stored
from agentlog.infrastructure.eventlog.thread_heads import Head

Way = Literal["onward", "holding"]
"""onward: written from cached heads. holding: read and written with the log locked."""


class Place(NamedTuple):
    """Version and position of a message id that its thread already has."""

    version: int
    position: int
    body_digest: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """What has to be known to decide: heads, ledger entries, places of ids."""

    threads: Sequence[ThreadKey]
    keys: Sequence[tuple[ThreadKey, LedgerKey]] = ()
    ids: Sequence[tuple[str, str, str]] = ()


@dataclass(frozen=True, slots=True)
class LogState:
    """Known state of the log at `position`, from which appends are decided.

    `heads` has every thread that was wanted (a new one at version 0), `ledger` and `places` those
    of the wanted keys and ids that are known. Where it is not `complete`, others may exist.
    """

    position: int
    heads: Mapping[ThreadKey, Head]
    ledger: Mapping[ThreadKey, Mapping[LedgerKey, LedgerEntry]] = field(default_factory=dict)
    places: Mapping[tuple[str, str, str], Place] = field(default_factory=dict)
    complete: bool = True


class NewEvent(NamedTuple):
    """An event as it will be stored; `id_assumed` if the statement has to check that its id is new.

    Generated ids are unique and need no check.
    """

    tenant: str
    thread_id: str
    version: int
    position: int
    type: str
    message_id: str
    stored: Stored
    body_digest: bytes
    left: bytes
    metadata: bytes | None
    id_assumed: bool = False


class Note(NamedTuple):
    """A ledger entry as it will be stored; `assumed` if the statement checks that it is new."""

    thread: ThreadKey
    key: LedgerKey
    entry: LedgerEntry
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of one commit, which moves the log from `previous` to `position`.

    `heads` are those after it, with the link before it: PostgreSQL sets the time and computes the
    links.
    """

    previous: int
    position: int
    events: Sequence[NewEvent]
    heads: Sequence[Head]
    notes: Sequence[Note] = ()


class Commit(NamedTuple):
    """A committed batch: its requests, how many events it wrote, in which way."""

    requests: Sequence[Ready]
    events: int
    way: Way
    seconds: float
